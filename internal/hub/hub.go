// Package hub brings models for the local transformer onto this machine and keeps them: each a folder in the form of
// Hugging Face, every file of which has the hash that it should have.
//
// A pin, the SHA-256 of a file, says what the file should be. The catalogue has those that at least two independent
// public sources agree about. For every other file the hub's own answer is believed the first time and noted in the
// model's folder ([LockFile]), against which it is checked ever after.
//
// Nothing here asks the network but [Client], and that only where it is called.
package hub

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-memory/cairn"
)

// Model says what a model is made of and where it comes from: an entry of the catalogue, an order for a pull, or, with
// a hash for every file, the lock file of one that is here.
type Model struct {
	Name       string `json:"name"`               // what local: calls it: a name of the catalogue, or OWNER/NAME
	Repository string `json:"repository"`         // OWNER/NAME on the hub
	Revision   string `json:"revision,omitempty"` // the commit, 40 hexadecimal digits; in an order also a branch or tag
	License    string `json:"license,omitempty"`  // as the hub writes it, such as apache-2.0
	Dims       int    `json:"dims,omitempty"`     // of its vectors; 0 if not known
	Source     string `json:"source,omitempty"`   // the hub's address, or the folder that it was copied from
	Files      []File `json:"files"`              // in byte order of their paths
}

// File is one file of a model.
type File struct {
	Path   string `json:"path"`             // below the model's folder, with slashes
	Size   int64  `json:"size,omitempty"`   // in bytes; 0 if not known
	SHA256 string `json:"sha256,omitempty"` // 64 hexadecimal digits; empty if not known
	Blob   string `json:"blob,omitempty"`   // its SHA-1 as an object of git, which is what a hub knows of a small file
	Pin    Pin    `json:"pin,omitempty"`    // the origin of the pin
}

// Pin says whose word the hash of a file is.
type Pin string

// The pins, the surest first.
const (
	PinCatalogue Pin = "catalogue" // this program's, from two independent sources
	PinUser      Pin = "user"      // given on the command line
	PinLock      Pin = "lock"      // of a lock file that was carried here with the model
	PinHub       Pin = "hub"       // the hub's own answer at the first pull
	PinCopy      Pin = "copy"      // nobody's: what lay in the folder that was copied
)

// Weights is the file of a model's parameters. Pickled ones are never fetched: reading them runs what they hold.
const Weights = "model.safetensors"

// wanted are the files that make a model for us, in byte order. A repository may lack those that are not needed.
var wanted = []string{"1_Pooling/config.json", "config.json", "config_sentence_transformers.json", Weights,
	"modules.json",
	"sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt"}

//go:embed catalogue.json
var catalogueJSON []byte

var catalogue = sync.OnceValue(func() []Model {
	var ms []Model
	if err := json.Unmarshal(catalogueJSON, &ms); err != nil {
		panic("hub: catalogue.json: " + err.Error()) // the tests read it
	}
	for i := range ms {
		for j := range ms[i].Files {
			ms[i].Files[j].Pin = PinCatalogue
		}
	}
	return ms
})

// Catalogue returns the models that this program knows by name.
func Catalogue() []Model {
	ms := slices.Clone(catalogue())
	for i := range ms {
		ms[i].Files = slices.Clone(ms[i].Files)
	}
	return ms
}

var (
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
	revisionForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	commitForm     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Form     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// lookUp finds what a name means: a model of the catalogue by its name or its repository, or any other repository.
func lookUp(name string) (Model, error) {
	for _, m := range Catalogue() {
		if m.Name == name || m.Repository == name {
			return m, nil
		}
	}
	if !repositoryForm.MatchString(name) || strings.Contains(name, "--") || strings.Contains(name, "..") {
		return Model{}, cairn.Errorf(
			cairn.Invalid, "model: %q is not known; use %s, or OWNER/NAME of a repository", name,
			strings.Join(names(), ", "))
	}
	return Model{Name: name, Repository: name}, nil
}

func names() []string {
	var ns []string
	for _, m := range catalogue() {
		ns = append(ns, m.Name)
	}
	return ns
}

// Order says what is to be pulled, before anybody is asked: the model of that name, at the revision if one is given,
// with weights of that SHA-256 if one is given. Hashes of the catalogue hold for the catalogue's revision alone.
func Order(name, revision, sha256 string) (Model, error) {
	m, err := lookUp(name)
	if err != nil {
		return Model{}, err
	}
	if revision != "" && !revisionForm.MatchString(revision) {
		return Model{}, cairn.Errorf(cairn.Invalid, "revision: %q is not a commit, branch or tag of a hub", revision)
	}
	if revision != "" && revision != m.Revision {
		m.Revision, m.Files = revision, nil
	}
	if sha256 == "" {
		return m, nil
	}
	sha256 = strings.ToLower(sha256)
	if !sha256Form.MatchString(sha256) {
		return Model{}, cairn.Errorf(
			cairn.Invalid, "sha256: write the 64 hexadecimal digits of the hash of %s", Weights)
	}
	i, ok := m.find(Weights)
	switch {
	case !ok:
		m.Files = slices.Insert(m.Files, i, File{Path: Weights, SHA256: sha256, Pin: PinUser})
	case m.Files[i].SHA256 != sha256:
		return Model{}, cairn.Errorf(
			cairn.Conflict, "sha256: the catalogue says %s of %s at revision %s; name another --revision, or leave --sha256 out",
			m.Files[i].SHA256, Weights, m.Revision)
	}
	return m, nil
}

// find returns the place of the file in the list, or where it would have to go.
func (m *Model) find(path string) (int, bool) {
	return slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
}

// Complete reports whether every file that could be wanted is known with its size and hash, so that nobody has to be
// asked what there is.
func (m *Model) Complete() bool {
	return len(m.Files) == len(wanted) &&
		!slices.ContainsFunc(m.Files, func(f File) bool { return f.Size == 0 || f.SHA256 == "" })
}

// Size returns the bytes of all files, or 0 if that of the weights is not known.
func (m *Model) Size() (n int64) {
	if i, ok := m.find(Weights); !ok || m.Files[i].Size == 0 {
		return 0
	}
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Pinned reports whether somebody other than the hub says what the weights are.
func (m *Model) Pinned() bool {
	i, ok := m.find(Weights)
	return ok && m.Files[i].SHA256 != "" && m.Files[i].Pin != PinHub && m.Files[i].Pin != PinCopy
}

// needed refuses a list of files that makes no model.
func (m *Model) needed() error {
	_, config := m.find("config.json")
	_, weights := m.find(Weights)
	_, tokenizer := m.find("tokenizer.json")
	_, vocabulary := m.find("vocab.txt")
	switch {
	case !config:
		return cairn.Errorf(cairn.Unsupported,
			"model: %s has no config.json, so it is not a model in the format of Hugging Face", m.Name)
	case !weights:
		return cairn.Errorf(cairn.Unsupported, "model: %s has no %s; pickled weights are not read", m.Name, Weights)
	case !tokenizer && !vocabulary:
		return cairn.Errorf(cairn.Unsupported, "model: %s has neither tokenizer.json nor vocab.txt", m.Name)
	}
	return nil
}
