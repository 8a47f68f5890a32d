package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
)

// edit is a change of one configuration file.
type edit struct {
	path   string
	change func(was []byte) ([]byte, error) // changes the file's content; nil: there is no file
}

// difference describes what an edit changes, for a person.
type difference struct {
	Path  string   `json:"path"`
	Lines []string `json:"lines"` // each with - or + before it; empty if nothing changes
}

// apply makes an edit, or only reports its changes. It removes a file that the edit leaves empty.
func (e edit) apply(dry bool) (difference, error) {
	d := difference{Path: e.path, Lines: []string{}}
	was, err := os.ReadFile(e.path)
	mode := os.FileMode(0o644)
	switch info, failed := os.Stat(e.path); {
	case errors.Is(err, os.ErrNotExist):
		was = nil
	case err != nil:
		return d, trilith.WrapError(trilith.Invalid, "install", err)
	case failed == nil:
		mode = info.Mode().Perm()
	}
	now, err := e.change(was)
	if err != nil {
		return d, err
	}
	rest := bytes.TrimSpace(now)
	isEmpty := (len(rest) == 0 || string(rest) == "{}") && len(was) > 0 && !bytes.Equal(rest, bytes.TrimSpace(was))
	if isEmpty {
		now = nil
	}
	switch d.Lines = changed(was, now); {
	case len(d.Lines) == 0 || dry:
		return d, nil
	case isEmpty:
		return d, os.Remove(e.path)
	}
	if err := os.MkdirAll(filepath.Dir(e.path), 0o755); err != nil {
		return d, err
	}
	return d, replaceFile(e.path, mode, func(w io.Writer) error {
		_, err := w.Write(now)
		return err
	})
}

// changed returns the lines that differ: an edit is at one place, so the lines before and after it are the same.
func changed(was, now []byte) []string {
	a, b := linesOf(was), linesOf(now)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	out := []string{}
	for _, l := range a {
		out = append(out, "-"+compose.Masked(l))
	}
	for _, l := range b {
		out = append(out, "+"+compose.Masked(l))
	}
	return out
}

// replaceFile writes a file whole or not at all. A link stays one.
func replaceFile(path string, mode os.FileMode, write func(io.Writer) error) error {
	target := path
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		target = linked
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".trilith-*")
	if err == nil {
		defer os.Remove(f.Name()) // gone already when all went well
		if err := errors.Join(write(f), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
			return err
		}
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "file: %s cannot be written: %w", path, reason(err))
	}
	return nil
}

// reason is why something could not be done with a file, without the name of the file that was tried.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

func (o *object) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("is not a JSON object"))
	}
	*o = object{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		m := member{name: t.(string)} // the decoder accepts nothing else
		if err := d.Decode(&m.value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with returns the object with a member set, or without it if that has no size.
func (o object) with(name string, value any, size int) (object, error) {
	i := o.index(name)
	if size == 0 {
		if i < 0 {
			return o, nil
		}
		return slices.Delete(slices.Clone(o), i, i+1), nil
	}
	raw, err := compact(value)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return append(slices.Clip(o), member{name, raw}), nil
	}
	o = slices.Clone(o)
	o[i].value = raw
	return o, nil
}

// editJSON makes an edit of a JSON file that preserves the order of its members and its indentation.
func editJSON(path string, change func(object) (object, error)) edit {
	return edit{path, func(was []byte) ([]byte, error) {
		var o object
		if len(bytes.TrimSpace(was)) > 0 {
			if err := json.Unmarshal(was, &o); err != nil {
				return nil, trilith.Errorf(trilith.Invalid,
					"install: %s cannot be changed automatically (%w); --print shows what to put there", path, err)
			}
		}
		before, err := compact(o)
		if err != nil {
			return nil, err
		}
		if o, err = change(o); err != nil {
			return nil, err
		}
		after, err := compact(o)
		if err != nil || bytes.Equal(before, after) {
			return was, err
		}
		var b bytes.Buffer
		err = json.Indent(&b, after, "", indentOf(was))
		b.WriteByte('\n')
		return b.Bytes(), err
	}}
}

// compact returns a value as JSON without white space and without escaping < and >.
func compact(value any) ([]byte, error) {
	var b bytes.Buffer
	err := encodeJSON(&b, "", value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// indentOf returns the indentation of a JSON file.
func indentOf(text []byte) string {
	for _, l := range linesOf(text) {
		if bare := strings.TrimLeft(l, " \t"); len(bare) < len(l) && bare != "" {
			return l[:len(l)-len(bare)]
		}
	}
	return "  "
}

// setIn sets a member of an object inside an object, or takes it out if it is empty.
func setIn(o object, outer, inner string, value map[string]any) (object, error) {
	var in object
	err := o.read(outer, &in)
	if err == nil {
		in, err = in.with(inner, value, len(value))
	}
	if err != nil {
		return nil, err
	}
	return o.with(outer, in, len(in))
}

// read reads the value of a member, if it is there.
func (o object) read(name string, into any) error {
	i := o.index(name)
	if i < 0 {
		return nil
	}
	if err := json.Unmarshal(o[i].value, into); err != nil {
		return trilith.Errorf(trilith.Invalid, "install: %s: %w", name, err)
	}
	return nil
}

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// editTOML makes an edit of a TOML file: the table of a name is replaced, or taken out if the text is empty.
func editTOML(path, table, text string) edit {
	return edit{path, func(was []byte) ([]byte, error) {
		var kept []string
		ours := false
		for _, l := range linesOf(was) {
			if bare := strings.TrimSpace(l); strings.HasPrefix(bare, "[") {
				ours = bare == "["+table+"]" || strings.HasPrefix(bare, "["+table+".")
			}
			if !ours {
				kept = append(kept, l)
			}
		}
		for len(kept) > 0 && strings.TrimSpace(kept[len(kept)-1]) == "" {
			kept = kept[:len(kept)-1]
		}
		if text != "" {
			if len(kept) > 0 {
				kept = append(kept, "")
			}
			kept = append(kept, text)
		}
		if len(kept) == 0 {
			return nil, nil
		}
		return []byte(strings.Join(kept, "\n") + "\n"), nil
	}}
}

func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
