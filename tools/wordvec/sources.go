package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is one line of the lock file: text that is learned from, named so exactly that it can be had again.
type source struct {
	Name    string  `json:"name"`
	Repo    string  `json:"repo"` // of GitHub
	Commit  string  `json:"commit"`
	Licence string  `json:"licence"`
	Files   string  `json:"files"`  // a regular expression of their paths
	Reader  string  `json:"reader"` // name in readers of the one that knows their form
	Weight  float64 `json:"weight"` // of a word of it
	Words   int     `json:"words"`
	Docs    int     `json:"docs"`
	Pairs   int     `json:"pairs"`
	SHA256  string  `json:"sha256"` // of the text read from it, line by line
}

func readLock(path string) ([]source, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var sources []source
	return sources, json.Unmarshal(data, &sources)
}

func writeLock(path string, sources []source) error {
	data, err := json.MarshalIndent(sources, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// text is the text of all sources: documents, each a list of sentences or turns, and pairs of texts that belong
// together.
type text struct {
	docs  []document
	pairs map[string][]pair // by kind
}

type document struct {
	lines  []string
	weight float64
}

// reading is the text of one source while it is read.
type reading struct {
	source *source
	text   *text
	hash   hash.Hash
}

// doc adds a document.
func (r *reading) doc(lines ...string) {
	var kept []string
	for _, l := range lines {
		if l = tidy(l); l != "" {
			kept = append(kept, l)
			r.source.Words += strings.Count(l, " ") + 1
			fmt.Fprintf(r.hash, "%s\n", l)
		}
	}
	if len(kept) > 0 {
		r.source.Docs++
		r.text.docs = append(r.text.docs, document{kept, r.source.Weight})
		fmt.Fprintln(r.hash)
	}
}

type pair struct{ a, b string }

// neighbours adds the pairs of lines that are so many apart.
func (r *reading) neighbours(kind string, lines []string, apart int) {
	for i := range max(len(lines)-apart, 0) {
		r.pair(kind, lines[i], lines[i+apart])
	}
}

// pair adds a pair of texts of a kind.
func (r *reading) pair(kind, a, b string) {
	if a, b = tidy(a), tidy(b); a != "" && b != "" {
		r.source.Pairs++
		r.text.pairs[kind] = append(r.text.pairs[kind], pair{a, b})
		fmt.Fprintf(r.hash, "%s\t%s\t%s\n", kind, a, b)
	}
}

var spaces = regexp.MustCompile(`\s+`)

func tidy(s string) string { return strings.TrimSpace(spaces.ReplaceAllString(s, " ")) }

// read reads all sources. Unless update is set, the text must match the lock file.
func read(sources []source, mirror string, update bool) (*text, error) {
	t := &text{pairs: map[string][]pair{}}
	for i := range sources {
		locked := sources[i]
		s := &sources[i]
		s.Words, s.Docs, s.Pairs = 0, 0, 0
		r := &reading{source: s, text: t, hash: sha256.New()}
		reader, ok := readers[s.Reader]
		if !ok {
			return nil, fmt.Errorf("%s: there is no reader %q", s.Name, s.Reader)
		}
		reader(r, s.files(mirror))
		s.SHA256 = hex.EncodeToString(r.hash.Sum(nil))
		if !update && *s != locked {
			return nil, fmt.Errorf("%s: read %d words with the hash %s, want %d with %s", s.Name, s.Words, s.SHA256,
				locked.Words, locked.SHA256)
		}
		fmt.Printf("%-45s %9d words %7d documents %7d pairs\n", s.Name, s.Words, s.Docs, s.Pairs)
	}
	return t, nil
}

// files returns the files of a source that its expression matches, in the order of their paths. Such as the clone lacks
// are left out; the hash of the lock file tells.
func (s source) files(mirror string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		list, err := git(mirror, s.Repo, "ls-tree", "-r", "-l", "-z", s.Commit).Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s is not in the clone of %s: %v\n", s.Name, s.Commit, s.Repo, err)
			return
		}
		wanted := regexp.MustCompile(s.Files)
		var paths []string
		var objects strings.Builder
		for entry := range strings.SplitSeq(string(list), "\x00") {
			about, path, ok := strings.Cut(entry, "\t")
			fields := strings.Fields(about) // mode, type, object, size
			if !ok || fields[1] != "blob" || fields[3] == "BAD" || !wanted.MatchString(path) {
				continue
			}
			paths = append(paths, path)
			objects.WriteString(fields[2] + "\n")
		}
		cat := git(mirror, s.Repo, "cat-file", "--batch")
		cat.Stdin = strings.NewReader(objects.String())
		out, err := cat.Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
			return
		}
		r := bufio.NewReader(strings.NewReader(string(out)))
		for _, path := range paths {
			head, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if strings.HasSuffix(head, " missing\n") {
				continue
			}
			size, err := strconv.Atoi(strings.Fields(head)[2])
			if err != nil {
				return
			}
			data := make([]byte, size+1) // and a line's end
			if _, err := io.ReadFull(r, data); err != nil || !yield(path, data[:size]) {
				return
			}
		}
	}
}

// git returns the command that asks git about the repository of a source. The mirror holds a clone of it, bare or
// not, as owner+name or as owner+name/repo.
func git(mirror, repo string, args ...string) *exec.Cmd {
	dir := filepath.Join(mirror, strings.ReplaceAll(repo, "/", "+"))
	for _, below := range []string{"repo/.git", "repo", ".git"} {
		if _, err := os.Stat(filepath.Join(dir, below, "HEAD")); err == nil {
			dir = filepath.Join(dir, below)
			break
		}
	}
	return exec.Command("git", append([]string{"--git-dir=" + dir}, args...)...)
}

// kinds returns the kinds of pairs in a fixed order.
func (t *text) kinds() []string {
	var all []string
	for k := range t.pairs {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
