package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/test/hubtest"
)

// bring puts the files of a hub into a folder, as a person who copies them would, or as the cache of another program
// has them: each a link to the file.
func bring(t *testing.T, h *hubtest.Hub, linked bool) string {
	t.Helper()
	dir, behind := t.TempDir(), t.TempDir()
	for path, data := range h.Files {
		name := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		at := name
		if linked {
			at = filepath.Join(behind, hubtest.SHA256(data))
			if err := os.Symlink(at, name); err != nil {
				t.Skipf("this system makes no links: %v", err)
			}
		}
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func order(t *testing.T, revision, sha256 string) hub.Model {
	t.Helper()
	m, err := hub.Order(hubtest.Repository, revision, sha256)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCarry(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{false, true} {
		h, _, p := setup(t, hub.Options{})
		m, path, err := p.Carry(t.Context(), bring(t, h, linked), order(t, "", ""))
		if err != nil {
			t.Fatalf("Carry: %v", err)
		}
		if len(m.Files) != 6 || m.Files[0].Pin != hub.PinCopy || m.Pinned() {
			t.Errorf("%d files, the first pinned by %q, weights pinned %t, want 6 that nobody says anything about",
				len(m.Files), m.Files[0].Pin, m.Pinned())
		}
		if found, err := hub.Find(p.Dir, hubtest.Repository); err != nil || found != path {
			t.Errorf("Find = %q, %v, want %q", found, err, path)
		}
		if n := len(h.Requests()); n > 0 {
			t.Errorf("the hub was asked %d times", n)
		}
	}
}

// A folder of models that was carried over has its lock file with it.
func TestCarryWithLockFile(t *testing.T) {
	t.Parallel()
	_, c, first := setup(t, hub.Options{})
	_, from := mustPull(t, c, first)
	second := &hub.Puller{Dir: filepath.Join(t.TempDir(), "models")}
	m, _, err := second.Carry(t.Context(), from, order(t, "", ""))
	if err != nil || m.Revision != hubtest.Revision || m.License != "apache-2.0" || m.Files[0].Pin != hub.PinLock {
		t.Errorf("Carry: %v, revision %s, licence %s, pinned by %s, want those of the lock file", err, m.Revision,
			m.License, m.Files[0].Pin)
	}
	fresh := func() *hub.Puller { return &hub.Puller{Dir: filepath.Join(t.TempDir(), "models")} }
	_, _, err = fresh().Carry(t.Context(), from, order(t, strings.Repeat("f", 40), ""))
	refused(t, err, trilith.Conflict, "holds revision "+hubtest.Revision)
	other, err := hub.Order("toy/other", "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = fresh().Carry(t.Context(), from, other)
	refused(t, err, trilith.Conflict, "holds toy/encoder, not toy/other")
	if err := os.WriteFile(filepath.Join(from, "vocab.txt"), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := fresh()
	_, _, err = p.Carry(t.Context(), from, order(t, "", ""))
	refused(t, err, trilith.Invalid, "required by the lock file beside it")
	nothingLoads(t, p)
}

func TestCarryWhatIsNotIt(t *testing.T) {
	t.Parallel()
	h, _, p := setup(t, hub.Options{})
	from := bring(t, h, false)
	_, _, err := p.Carry(t.Context(), from, order(t, "", strings.Repeat("0", 64)))
	refused(t, err, trilith.Invalid, "required by --sha256")
	nothingLoads(t, p)
	known, err := hub.Order("all-MiniLM-L6-v2", "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Carry(t.Context(), from, known)
	refused(t, err, trilith.NotFound, "config_sentence_transformers.json")
	if err := os.Remove(filepath.Join(from, hub.Weights)); err != nil {
		t.Fatal(err)
	}
	_, _, err = p.Carry(t.Context(), from, order(t, "", ""))
	refused(t, err, trilith.Unsupported, "pickled")
	_, _, err = p.Carry(t.Context(), filepath.Join(from, "nowhere"), order(t, "", ""))
	refused(t, err, trilith.Unsupported, "config.json")
}

func TestVerify(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	_, path := mustPull(t, c, p)
	problems := func() map[string]string {
		t.Helper()
		checked, err := hub.Verify(t.Context(), p.Dir, hubtest.Repository, nil)
		if err != nil || len(checked) != 6 {
			t.Fatalf("Verify: %d files, %v, want 6", len(checked), err)
		}
		found := map[string]string{}
		for _, f := range checked {
			if f.Problem != "" {
				found[f.Path] = f.Problem
			}
		}
		return found
	}
	if found := problems(); len(found) > 0 {
		t.Errorf("a model that was just pulled: %v", found)
	}
	weights := append([]byte{h.Files[hub.Weights][0] + 1}, h.Files[hub.Weights][1:]...)
	if err := os.WriteFile(filepath.Join(path, hub.Weights), weights, 0o600); err != nil {
		t.Fatal(err)
	}
	if found := problems(); len(found) != 1 || !strings.Contains(found[hub.Weights], "SHA-256") {
		t.Errorf("one changed bit: %v, want the hash of the weights", found)
	}
	if _, err := hub.Find(p.Dir, hubtest.Repository); err != nil {
		t.Errorf("Find hashes: %v; it is to look at sizes only", err)
	}
	if err := os.Remove(filepath.Join(path, "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	if found := problems(); found["vocab.txt"] != "missing" {
		t.Errorf("a removed file: %v, want that it is missing", found)
	}
	_, err := hub.Find(p.Dir, hubtest.Repository)
	refused(t, err, trilith.Conflict, "trilith model verify toy/encoder")
	_, _, _, err = p.Here(t.Context(), order(t, "", ""))
	refused(t, err, trilith.Conflict, "trilith model remove toy/encoder")
	_, err = hub.Verify(t.Context(), p.Dir, "bge-small", nil)
	refused(t, err, trilith.NotFound, "trilith model pull bge-small")
}

// The catalogue counts more than a lock file, which may have been changed together with the weights.
func TestVerifyAgainstTheCatalogue(t *testing.T) {
	t.Parallel()
	h, _, _ := setup(t, hub.Options{})
	dir := t.TempDir()
	known := hub.Catalogue()[0]
	from := bring(t, h, false)
	path := filepath.Join(dir, known.Name)
	if err := os.Rename(from, path); err != nil {
		t.Fatal(err)
	}
	checked, err := hub.Verify(t.Context(), dir, known.Name, nil)
	if err != nil || len(checked) != 10 {
		t.Fatalf("Verify of a folder without lock file: %d files, %v, want the 10 of the catalogue", len(checked), err)
	}
	for _, f := range checked {
		if f.Problem == "" {
			t.Errorf("%s of a toy passes for that of %s", f.Path, known.Name)
		}
	}
	forged := known
	forged.Files = nil
	for _, name := range []string{"config.json", hub.Weights, "vocab.txt"} {
		forged.Files = append(forged.Files,
			hub.File{Path: name, Size: int64(len(h.Files[name])), SHA256: hubtest.SHA256(h.Files[name])})
	}
	data, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, hub.LockFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	checked, err = hub.Verify(t.Context(), dir, known.Name, nil)
	if err != nil || len(checked) != 10 || checked[3].Problem == "" || checked[3].Pin != hub.PinCatalogue {
		t.Errorf("Verify with a forged lock file: %+v, %v, want what the catalogue says", checked, err)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	_, c, p := setup(t, hub.Options{})
	states := func() map[string]hub.State {
		t.Helper()
		l, err := hub.List(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]hub.State{}
		for _, m := range l {
			found[m.Name] = m.State
		}
		return found
	}
	if got := states(); len(got) != 4 || got["bge-small"] != hub.Absent {
		t.Errorf("List of a folder that is not there: %v, want the four of the catalogue, absent", got)
	}
	_, path := mustPull(t, c, p)
	if got := states(); len(got) != 5 || got[hubtest.Repository] != hub.Verified {
		t.Errorf("List = %v, want the toy, verified", got)
	}
	if err := os.Remove(filepath.Join(path, hub.LockFile)); err != nil {
		t.Fatal(err)
	}
	if got := states(); got[hubtest.Repository] != hub.Unverified {
		t.Errorf("List = %v, want the toy, unverified", got)
	}
	if found, err := hub.Find(p.Dir, hubtest.Repository); err != nil || found != path {
		t.Errorf("Find = %q, %v, want what was put there by hand", found, err)
	}
	_, err := hub.Verify(t.Context(), p.Dir, hubtest.Repository, nil)
	refused(t, err, trilith.Unsupported, "added by hand")
	_, _, err = pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Conflict, "no lock file")
	if err := os.Truncate(filepath.Join(path, hub.Weights), 0); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"not JSON": "{", "no files": `{"repository":"toy/encoder"}`,
		"a path that leads out": `{"repository":"toy/encoder","files":[{"path":"../x","sha256":"` +
			strings.Repeat("0", 64) + `"}]}`,
		"a revision that plays tricks": `{"repository":"toy/encoder","revision":"\u001b[2J","files":[]}`} {
		if err := os.WriteFile(filepath.Join(path, hub.LockFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := hub.List(p.Dir); err == nil {
			t.Errorf("a lock file with %s is believed", name)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	h, c, p := setup(t, hub.Options{})
	_, err := hub.Remove(p.Dir, hubtest.Repository)
	refused(t, err, trilith.NotFound, "toy/encoder is not in")
	_, path := mustPull(t, c, p)
	freed, err := hub.Remove(p.Dir, hubtest.Repository)
	if err != nil || freed < weightBytes {
		t.Errorf("Remove = %d, %v, want the bytes of the model", freed, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s is there still", path)
	}
	h.Cut(100_000)
	_, _, err = pull(t.Context(), c, p, "", "")
	refused(t, err, trilith.Unavailable, "pull again")
	kept := partSize(t, p)
	if freed, err := hub.Remove(p.Dir, hubtest.Repository); err != nil || freed < kept {
		t.Errorf("Remove of a partial model = %d, %v, want the %d bytes that were kept", freed, err, kept)
	}
	for _, name := range []string{"..", "../x", "a/../b", "/etc/passwd", "toy--encoder", "a/b/c", ".lock", ""} {
		_, err := hub.Remove(p.Dir, name)
		refused(t, err, trilith.Invalid, "model")
	}
	outside := bring(t, h, false)
	if err := os.Symlink(outside, path); err != nil {
		t.Skipf("this system makes no links: %v", err)
	}
	_, err = hub.Remove(p.Dir, hubtest.Repository)
	refused(t, err, trilith.Invalid, "is a link, not a folder")
	if _, err := os.Stat(filepath.Join(outside, hub.Weights)); err != nil {
		t.Errorf("what the link leads to is gone: %v", err)
	}
}
