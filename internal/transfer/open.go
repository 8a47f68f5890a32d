package transfer

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
)

// Reader reads a file, or all files of a folder or a ZIP archive. Its methods are safe for concurrent use; ranging over
// its items twice at once is not.
type Reader struct {
	files   []file
	archive string // the ZIP archive with the file; "" if there is none
	entries int    // of the archive
	size    int64
	read    atomic.Int64
	with    []Extra
}

type file struct {
	path, name string
	entry      int // of the archive
	decode     decoder
	end        int64 // where it ends among the bytes of all files
	changed    stamp // when it was changed last
}

// Open finds the files to read at path: a file, or a folder with every file of a known format below it in byte order of
// the paths (without links and hidden names), or a ZIP archive, which is read like the folder that it would unpack to.
// An empty format is detected for each file; a given one is used for a file, and selects files in a folder. It is an
// error if there is nothing to read. with names content that is read although it is usually left out.
func Open(path, format string, with ...Extra) (*Reader, error) {
	if format != "" {
		if _, err := decoderOf(format); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, openError(path, err)
	}
	r := &Reader{with: with}
	archive := false
	if info.Mode().IsRegular() {
		if archive, err = isArchive(path); err != nil {
			return nil, err
		}
	}
	if archive {
		if err := r.addArchive(path, format, info); err != nil {
			return nil, err
		}
		return r, r.arrange(path)
	}
	if !info.IsDir() {
		if format == "" {
			if format, err = detectFile(path); err != nil {
				return nil, err
			}
		}
		if format == "" {
			return nil, trilith.Errorf(trilith.Invalid, "%s: the format is not recognised; name one of %s", path,
				strings.Join(Formats(), ", "))
		}
		r.add(path, filepath.Base(path), format, info)
		return r, nil
	}
	err = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return openError(p, err)
		}
		if p != path && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		found, err := detectFile(p)
		if err != nil || found == "" || format != "" && found != format {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return openError(p, err)
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return openError(p, err)
		}
		r.add(p, filepath.ToSlash(name), found, info)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, r.arrange(path)
}

// arrange puts the files into their order. None is an error.
func (r *Reader) arrange(path string) error {
	if len(r.files) == 0 {
		return trilith.Errorf(trilith.Invalid, "%s: holds no file that could be read; the formats are %s", path,
			strings.Join(Formats(), ", "))
	}
	slices.SortFunc(r.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	r.size = 0
	for i := range r.files {
		r.size += r.files[i].end
		r.files[i].end = r.size
	}
	return nil
}

// detectFile returns "" for a file without a known format.
func detectFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", openError(path, err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, HeadBytes))
	if err != nil {
		return "", openError(path, err)
	}
	format, _ := Detect(path, head)
	if format == MemoryChunks && !hasChunks(path) {
		return "", nil // some other SQLite file
	}
	return format, nil
}

func (r *Reader) add(path, name, format string, info fs.FileInfo) {
	r.files = append(r.files,
		file{path: path, name: name, decode: decoderNamed(format), end: info.Size(), changed: stampAt(info.ModTime())})
	r.size += info.Size()
}

// Size returns the number of bytes to read.
func (r *Reader) Size() int64 { return r.size }

// Position returns the number of bytes read so far.
func (r *Reader) Position() int64 { return r.read.Load() }

// Items reads all files in order, piece by piece if the format allows it. The error of a pair is a [*LineError], after
// which reading continues, or any other (a file that cannot be read), which is the last pair. A conversation becomes
// requests of at most [trilith.MaxItems] messages; those of one session are in the order of the file. An item without a
// time gets the time of the file's last change, so that reading it again gives the same.
func (r *Reader) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r.read.Store(0)
		open, done, err := r.opener()
		if err != nil {
			yield(Item{}, err)
			return
		}
		defer done()
		for _, f := range r.files {
			if !r.readFile(f, open, yield) {
				return
			}
			r.read.Store(f.end)
		}
	}
}

// counter counts the bytes read of a file, and adds the file's name to a read error.
type counter struct {
	io.Reader
	path string
	n    *atomic.Int64
}

func (r *Reader) readFile(f file, open func(file) (io.ReadCloser, error), yield func(Item, error) bool) (more bool) {
	body, err := open(f)
	if err != nil {
		yield(Item{}, openError(f.path, err))
		return false
	}
	defer body.Close()
	for item, err := range spared(f.decode,
		input{path: f.path, name: f.name, r: counter{body, f.path, &r.read}, with: r.with, passed: r.pass}) {
		if r := item.Request; r != nil && r.Timestamp == "" && !timed(r.Messages) {
			r.Timestamp = string(f.changed)
		}
		if item.Media != nil {
			item.Media.Timestamp = string(f.changed)
		}
		if !yield(item, err) || err != nil && !isLineError(err) {
			return false
		}
	}
	return true
}

// pass counts bytes that a decoder has read by other means.
func (r *Reader) pass(n int) { r.read.Add(int64(n)) }

// timed reports whether there are messages, all of them with times.
func timed(ms []trilith.Message) bool {
	return len(ms) > 0 && !slices.ContainsFunc(ms, func(m trilith.Message) bool { return m.Timestamp == "" })
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		err = openError(c.path, err)
	}
	return n, err
}

func openError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return trilith.Errorf(trilith.NotFound, "%s: there is no such file or folder", path)
	}
	return trilith.Errorf(trilith.Invalid, "%s: cannot be read: %w", path, err)
}
