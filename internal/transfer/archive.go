package transfer

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// These are limits of unpacked archives. Chat histories shrink to a tenth; a file that shrinks far more was made to
// fill a disk.
const (
	zipMagic     = "PK\x03\x04"
	maxInflation = 100             // times its own size …
	minInflated  = int64(64 << 20) // … where it is more than this
)

// isArchive reports whether a file is a ZIP archive.
func isArchive(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, openError(path, err)
	}
	defer f.Close()
	head := make([]byte, len(zipMagic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, openError(path, err)
	}
	return string(head[:n]) == zipMagic, nil
}

// addArchive adds the files of a ZIP archive as if it had been unpacked into a folder. Tables of chunks are left out:
// SQLite cannot read them there.
func (r *Reader) addArchive(path, format string, info fs.FileInfo) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return openError(path, err)
	}
	defer z.Close()
	for i, e := range z.File {
		if !e.Mode().IsRegular() || slices.ContainsFunc(strings.Split(e.Name, "/"), func(name string) bool {
			return strings.HasPrefix(name, ".") || name == "__MACOSX"
		}) {
			continue
		}
		if e.Flags&1 != 0 {
			return trilith.Errorf(trilith.Invalid, "%s: is encrypted; unpack it first", path)
		}
		found, err := detectEntry(e)
		if err != nil {
			return openError(path+"/"+e.Name, err)
		}
		if found == "" || found == MemoryChunks || format != "" && found != format {
			continue
		}
		changed := e.Modified
		if changed.IsZero() {
			changed = info.ModTime()
		}
		r.size += int64(e.UncompressedSize64)
		if size := int64(e.UncompressedSize64); size < 0 || r.size < 0 ||
			r.size > max(minInflated, maxInflation*info.Size()) {
			return trilith.Errorf(trilith.Invalid,
				"%s: unpacks to more than %d times its size; if you trust it, unpack it and import the folder",
				path, maxInflation)
		}
		r.files = append(r.files, file{path: path + "/" + e.Name, name: strings.ToValidUTF8(e.Name, "_"), entry: i,
			decode: decoderNamed(found),
			end:    int64(e.UncompressedSize64), changed: stampAt(changed)})
	}
	r.archive, r.entries = path, len(z.File)
	return nil
}

// detectEntry returns "" for an entry without a known format.
func detectEntry(e *zip.File) (string, error) {
	body, err := e.Open()
	if err != nil {
		return "", err
	}
	defer body.Close()
	head, err := io.ReadAll(io.LimitReader(body, HeadBytes))
	if err != nil {
		return "", err
	}
	format, _ := Detect(e.Name, head)
	return format, nil
}

// opener returns a function that opens the files of the reader, and one to call at the end.
func (r *Reader) opener() (open func(file) (io.ReadCloser, error), done func() error, err error) {
	if r.archive == "" {
		return func(f file) (io.ReadCloser, error) { return os.Open(f.path) }, func() error { return nil }, nil
	}
	z, err := zip.OpenReader(r.archive)
	if err == nil && len(z.File) != r.entries {
		err = errors.Join(errors.New("it was changed while it was read"), z.Close())
	}
	if err != nil {
		return nil, nil, openError(r.archive, err)
	}
	return func(f file) (io.ReadCloser, error) { return z.File[f.entry].Open() }, z.Close, nil
}
