package words_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for data, good := range map[string]bool{
		`{"a": "b"}`:                      true,
		`"\ud83d\ude00"`:                  true,
		`"\uD83D\uDE00 \u00e5 \\ud800"`:   true,
		`"\\\\ud800 \" \n"`:               true,
		`"\udbff\udfff\ud800\udc00"`:      true,
		`"\ufffd � \ufffe"`:               true,
		`"\ud800"`:                        false,
		`"\uDC00"`:                        false,
		`"\ud83dx\ude00"`:                 false,
		`"\ude00\ud83d"`:                  false,
		`"\ud83d\ud83d\ude00"`:            false,
		`"\ud83d\ude00\ud83d"`:            false,
		`"\\\ud800"`:                      false,
		`"\ud800\\udc00"`:                 false,
		`"\ud800\n"`:                      false,
		`"\ud800\u0041"`:                  false,
		`{"\udfff": 1}`:                   false,
		`{"a": [{"b": {"c": "\uD8aB"}}]}`: false,
		"\"\xff\"":                        false,
		"\"\xed\xa0\x80\"":                false,
	} {
		if err := trilith.CheckJSON([]byte(data)); (err == nil) != good || err != nil &&
			trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("CheckJSON(%s) = %v, want good: %t", data, err, good)
		}
	}
	// for the decoder, and no panic
	for _, broken := range []string{``, `\`, `"\u`, `"\ud8`, `"\uzzzz"`, `"\ud800`, `"\ud800\u`, `"\ud800\udc0`} {
		_ = trilith.CheckJSON([]byte(broken))
	}
	var f trilith.Filter
	for _, filter := range []string{`{"tags": {"contains": "\ud800"}}`, `{"metadata.\udc00": 1}`,
		`{"not": {"user": "\ud800x"}}`} {
		if err := json.Unmarshal([]byte(filter), &f); trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(err.Error(), "half of a character") {
			t.Errorf("filter %s = %v, want invalid", filter, err)
		}
	}
}

// FuzzCheckJSON: what passes is decoded without anything being replaced that was not written as U+FFFD.
func FuzzCheckJSON(f *testing.F) {
	for _, s := range []string{`"\ud800"`, `"\ud83d\ude00"`, `"\\ud800"`, `{"\udfff":1}`, `"x"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v string
		if json.Unmarshal([]byte(s), &v) != nil {
			return
		}
		replaced := strings.ContainsRune(v, '�') && !strings.ContainsRune(s, '�') &&
			!strings.Contains(strings.ToLower(s), `\ufffd`)
		if err := trilith.CheckJSON([]byte(s)); (err != nil) && !strings.ContainsRune(v, '�') || err == nil && replaced {
			t.Errorf("CheckJSON(%q) = %v, decoded %q", s, err, v)
		}
	})
}
