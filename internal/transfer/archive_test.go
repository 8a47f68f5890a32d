package transfer_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// zipped packs a folder into an archive beside it.
func zipped(t testing.TB, dir string) string {
	t.Helper()
	path := dir + ".zip"
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	err = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate, Modified: changed})
		if err != nil {
			return err
		}
		body, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// An archive is the folder that it unpacks to.
func TestArchiveIsItsFolder(t *testing.T) {
	t.Parallel()
	root := samples(t)
	if err := os.Remove(filepath.Join(root, "chunks.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "__MACOSX"), 0o755); err != nil {
		t.Fatal(err)
	}
	archive := zipped(t, root)
	packed, unpacked := memory(t), memory(t)
	fromFolder, err := imported(t.Context(), t, unpacked, root, 0)
	if err != nil || fromFolder.Stored == 0 {
		t.Fatalf("import of the folder = %+v, %v", fromFolder, err)
	}
	fromArchive, err := imported(t.Context(), t, packed, archive, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exported(t, unpacked), exported(t, packed)); diff != "" {
		t.Errorf("the export after importing the archive differs (-folder +archive):\n%s", diff)
	}
	if fromFolder.BadLineCount != fromArchive.BadLineCount || fromArchive.BadLineCount == 0 ||
		!strings.HasPrefix(fromArchive.BadLines[0].Path, archive+"/") {
		t.Errorf("bad lines of the archive are %v, want %d as of the folder, named by where they lie",
			fromArchive.BadLines, fromFolder.BadLineCount)
	}

	r, err := transfer.Open(archive, transfer.Claude)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range r.Items() {
		if err == nil && !strings.HasSuffix(item.Path, "claude.json") {
			t.Errorf("of the format claude, %s is read", item.Path)
		}
	}
	if r.Position() != r.Size() || r.Size() == 0 {
		t.Errorf("%d of %d bytes are read at the end", r.Position(), r.Size())
	}
}

// An unreadable archive is refused with the reason, and one that was made to swell is not unpacked.
func TestArchivesAreChecked(t *testing.T) {
	t.Parallel()
	pack := func(change func(*zip.FileHeader), body io.Reader) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "conversations.txt", Method: zip.Deflate}
		change(h)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, body); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain := func(*zip.FileHeader) {}
	good := pack(plain, strings.NewReader("The mill stands still."))
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"cut off": {good[:len(good)-20], "cannot be read"},
		"empty": {pack(func(h *zip.FileHeader) { h.Name = "picture.png" }, strings.NewReader("x")),
			"holds no file that could be read"},
		"hidden": {pack(func(h *zip.FileHeader) { h.Name = "__MACOSX/notes.txt" }, strings.NewReader("x")),
			"holds no file that could be read"},
		"encrypted": {pack(func(h *zip.FileHeader) { h.Flags |= 1 }, strings.NewReader("x")), "is encrypted"},
		"swelling":  {pack(plain, io.LimitReader(zeros{}, 80<<20)), "unpacks to more than 100 times its size"},
	} {
		path := filepath.Join(t.TempDir(), "export.zip")
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.Open(path, ""); trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: Open = %v, want Invalid with %q", name, err, c.says)
		}
	}
}

// An entry that holds more than it says, or something else, ends the import with its name.
func TestArchiveThatLies(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("The mill stands still. ", 100_000)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1 << 15, len(text)} {
		path := filepath.Join(t.TempDir(), "export.zip")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		raw, err := z.CreateRaw(
			&zip.FileHeader{Name: "mill.txt", Method: zip.Deflate, CRC32: 1, CompressedSize64: uint64(packed.Len()),
				UncompressedSize64: uint64(size)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.Write(packed.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		report, err := imported(t.Context(), t, memory(t), path, 0)
		if trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), "mill.txt") || report.Stored != 0 {
			t.Errorf("import of an entry that says %d bytes = %+v, %v, want Invalid with its name", size, report, err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
