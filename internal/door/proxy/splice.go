package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// span is the position of a JSON value in a text: from its first byte to the one after its last.
type span struct{ from, to int }

// members returns the positions of the values of an object, by name; nil if it is no object.
func members(raw []byte, at span) map[string]span {
	out := map[string]span{}
	name := ""
	ok := walk(raw, at, '{', func(d *json.Decoder) bool {
		t, err := d.Token()
		name, _ = t.(string)
		return err == nil
	}, func(s span) { out[name] = s })
	if !ok {
		return nil
	}
	return out
}

// elements returns the positions of the elements of a list; nil if it is no list.
func elements(raw []byte, at span) []span {
	out := []span{}
	if !walk(raw, at, '[', func(*json.Decoder) bool { return true }, func(s span) { out = append(out, s) }) {
		return nil
	}
	return out
}

// walk calls each with the position of every value of an object or a list; before reads the text before the value.
func walk(raw []byte, at span, open json.Delim, before func(*json.Decoder) bool, each func(span)) bool {
	d := json.NewDecoder(bytes.NewReader(at.of(raw)))
	if t, err := d.Token(); err != nil || t != open {
		return false
	}
	for d.More() {
		var value json.RawMessage
		if !before(d) || d.Decode(&value) != nil {
			return false
		}
		to := at.from + int(d.InputOffset())
		each(span{to - len(value), to})
	}
	_, err := d.Token()
	return err == nil
}

// whole returns the span of a text that consists of one JSON value.
func whole(raw []byte) (span, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return span{}, false
	}
	to := int(d.InputOffset())
	if _, err := d.Token(); err != io.EOF {
		return span{}, false
	}
	return span{to - len(value), to}, true
}

// text reads a value that is a string.
func text(raw []byte, at span) (string, bool) {
	var s string
	if b := at.of(raw); len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &s) != nil {
		return "", false
	}
	return s, true
}

func (s span) of(raw []byte) []byte { return raw[s.from:s.to] }

// insert returns raw with more inserted at an offset.
func insert(raw []byte, at int, more string) []byte {
	return slices.Concat(raw[:at], []byte(more), raw[at:])
}

// inString returns a text as the content of a JSON string.
func inString(s string) string { return quoted(s)[1 : len(quoted(s))-1] }

// quoted returns a text as a JSON string.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string never fails
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
