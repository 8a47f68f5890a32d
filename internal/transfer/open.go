package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cairn-memory/cairn"
)

// HeadBytes is how much of a file [Detect] wants to see: the keys that tell the formats apart come before any long text.
const HeadBytes = 4 << 10

// loCoMoKeys are the members of a LoCoMo sample; files differ in which comes first.
var loCoMoKeys = []string{"sample_id", "conversation", "qa", "observation", "event_summary", "session_summary"}

// Detect names the format of a file from its path and its first bytes. The ending decides about documents, the content
// about everything that is JSON.
func Detect(path string, head []byte) (format string, ok bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".txt", ".text":
		return Text, true
	case ".md", ".markdown":
		return Markdown, true
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, bom)))
	switch start, _ := d.Token(); start {
	case json.Delim('{'):
		keys := topKeys(d)
		if slices.Contains(keys, "cairn_export") {
			return Cairn, true
		}
		// Questions and summaries lie in files of the same folder; only a turn has all three.
		if slices.Contains(keys, "id") && slices.Contains(keys, "group") && slices.Contains(keys, "session") {
			return EvalSet, true
		}
	case json.Delim('['):
		if open, _ := d.Token(); open != json.Delim('{') {
			return "", false
		}
		if key, _ := d.Token(); slices.ContainsFunc(loCoMoKeys, func(k string) bool { return key == json.Token(k) }) {
			return LoCoMo, true
		}
	}
	return "", false
}

// topKeys returns the names of the members of the object that d has just entered, as far as its bytes go.
func topKeys(d *json.Decoder) []string {
	var keys []string
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			break
		}
		keys = append(keys, name)
		if err := d.Decode(new(json.RawMessage)); err != nil {
			break
		}
	}
	return keys
}

// Reader reads a file, or all files of a folder. Its methods are safe for concurrent use; ranging over its items twice
// at once is not.
type Reader struct {
	files []file
	size  int64
	read  atomic.Int64
}

type file struct {
	path, name string
	decode     decoder
}

// Open finds what is to be read at path: a file, or a folder with every file of a known format below it in byte order of
// the paths (links and hidden names are left out). An empty format is detected per file; a given one is believed for a
// file and selects inside a folder. Nothing to read is an error.
func Open(path, format string) (*Reader, error) {
	if format != "" {
		if _, err := decoderOf(format); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, openError(path, err)
	}
	r := new(Reader)
	if !info.IsDir() {
		if format == "" {
			if format, err = detectFile(path); err != nil {
				return nil, err
			}
		}
		if format == "" {
			return nil, cairn.Errorf(cairn.Invalid, "%s: the format is not recognised; name one of %s", path, strings.Join(Formats(), ", "))
		}
		r.add(path, filepath.Base(path), format, info.Size())
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
		r.add(p, filepath.ToSlash(name), found, info.Size())
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(r.files) == 0 {
		return nil, cairn.Errorf(cairn.Invalid, "%s: holds no file that could be read; the formats are %s", path, strings.Join(Formats(), ", "))
	}
	slices.SortFunc(r.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return r, nil
}

func (r *Reader) add(path, name, format string, size int64) {
	r.files = append(r.files, file{path: path, name: name, decode: decoders[format]})
	r.size += size
}

// detectFile returns an empty format for a file of none.
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
	return format, nil
}

func openError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return cairn.Errorf(cairn.NotFound, "%s: there is no such file or folder", path)
	}
	return cairn.Errorf(cairn.Invalid, "%s: cannot be read: %w", path, err)
}

// Size is how many bytes there are to read.
func (r *Reader) Size() int64 { return r.size }

// Position is how many bytes have been read so far.
func (r *Reader) Position() int64 { return r.read.Load() }

// Items reads all files in order, the formats that allow it line by line. The error of a pair is a [*LineError], after
// which reading goes on, or any other (a file that cannot be read), which is the last pair. A conversation becomes requests of
// at most [cairn.MaxItems] messages; those of one session follow each other in the order of the file.
func (r *Reader) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r.read.Store(0)
		for _, f := range r.files {
			if !r.readFile(f, yield) {
				return
			}
		}
	}
}

func (r *Reader) readFile(f file, yield func(Item, error) bool) (more bool) {
	body, err := os.Open(f.path)
	if err != nil {
		yield(Item{}, openError(f.path, err))
		return false
	}
	defer body.Close()
	for item, err := range f.decode(input{path: f.path, name: f.name, r: counter{body, &r.read}}) {
		if !yield(item, err) || err != nil && !isLineError(err) {
			return false
		}
	}
	return true
}

type counter struct {
	io.Reader
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
