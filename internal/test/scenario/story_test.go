package scenario

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line string
		want []field
	}{
		{"", nil},
		{"   # only a comment", nil},
		{"recall user=ana 'a b' # why",
			[]field{{value: "recall"}, {key: "user", value: "ana"}, {value: "a b", quoted: true}}},
		{"note 'it''s'", []field{{value: "note"}, {value: "it's", quoted: true}}},
		{`note "tab\there" user="o'B"`,
			[]field{{value: "note"}, {value: "tab\there", quoted: true}, {key: "user", value: "o'B", quoted: true}}},
		{"note 'a=b' at=2025-01-01T10:00",
			[]field{{value: "note"}, {value: "a=b", quoted: true}, {key: "at", value: "2025-01-01T10:00"}}},
		{"note ''", []field{{value: "note"}, {value: "", quoted: true}}},
	} {
		got, err := split(tc.line)
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(field{})); err != nil || diff != "" {
			t.Errorf("split(%q) = %v, %v; diff (-want +got):\n%s", tc.line, got, err, diff)
		}
	}
}

func TestParseNamesTheLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"unknown command", "note 'x'\nsing 'x'\n", `story.txt:2: unknown command "sing"`},
		{"unknown option", "note colour=red 'x'\n", `story.txt:1: note does not know the option "colour"`},
		{"unknown expectation", "note 'x'\nexpect joy\n", `story.txt:2: cannot expect "joy"`},
		{"words missing", "\n\nrecall user=ana\n", "story.txt:3: recall: 0 words are too few or too many"},
		{"words missing after expect", "note 'x'\nexpect order 'a'\n",
			"story.txt:2: expect order: 1 words are too few or too many"},
		{"open quote", "note 'x\n", "story.txt:1: a quote is never closed: 'x"},
		{"no space", "note 'x'y\n", `story.txt:1: a space is missing before "y"`},
		{"option twice", "note user=a user=b 'x'\n", `story.txt:1: option "user" is given twice`},
		{"no such file", "document a.md\n-- b.md --\nx\n", `story.txt:1: the story holds no file "a.md"`},
		{"expect first of all", "expect empty\n", "story.txt:1: expect comes before any command"},
		{"never and what", "note 'x'\nexpect never 'a' and 'b'\n",
			"story.txt:2: expect never 'text' may be followed by but and one word only"},
		{"empty", "# nothing\n", "story.txt: the story is empty"},
	} {
		if _, err := parse("story.txt", []byte(tc.text)); err == nil || err.Error() != tc.want {
			t.Errorf("%s: parse(%q) = %v, want %s", tc.name, tc.text, err, tc.want)
		}
	}
}

func TestStoriesParse(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(paths) < 15 {
		t.Fatalf("found %d stories, %v; want 15 or more", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(filepath.Base(path), data); err != nil {
			t.Error(err)
		}
	}
}

// fixed answers every question with the same hits.
type fixed struct {
	Memory
	hits  []trilith.Hit
	block string
	err   error
}

func (f fixed) Recall(context.Context, trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
	return trilith.RecallResult{Hits: f.hits, Abstained: len(f.hits) == 0}, f.err
}

func (f fixed) open() Memory { return f }

func (f fixed) Context(context.Context, trilith.Scope, trilith.ContextRequest) (trilith.ContextBlock, error) {
	return trilith.ContextBlock{Text: f.block}, f.err
}

func TestExpectationsCanFail(t *testing.T) {
	t.Parallel()
	hit := func(text string) trilith.Hit {
		return trilith.Hit{Memory: trilith.Memory{Text: text, Kind: trilith.KindNote}}
	}
	two := fixed{hits: []trilith.Hit{hit("red apple"), hit("green pear")}}
	fact := fixed{hits: []trilith.Hit{{Memory: trilith.Memory{Text: "Ana lives in Oslo.", Kind: trilith.KindFact,
		Fact: &trilith.Fact{Evidence: []trilith.Evidence{{Quote: "I moved to Oslo."}}}}}}}
	broken := fixed{err: trilith.Errorf(trilith.Unavailable, "away")}
	for _, tc := range []struct {
		memory fixed
		story  string
		want   string // part of the failure; empty: the story holds
	}{
		{two, "expect first 'apple'", ""},
		{two, "expect first 'pear'", `want "pear" first`},
		{two, "expect has 'pear'", ""},
		{two, "expect has 'plum'", `want "plum"`},
		{two, "expect never 'plum'", ""},
		{two, "expect never 'pear'", `must not hold "pear"`},
		{two, "expect never 'plum' but 'pear'", ""},
		{two, "expect never 'plum' but 'cherry'", `want "cherry" all the same`},
		{two, "expect never 'pear' but 'apple'", `must not hold "pear"`},
		{two, "expect labelled 'apple'", "want a context block"},
		{two, "expect audited erase", "want the action erase in the log"},
		{two, "verify home reject", "no line before stored anything as=home"},
		{two, "again home", "no line before stored anything as=home"},
		{two, "recall known=then 'fruit'", "no line before was the moment then"},
		{two, "moment then", ""},
		{two, "jobs", "the memory has no operator"},
		{two, "restore", "the memory has no operator"},
		{two, "expect empty", "want nothing"},
		{two, "expect count 2", ""},
		{two, "expect count 3", "want 3, got 2"},
		{two, "expect order 'apple' 'pear'", ""},
		{two, "expect order 'pear' 'apple'", `want "apple" after the ones before it`},
		{two, "expect order 'apple' 'plum'", `want "plum", which is missing`},
		{fact, "expect evidence 'Oslo' 1", ""},
		{fact, "expect evidence 'Oslo' 2", "want 2 pieces of evidence, got 1"},
		{fact, "expect evidence 'Bergen' 1", `want a fact with "Bergen"`},
		{two, "expect evidence 'apple' 1", `want a fact with "apple"`},
		{two, "expect neighbor 'apple'", `want a neighbor with "apple"`},
		{two, "expect contains 'apple'", `want a text with "apple"`},
		{two, "expect rejected echo", "want a rejection for echo"},
		{two, "expect replayed", "want the answer of the first request"},
		{two, "expect cites home", "no line before stored anything as=home"},
		{two, "lookup 'Ana'", `"Ana" is not TYPE:VALUE`},
		{two, "assimilate 'email:' 'I moved to Oslo.'", `"email:" is not TYPE:VALUE`},
		{two, "expect error invalid", "want an error of kind invalid"},
		{broken, "expect error unavailable", ""},
		{broken, "expect error invalid", "error unavailable: away"},
		{broken, "expect empty", "story.txt:1: recall 'fruit'\naway"},
	} {
		s, err := parse("story.txt", []byte("recall 'fruit'\n"+tc.story+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		err = play(t.Context(), s, tc.memory.open)
		if tc.want == "" && err != nil {
			t.Errorf("%s: play = %v, want no failure", tc.story, err)
		}
		if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: play = %v, want a failure with %q", tc.story, err, tc.want)
		}
	}
}

func TestFailureShowsTheAnswer(t *testing.T) {
	t.Parallel()
	s, err := parse("story.txt", []byte("recall 'fruit'\nexpect empty\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = play(t.Context(), s, fixed{hits: []trilith.Hit{{Memory: trilith.Memory{Text: "red apple"}, Score: 0.25}}}.open)
	for _, part := range []string{"story.txt:2: expect empty", "red apple", "0.250"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("play = %v, want a failure that shows %q", err, part)
		}
	}
}

func TestLabelled(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]bool{
		"- Ana lives in Bergen.\n":                                             true,
		"- (id …1) Ana lives in Oslo. [until 2025-06-02]\n":                    true,
		"- Ana lives in Oslo. [until 2025-06-02]\n- Ana lives in Bergen.\n":    true,
		"- Ana lives in Oslo.\n":                                               false,
		"- Ana lives in Oslo. [until 2025-06-02]\n- Ana moved to Oslo then.\n": false,
	} {
		s, err := parse("story.txt", []byte("context 'Where?'\nexpect labelled 'Oslo'\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := play(t.Context(), s, fixed{block: block}.open); (err == nil) != want {
			t.Errorf("expect labelled 'Oslo' in %q: %v, want it to hold: %t", block, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("note user=a 'x'\nexpect has 'x'\n")
	f.Add("document a.md\n-- a.md --\ntext\n")
	f.Add(`recall "\u00e4" k=1`)
	f.Add("note a='b")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse("fuzz.txt", []byte(text))
		if (s == nil) == (err == nil) {
			t.Errorf("parse(%q) = %v, %v; want a story or an error", text, s, err)
		}
	})
}
