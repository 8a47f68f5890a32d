package gate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// TestDataRows: a row with a misspelt key would be a rule that never applies.
func TestDataRows(t *testing.T) {
	t.Parallel()
	what, words := map[string]bool{}, map[string]bool{}
	for key, value := range wordfile.Rows(ordersFile + directivesFile) {
		kind, name, _ := strings.Cut(key, " ")
		gap, err := strconv.Atoi(name)
		switch kind {
		case "what":
			what[name] = true
		case "words":
			words[name] = true
		case "trait", "phrase":
			if traitNamed[name] == 0 {
				t.Errorf("%s: there is no such trait", key)
			}
		case "fragment", "match":
			if !what[name] {
				t.Errorf("%s: there is no such what", key)
			}
		default:
			if !what[kind] || name != "unspaced" && (err != nil || gap < 0) || !strings.Contains(value, " > ") {
				t.Errorf("%s: %s is no pattern", key, value)
			}
		}
		if slices.Contains(strings.Split(value, "|"), "") {
			t.Errorf("%s: an alternative is empty", key)
		}
	}
	for _, name := range []string{"commands", "hurries", "noCommands", "objects", "owes", "readers", "roleTags",
		"steering"} {
		if !words[name] {
			t.Errorf("no words %s, which the program reads", name)
		}
	}
}

// placeholder stands for characters of a key in an example: {36} or, in capitals, {A36}.
var placeholder = regexp.MustCompile(`\{(A?)(\d+)\}`)

// TestSecretExamples: each row masks the texts that are written below it, and no row masks the others.
func TestSecretExamples(t *testing.T) {
	t.Parallel()
	kind, masked, kept := "", 0, 0
	for line := range strings.Lines(secretsFile) {
		line = strings.TrimSuffix(line, "\n")
		sign, text, _ := strings.Cut(line, " ")
		text = placeholder.ReplaceAllStringFunc(text, func(s string) string {
			m := placeholder.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[2])
			if m[1] != "" {
				return strings.ToUpper(fakeKey("", n))
			}
			return fakeKey("", n)
		})
		got, n := Mask(text)
		switch sign {
		case "key", "said", "part", "name":
			if kind != "" && masked*kept == 0 {
				t.Errorf("a row of %s has %d examples and %d counterexamples", kind, masked, kept)
			}
			kind, _, _ = strings.Cut(text, " ")
			masked, kept = 0, 0
		case "iban:":
			kind, masked, kept = "iban", 0, 0
		case "+":
			if masked++; n != 1 || !strings.Contains(got, "[secret:"+kind+"]") {
				t.Errorf("Mask(%q) = %q, want one %s masked", text, got, kind)
			}
		case "-":
			if kept++; n != 0 {
				t.Errorf("Mask(%q) = %q, want it untouched", text, got)
			}
		}
	}
}
