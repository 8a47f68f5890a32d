package postgres

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// oddText draws text that has what PostgreSQL cannot hold, and what its escapes are made of.
var oddText = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(
		rapid.SampledFrom([]string{"\x00", "\x01", "\x02", "\x03", "a", "é", "\u0080", "\ufffd", "\xff", "\xc3",
			`\u0000`, `\u0001`, `\`, `"`}), 0, 6)
	return strings.Join(parts.Draw(t, "parts"), "")
})

func TestText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := oddText.Draw(t, "a"), oddText.Draw(t, "b")
		ta, tb := text(a), text(b)
		if !utf8.ValidString(ta) || strings.ContainsRune(ta, 0) {
			t.Errorf("text(%q) = %q, which PostgreSQL cannot hold", a, ta)
		}
		if got := plain(ta); got != a {
			t.Errorf("plain(text(%q)) = %q", a, got)
		}
		if utf8.ValidString(a) && utf8.ValidString(b) && cmp.Compare(ta, tb) != cmp.Compare(a, b) {
			t.Errorf("%q and %q have another order than %q and %q", ta, tb, a, b)
		}
		if strings.Contains(a, b) && utf8.ValidString(a) && utf8.ValidString(b) && !strings.Contains(ta, tb) {
			t.Errorf("%q is in %q, and %q is not in %q", b, a, tb, ta)
		}
	})
}

func TestJSONText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(map[string]any{oddText.Draw(t, "key"): oddText.Draw(t, "value")})
		if err != nil {
			t.Fatal(err)
		}
		stored := jsonText(data)
		if !json.Valid(stored) || strings.Contains(strings.ReplaceAll(string(stored), `\\`, ""), `\u0000`) {
			t.Errorf("jsonText(%s) = %s, which jsonb cannot hold", data, stored)
		}
		if got := plainJSON(stored); string(got) != string(data) {
			t.Errorf("plainJSON(%s) = %s, want %s", stored, got, data)
		}
	})
}

func TestPlainOfTornText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"\x01", "a\x01", "\x01\x03", "\x01\x09"} { // nothing of ours wrote these
		plain(s)
	}
}
