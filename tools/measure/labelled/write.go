package labelled

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// question is a line of queries.jsonl.
type question struct {
	ID         string   `json:"id"`
	Group      string   `json:"group"`
	Category   string   `json:"category"`
	Text       string   `json:"text"`
	Evidence   []string `json:"evidence"`
	Abstention bool     `json:"abstention,omitempty"` // nothing in the group answers it
	Answer     string   `json:"answer,omitempty"`     // in words
}

// spelled is a string or a number, which is spelled as in the file.
type spelled string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *spelled) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(s))
	}
	if string(data) != "null" {
		*s = spelled(data)
	}
	return nil
}

// turn is a line of docs.jsonl.
type turn struct {
	ID      string       `json:"id"`
	Group   string       `json:"group"`
	Session string       `json:"session"`
	Time    string       `json:"time,omitempty"`
	Speaker string       `json:"speaker,omitempty"`
	Role    trilith.Role `json:"role"`
	Text    string       `json:"text"`
}

// clockTime is how a set writes the time of a clock without an offset.
const clockTime = "2006-01-02T15:04:05"

// element is one item of a benchmark's file.
type element interface {
	// labelled returns the turns and the questions of the item.
	labelled() ([]turn, []question, error)
}

// WriteSet creates a folder with the turns and questions of a LongMemEval or LoCoMo file as a labelled set, and returns
// their numbers. The folder must not exist; after an error it does not exist: a number from part of a set would pass for
// one of the whole.
func WriteSet(dir, path string) (turns, questions int, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return 0, 0, trilith.Errorf(trilith.Conflict, "%s: is there already", dir)
		}
		return 0, 0, trilith.Errorf(trilith.Invalid, "%s: cannot be made: %w", dir, err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // the set is incomplete
		}
	}()
	docs, err := create(dir, quality.DocsFile)
	if err != nil {
		return 0, 0, err
	}
	queries, err := create(dir, quality.QueriesFile)
	if err != nil {
		return 0, 0, errors.Join(err, docs.close())
	}
	for e, err := range elements(path) {
		var ts []turn
		var qs []question
		if err == nil {
			ts, qs, err = e.labelled()
		}
		if err != nil {
			return 0, 0, errors.Join(trilith.Errorf(trilith.Invalid, "%s: %w", path, err), docs.close(), queries.close())
		}
		for _, t := range ts {
			docs.add(t)
		}
		for _, q := range qs {
			queries.add(q)
		}
		turns, questions = turns+len(ts), questions+len(qs)
	}
	return turns, questions, errors.Join(docs.close(), queries.close())
}

// elements reads the items of a benchmark's file, which is a list, one by one.
func elements(path string) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
		if start, err := d.Token(); err != nil || start != json.Delim('[') {
			yield(nil, errors.New("is no list of items"))
			return
		}
		for d.More() {
			var data json.RawMessage
			e, err := element(nil), d.Decode(&data)
			if err == nil {
				e, err = read(data)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if _, err := d.Token(); err == io.EOF {
			yield(nil, errors.New("the list ends too early"))
		} else if err != nil {
			yield(nil, err)
		}
	}
}

// read finds the kind of an item.
func read(data []byte) (element, error) {
	var kind struct {
		Question *string `json:"question_id"`
		Sample   *string `json:"sample_id"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	var e element
	switch {
	case kind.Question != nil:
		e = new(longMemEval)
	case kind.Sample != nil:
		e = new(loCoMo)
	default:
		return nil, errors.New("is neither a LongMemEval nor a LoCoMo file")
	}
	return e, json.Unmarshal(data, e)
}

// lines writes JSON values one per line. The first error stays.
type lines struct {
	f   *os.File
	w   *bufio.Writer
	enc *json.Encoder
	err error
}

func create(dir, name string) (*lines, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s: cannot be written: %w", dir, err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &lines{f: f, w: w, enc: enc}, nil
}

func (l *lines) add(v any) {
	if l.err == nil {
		l.err = l.enc.Encode(v)
	}
}

func (l *lines) close() error { return errors.Join(l.err, l.w.Flush(), l.f.Close()) }
