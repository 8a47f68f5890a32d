package transfer

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Folder is what identifies a project whose conversations name a folder: its repository, or the folder itself.
type Folder struct {
	Root   string // path of the repository; of the folder if there is none
	Remote string // where the repository comes from, such as github.com/acme/app; empty: nowhere
	local  bool   // the root is a path of this machine
}

// FolderOf looks for the repository of a folder on this machine. A worktree is of the repository that it was made from.
func FolderOf(path string) Folder {
	f := Folder{Root: path, local: filepath.IsAbs(path)}
	for dir := path; f.local; dir = filepath.Dir(dir) {
		if root, git := repository(dir); git != "" {
			config, _ := os.ReadFile(filepath.Join(git, "config"))
			f.Root, f.Remote = root, remoteOf(string(config))
			return f
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return f
}

// repository returns the root of the repository that a folder is the top of, and where git keeps its data.
func repository(dir string) (root, git string) {
	git = filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", ""
	case info.IsDir():
		return dir, git
	}
	if git = pathIn(git, "gitdir: ", dir); git == "" {
		return "", ""
	}
	common := pathIn(filepath.Join(git, "commondir"), "", git)
	switch {
	case common == "": // a submodule, which is a repository of its own
		return dir, git
	case filepath.Base(common) == ".git":
		return filepath.Dir(common), common
	}
	return common, common
}

// pathIn returns the path that a file of git holds behind a prefix, relative to a folder; empty: none.
func pathIn(file, prefix, dir string) string {
	text, err := os.ReadFile(file)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	switch {
	case err != nil || !ok || path == "":
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

var (
	section = regexp.MustCompile(`^\[remote "(.*)"\]$`)
	address = regexp.MustCompile(`^(?:\w[\w+.-]*://)?(?:[^@/]*@)?([^/:@.][^/:@]*)(?::\d+/|[:/])/*(.+)$`)
)

// remoteOf returns the remote in a configuration of git: origin, else the first. The ways to one repository, by https or
// ssh, are equal, and logins are left out.
func remoteOf(config string) string {
	name, first := "", ""
	for l := range strings.Lines(config) {
		l = strings.TrimSpace(l)
		if at := section.FindStringSubmatch(l); at != nil {
			name = at[1]
		} else if strings.HasPrefix(l, "[") {
			name = ""
		}
		key, url, _ := strings.Cut(l, "=")
		if name == "" || strings.TrimSpace(key) != "url" {
			continue
		}
		at := address.FindStringSubmatch(strings.TrimSpace(url))
		if at == nil { // a path, which means another place on another machine
			continue
		}
		found := strings.ToLower(at[1] + "/" + strings.TrimSuffix(strings.TrimRight(at[2], "/"), ".git"))
		first = cmp.Or(first, found)
		if name == "origin" {
			return found
		}
	}
	return first
}

// Registry holds the projects of folders.
type Registry interface {
	Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error)
	PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error)
}

// folderObject is the type of the objects that say which folder a project is; their names are the projects.
const folderObject = "folder"

// OtherFolder begins the suffix of a project whose folder has the name of another one.
const OtherFolder = "~"

// ProjectOf returns the project of a folder. The first folder of a name has that name, with all that is known under it;
// another folder of the name has a suffix, which depends on what identifies it. With dry, a new folder is not registered.
func ProjectOf(ctx context.Context, t Registry, s trilith.Scope, f Folder, dry bool) (string, error) {
	s = s.Widest()
	for taken := false; ; taken = true {
		all, err := t.Objects(ctx, s, folderObject)
		if err != nil {
			return "", err
		}
		for _, o := range all {
			root, _ := o.Data["root"].(string)
			remote, _ := o.Data["remote"].(string)
			if !f.isThe(Folder{Root: root, Remote: remote}) {
				continue
			}
			if remote == "" && f.Remote != "" && !dry {
				o.Data["remote"] = f.Remote
				_, err = t.PutObject(ctx, s, o, false)
			}
			return o.Name, err
		}
		name := scopeValue(folderName(f.Root))
		if taken || slices.ContainsFunc(all, func(o trilith.Object) bool { return o.Name == name }) {
			id := string(trilith.DeriveID("folder", cmp.Or(f.Remote, f.Root)))
			name, taken = scopeValue(name+OtherFolder+id[len(id)-6:]), true
		}
		if dry {
			return name, nil
		}
		o := trilith.Object{Type: folderObject, Name: name, Scope: s.Bare(), Data: map[string]any{"root": f.Root}}
		o.Scope.Project = name
		if f.Remote != "" {
			o.Data["remote"] = f.Remote
		}
		_, err = t.PutObject(ctx, s, o, true)
		if err == nil || trilith.KindOf(err) != trilith.Conflict {
			return name, err
		}
		if taken { // by another caller, whose folders are not in sight
			return name, nil
		}
	}
}

// isThe reports whether two folders are one project. The disk says whether two spellings of a path are one folder.
func (f Folder) isThe(other Folder) bool {
	switch {
	case f.Remote != "" && other.Remote != "":
		return f.Remote == other.Remote
	case f.Root == other.Root || strings.Contains(f.Root, `:\`) && strings.EqualFold(f.Root, other.Root):
		return true
	case !f.local:
		return false
	}
	a, err := os.Stat(f.Root)
	if err != nil {
		return false
	}
	b, err := os.Stat(other.Root)
	return err == nil && os.SameFile(a, b)
}

// folderName returns the last name of a path, of any system.
func folderName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return cmp.Or(path[strings.LastIndexAny(path, `/\`)+1:], path)
}

// headBytes is how far the folder of a transcript is looked for before it is read.
const headBytes = 1 << 20

// firstFolder is FirstFolder of the beginning of a file, which stays to be read.
func firstFolder(in *input) string {
	r := bufio.NewReaderSize(in.r, headBytes)
	in.r = r
	head, _ := r.Peek(headBytes) // faults of the file show when it is read
	return FirstFolder(strings.NewReader(string(head)))
}

// FirstFolder returns the folder in which the session of a transcript of Claude Code began; empty: it does not say.
func FirstFolder(transcript io.Reader) string {
	for l, err := range lines(input{r: transcript}, MaxLineBytes) {
		var r struct {
			Folder string `json:"cwd"`
		}
		if err == nil && decode(l.text, &r, false) == nil && r.Folder != "" {
			return r.Folder
		}
		if err != nil && !isLineError(err) {
			break
		}
	}
	return ""
}

// sources are endings of source files.
var sources = []string{".c", ".cpp", ".cs", ".go", ".java", ".js", ".kt", ".php", ".py", ".rb", ".rs", ".swift", ".ts"}

// FolderProfile returns the profile for conversations in a folder of code: one under git, or with source files; ""
// for another, and for a file.
func FolderProfile(path string) string {
	files, _ := os.ReadDir(path)
	if slices.ContainsFunc(files, func(f os.DirEntry) bool {
		return f.Name() == ".git" || slices.Contains(sources, filepath.Ext(f.Name()))
	}) {
		return "code"
	}
	return ""
}
