package hub

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
)

// LockFile is the file in a model's folder that records the origin of the model and the hashes of its files.
const LockFile = "trilith.json"

// partialSuffix ends the name of a folder that is still being filled. No model has such a name.
const partialSuffix = ".partial"

// maxLock limits the size of a lock file, in bytes; one of ten files has 2,000.
const maxLock = 1 << 20

// State describes a model in a folder of models.
type State string

// The states of a model.
const (
	Absent     State = "absent"
	Partial    State = "partial"    // an interrupted pull; the next one resumes it
	Verified   State = "verified"   // every file had its hash when it was added, and still has its size
	Damaged    State = "damaged"    // a file is missing or does not have the size in the lock file
	Unverified State = "unverified" // put there by hand: no lock file
)

// Listed is a model of the catalogue, or one on this machine.
type Listed struct {
	Model
	State State  `json:"state"`
	Path  string `json:"path,omitempty"`
	Bytes int64  `json:"bytes"` // on this disk
}

// List returns the models of the catalogue in its order, and then the other models in dir by name. A missing dir is
// empty.
func List(dir string) ([]Listed, error) {
	models := Catalogue()
	known := len(models)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, onDisk(err)
	}
	for _, e := range entries {
		owner, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), partialSuffix), "--")
		m, err := lookUp(owner + "/" + name)
		if !e.IsDir() || !ok || err != nil ||
			slices.ContainsFunc(models, func(o Model) bool { return o.Name == m.Name }) {
			continue
		}
		models = append(models, m)
	}
	slices.SortFunc(models[known:], func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	listed := make([]Listed, 0, len(models))
	for _, m := range models {
		l, err := look(dir, m)
		if err != nil {
			return nil, err
		}
		listed = append(listed, l)
	}
	return listed, nil
}

// Checked is the result of verifying one file.
type Checked struct {
	File
	Problem string `json:"problem,omitempty"` // empty: the file is intact
}

// Verify hashes the files of a model again and compares them with its lock file and with the catalogue, which takes
// precedence. progress, if not nil, receives bytes. Wrong files are listed in the answer and are not an error.
func Verify(ctx context.Context, dir, name string, progress func(done, total int64)) ([]Checked, error) {
	m, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	path, err := Find(dir, name)
	if trilith.KindOf(err) == trilith.Conflict {
		path, err = filepath.Join(dir, folder(m.Name)), nil // a damaged model is verified too
	}
	if err != nil {
		return nil, err
	}
	here, err := readLock(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(m.Files) > 0:
		here = m
	case errors.Is(err, fs.ErrNotExist):
		return nil, trilith.Errorf(
			trilith.Unsupported, "model: %s was added by hand, without hashes of its files; remove it and pull it, with --from to copy it from elsewhere on this machine", m.Name)
	case err != nil:
		return nil, err
	case here.Revision == m.Revision:
		here = withPins(here, m)
	}
	var done int64
	total := here.Size()
	checked := make([]Checked, len(here.Files))
	for i, f := range here.Files {
		found, err := hashFile(ctx, filepath.Join(path, filepath.FromSlash(f.Path)), f.Path, func(n int64) {
			done += n
			if progress != nil {
				progress(done, total)
			}
		})
		checked[i] = Checked{File: f}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			checked[i].Problem = "missing"
		case err != nil:
			return nil, err
		default:
			checked[i].Problem = differs(f, found)
		}
	}
	return checked, nil
}

// Find returns the folder of a model on this machine, for local:NAME. The model is one of the catalogue, or OWNER/NAME.
// It checks sizes and no hashes, which were checked when the model was added. If the model is not here, the error names
// the command that downloads it.
func Find(dir, name string) (string, error) {
	m, err := lookUp(name)
	if err != nil {
		return "", err
	}
	switch l, err := look(dir, m); {
	case err != nil:
		return "", err
	case l.State == Absent:
		return "", trilith.Errorf(trilith.NotFound, "model: %s is not in %s; get it with: trilith model pull %s",
			m.Name, dir, m.Name)
	case l.State == Partial:
		return "", trilith.Errorf(trilith.NotFound, "model: %s is only partly downloaded; continue with: trilith model pull %s",
			m.Name, m.Name)
	case l.State == Damaged:
		return "", trilith.Errorf(
			trilith.Conflict, "model: a file of %s is missing or has another size than when it was pulled; see: trilith model verify %s", m.Name, m.Name)
	default:
		return l.Path, nil
	}
}

// look returns the state of a model in dir.
func look(dir string, m Model) (Listed, error) {
	l := Listed{Model: m, State: Absent}
	path := filepath.Join(dir, folder(m.Name))
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		l.Path = path
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return l, onDisk(err)
	default:
		if info, err := os.Stat(path + partialSuffix); err == nil && info.IsDir() {
			l.State, l.Path = Partial, path+partialSuffix
			l.Bytes = taken(l.Path)
		}
		return l, nil
	}
	l.Bytes = taken(path)
	here, err := readLock(path)
	if errors.Is(err, fs.ErrNotExist) {
		l.State = Unverified
		for _, f := range []string{"config.json", Weights} {
			if _, err := os.Stat(filepath.Join(path, f)); err != nil {
				l.State = Damaged
			}
		}
		return l, nil
	}
	if err != nil {
		return l, err
	}
	here.Name = m.Name
	l.Model, l.State = here, Verified
	for _, f := range here.Files {
		if info, err := os.Stat(filepath.Join(path, filepath.FromSlash(f.Path))); err != nil || info.Size() != f.Size {
			l.State = Damaged
		}
	}
	return l, nil
}

// readLock reads the lock file of a folder. It may come from anywhere, so its form is checked strictly.
func readLock(path string) (Model, error) {
	name := filepath.Join(path, LockFile)
	info, err := os.Stat(name)
	if err != nil {
		return Model{}, err
	}
	if info.Size() > maxLock {
		return Model{}, trilith.Errorf(trilith.Invalid, "models: %s is too long for a lock file; remove the model and pull it again", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Model{}, onDisk(err)
	}
	m, err := parseLock(data)
	if err != nil {
		return Model{}, trilith.Errorf(trilith.Invalid, "models: %s: %w; remove the model and pull it again", name, err)
	}
	return m, nil
}

func parseLock(data []byte) (Model, error) {
	var m Model
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	if !slices.IsSortedFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		return m, errors.New("its files are not sorted by path")
	}
	if !repositoryForm.MatchString(m.Repository) || m.Revision != "" && !commitForm.MatchString(m.Revision) ||
		m.License != "" && !revisionForm.MatchString(m.License) {
		return m, errors.New("its repository, revision or licence is not valid")
	}
	for _, f := range m.Files {
		if !slices.Contains(wanted, f.Path) || f.Size < 0 || !sha256Form.MatchString(f.SHA256) {
			return m, errors.New("it names a file that is not part of a model, or has no hash")
		}
	}
	return m, m.needed()
}

// withPins replaces the pins of m by those of known.
func withPins(m, known Model) Model {
	m.Files = slices.Clone(m.Files)
	for _, f := range known.Files {
		i, ok := m.find(f.Path)
		if !ok {
			m.Files = slices.Insert(m.Files, i, f)
			continue
		}
		m.Files[i].SHA256, m.Files[i].Pin = f.SHA256, f.Pin
	}
	return m
}

// Remove deletes a model, complete or partial, and returns how many bytes that freed. It does not wait: during a pull
// into dir it is Conflict.
func Remove(dir, name string) (freed int64, err error) {
	m, err := lookUp(name)
	if err != nil {
		return 0, err
	}
	path := filepath.Join(dir, folder(m.Name))
	found := false
	for _, p := range []string{path, path + partialSuffix} {
		info, err := os.Lstat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, onDisk(err)
		}
		if !info.IsDir() {
			return 0, trilith.Errorf(trilith.Invalid, "models: %s is a link, not a folder; remove it by hand", p)
		}
		found = true
		freed += taken(p)
	}
	if !found {
		return 0, trilith.Errorf(trilith.NotFound, "model: %s is not in %s; see: trilith model list", m.Name, dir)
	}
	release, err := hold(dir)
	if err != nil {
		return 0, err
	}
	defer release()
	// A half removed folder must not look like a model, so it gets a partial name first.
	if err := os.RemoveAll(path + partialSuffix); err != nil {
		return 0, onDisk(err)
	}
	if err := os.Rename(path, path+partialSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, onDisk(err)
	}
	return freed, onDisk(os.RemoveAll(path + partialSuffix))
}

// folder returns the name of a model's folder: its own name, with -- for a slash.
func folder(name string) string { return strings.ReplaceAll(name, "/", "--") }

// taken returns the bytes of the files below a folder. It skips entries that cannot be read.
func taken(path string) (n int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// hold locks dir against other pulls and removals until release.
func hold(dir string) (release func(), err error) {
	f, err := disk.Lock(filepath.Join(dir, ".lock"))
	if errors.Is(err, disk.ErrLocked) {
		return nil, trilith.Errorf(trilith.Conflict, "models: another trilith process is working in %s; wait until it is done", dir)
	}
	if err != nil {
		return nil, onDisk(err)
	}
	return func() { _ = f.Close() }, nil
}
