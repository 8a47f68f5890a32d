package hub

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The catalogue is data that people edit. Entries that are not known for sure are left out; the others are well formed.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	decoder := json.NewDecoder(bytes.NewReader(catalogueJSON))
	decoder.DisallowUnknownFields()
	var ms []Model
	if err := decoder.Decode(&ms); err != nil {
		t.Fatalf("catalogue.json: %v", err)
	}
	var got []string
	for _, m := range ms {
		got = append(got, m.Name)
		if !repositoryForm.MatchString(m.Repository) || !commitForm.MatchString(m.Revision) || m.License == "" ||
			m.Dims == 0 || m.Source != "" {
			t.Errorf("%s: repository %q, revision %q, licence %q, %d dimensions, source %q", m.Name, m.Repository,
				m.Revision, m.License, m.Dims, m.Source)
		}
		if !slices.IsSortedFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
			t.Errorf("%s: the files are not in byte order", m.Name)
		}
		for _, f := range m.Files {
			if !slices.Contains(wanted, f.Path) || !sha256Form.MatchString(f.SHA256) || f.Size < 0 || f.Pin != "" ||
				f.Blob != "" {
				t.Errorf("%s: %+v is no pin of a wanted file", m.Name, f)
			}
		}
		if strings.Contains(m.Name, "/") || strings.HasSuffix(m.Name, partialSuffix) {
			t.Errorf("%s cannot be the name of a folder", m.Name)
		}
	}
	if want := []string{"all-MiniLM-L6-v2", "e5-small-v2", "arctic-embed-s", "bge-small"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if !slices.IsSorted(wanted) {
		t.Error("wanted is not in byte order")
	}
}

func TestCatalogueCannotBeChanged(t *testing.T) {
	t.Parallel()
	Catalogue()[0].Files[0].SHA256 = "changed"
	if got := Catalogue()[0].Files[0].SHA256; got == "changed" {
		t.Error("a caller's change shows in the next catalogue")
	}
}

// Hashes hold for the revision that they are of.
func TestOrderOfAnotherRevision(t *testing.T) {
	t.Parallel()
	m, err := Order("bge-small", "main", "")
	if err != nil || len(m.Files) != 0 || m.Complete() {
		t.Errorf("Order of a branch: %d files, %v, want none of the catalogue's", len(m.Files), err)
	}
	m, err = Order("BAAI/bge-small-en-v1.5", "", "")
	if err != nil || m.Name != "bge-small" || !m.Complete() || !m.Pinned() {
		t.Errorf("Order by the repository: %q, complete %t, %v, want the catalogue's", m.Name, m.Complete(), err)
	}
}

func FuzzListing(f *testing.F) {
	f.Add([]byte(`[{"type":"file","path":"config.json","oid":"0123456789abcdef0123456789abcdef01234567","size":7}]`))
	f.Add([]byte(`[{"type":"file","path":"model.safetensors","oid":"x","size":134,"lfs":{"oid":"` +
		strings.Repeat("0a", 32) + `","size":9}}]`))
	f.Add([]byte(`[{"type":"file","path":"../config.json","oid":"0123456789abcdef0123456789abcdef01234567"}]`))
	f.Add([]byte(`[{"type":"directory","path":"C:\\x"},{"path":""}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := decodeListing(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, file := range files {
			joined := filepath.Join("models", "toy", filepath.FromSlash(file.Path))
			if !strings.HasPrefix(joined, filepath.Join("models", "toy")+string(filepath.Separator)) || file.Size < 0 ||
				file.SHA256 == "" && file.Blob == "" {
				t.Errorf("a listing with %+v is believed", file)
			}
		}
		if chosen, err := merge(Model{}, files); err == nil {
			for _, file := range chosen {
				if !slices.Contains(wanted, file.Path) {
					t.Errorf("%q is chosen", file.Path)
				}
			}
		}
	})
}

func FuzzLock(f *testing.F) {
	f.Add([]byte(`{"repository":"toy/encoder","files":[{"path":"config.json","sha256":"` +
		strings.Repeat("0a", 32) + `"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseLock(data)
		if err == nil && m.needed() != nil {
			t.Errorf("a lock file that makes no model is believed: %s", data)
		}
	})
}
