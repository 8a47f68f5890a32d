// Package hub downloads models for the local transformer and manages them: each is a folder in the layout of Hugging
// Face, and every file in it has the expected hash.
//
// A pin is the expected SHA-256 of a file. The catalogue has the pins that at least two independent public sources
// agree on. For every other file the hub's answer at the first pull is trusted and recorded in the model's folder
// ([LockFile]); all later checks compare with it.
//
// Only [Client] uses the network, and only when one of its methods is called.
package hub

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
)

// Model lists the files of a model and their origin: an entry of the catalogue, an order for a pull, or, with a hash
// for every file, the lock file of a model on this machine.
type Model struct {
	Name       string `json:"name"`               // as in local:NAME: of the catalogue, or OWNER/NAME
	Repository string `json:"repository"`         // OWNER/NAME on the hub
	Revision   string `json:"revision,omitempty"` // the commit, 40 hexadecimal digits; in an order also a branch or tag
	License    string `json:"license,omitempty"`  // in the hub's spelling, such as apache-2.0
	Dims       int    `json:"dims,omitempty"`     // dimensions of its vectors; 0 if not known
	Source     string `json:"source,omitempty"`   // the hub's address, or the folder that it was copied from
	Files      []File `json:"files"`              // in byte order of their paths
}

// File is one file of a model.
type File struct {
	Path   string `json:"path"`             // relative to the model's folder, with slashes
	Size   int64  `json:"size,omitempty"`   // in bytes; 0 if not known
	SHA256 string `json:"sha256,omitempty"` // 64 hexadecimal digits; empty if not known
	Blob   string `json:"blob,omitempty"`   // its SHA-1 as a git object, which hubs report for small files
	Pin    Pin    `json:"pin,omitempty"`    // the origin of the pin
}

// Pin names the origin of a file's expected hash.
type Pin string

// The origins, the most trusted first.
const (
	PinCatalogue Pin = "catalogue" // this program's, from two independent sources
	PinUser      Pin = "user"      // from the command line
	PinLock      Pin = "lock"      // from a lock file that was copied with the model
	PinHub       Pin = "hub"       // the hub's answer at the first pull
	PinCopy      Pin = "copy"      // none: the file of a copied folder was taken as it is
)

// Weights is the file with a model's parameters. Pickled weights are never downloaded: loading them executes code in
// them.
const Weights = "model.safetensors"

// wanted lists the files that a model is made of, in byte order. Some are optional.
var wanted = []string{"1_Pooling/config.json", "config.json", "config_sentence_transformers.json", Weights,
	"modules.json",
	"sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt"}

//go:embed catalogue.json
var catalogueJSON []byte

var catalogue = sync.OnceValue(func() []Model {
	var ms []Model
	if err := json.Unmarshal(catalogueJSON, &ms); err != nil {
		panic("hub: catalogue.json: " + err.Error()) // a test reads it
	}
	for i := range ms {
		for j := range ms[i].Files {
			ms[i].Files[j].Pin = PinCatalogue
		}
	}
	return ms
})

var (
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
	revisionForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	commitForm     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Form     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Order describes a pull before any request is sent: the model of a name, at a revision if one is given, with the
// SHA-256 of its weights if one is given. The hashes of the catalogue apply to the catalogue's revision only.
func Order(name, revision, sha256 string) (Model, error) {
	m, err := lookUp(name)
	if err != nil {
		return Model{}, err
	}
	if revision != "" && !revisionForm.MatchString(revision) {
		return Model{}, trilith.Errorf(trilith.Invalid, "revision: %q is not a commit, branch or tag of a hub", revision)
	}
	if revision != "" && revision != m.Revision {
		m.Revision, m.Files = revision, nil
	}
	if sha256 == "" {
		return m, nil
	}
	sha256 = strings.ToLower(sha256)
	if !sha256Form.MatchString(sha256) {
		return Model{}, trilith.Errorf(
			trilith.Invalid, "sha256: write the 64 hexadecimal digits of the hash of %s", Weights)
	}
	i, ok := m.find(Weights)
	switch {
	case !ok:
		m.Files = slices.Insert(m.Files, i, File{Path: Weights, SHA256: sha256, Pin: PinUser})
	case m.Files[i].SHA256 != sha256:
		return Model{}, trilith.Errorf(
			trilith.Conflict, "sha256: the catalogue says %s for %s at revision %s; name another --revision, or omit --sha256",
			m.Files[i].SHA256, Weights, m.Revision)
	}
	return m, nil
}

// lookUp resolves a name: a model of the catalogue by its name or repository, or any other repository.
func lookUp(name string) (Model, error) {
	for _, m := range Catalogue() {
		if m.Name == name || m.Repository == name {
			return m, nil
		}
	}
	if !repositoryForm.MatchString(name) || strings.Contains(name, "--") || strings.Contains(name, "..") {
		return Model{}, trilith.Errorf(
			trilith.Invalid, "model: %q is not known; use %s, or OWNER/NAME of a repository", name,
			strings.Join(names(), ", "))
	}
	return Model{Name: name, Repository: name}, nil
}

// Catalogue returns the models that this program knows by name.
func Catalogue() []Model {
	ms := slices.Clone(catalogue())
	for i := range ms {
		ms[i].Files = slices.Clone(ms[i].Files)
	}
	return ms
}

func names() []string {
	var ns []string
	for _, m := range catalogue() {
		ns = append(ns, m.Name)
	}
	return ns
}

// Complete reports whether the size and hash of every wanted file are known, so that no request is necessary.
func (m *Model) Complete() bool {
	return len(m.Files) == len(wanted) &&
		!slices.ContainsFunc(m.Files, func(f File) bool { return f.Size == 0 || f.SHA256 == "" })
}

// Size returns the bytes of all files, or 0 if the size of the weights is not known.
func (m *Model) Size() (n int64) {
	if i, ok := m.find(Weights); !ok || m.Files[i].Size == 0 {
		return 0
	}
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Pinned reports whether the hash of the weights comes from a source other than the hub.
func (m *Model) Pinned() bool {
	i, ok := m.find(Weights)
	return ok && m.Files[i].SHA256 != "" && m.Files[i].Pin != PinHub && m.Files[i].Pin != PinCopy
}

// needed returns an error for a list of files that is not a model.
func (m *Model) needed() error {
	_, config := m.find("config.json")
	_, weights := m.find(Weights)
	_, tokenizer := m.find("tokenizer.json")
	_, vocabulary := m.find("vocab.txt")
	switch {
	case !config:
		return trilith.Errorf(trilith.Unsupported,
			"model: %s has no config.json, so it is not a model in the format of Hugging Face", m.Name)
	case !weights:
		return trilith.Errorf(trilith.Unsupported, "model: %s has no %s; pickled weights are not read, so name another model", m.Name, Weights)
	case !tokenizer && !vocabulary:
		return trilith.Errorf(trilith.Unsupported, "model: %s has neither tokenizer.json nor vocab.txt; name another model", m.Name)
	}
	return nil
}

// find returns the position of a file in the list, or where it would be inserted.
func (m *Model) find(path string) (int, bool) {
	return slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
}
