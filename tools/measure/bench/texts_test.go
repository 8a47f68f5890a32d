package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

func TestTextsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		want       []synthetic.Turn
	}{
		{"lines", "We met Ana.\r\n\n  {not an object}\n", []synthetic.Turn{{Text: "We met Ana."}, {Text: "{not an object}"}}},
		{"objects", `{"text":"Hello","role":"user"}` + "\n" + `{"content":" Hi. ","role":"assistant","time":1}`,
			[]synthetic.Turn{{Text: "Hello"}, {Text: "Hi.", Assistant: true}}},
		{"no more than wanted", "a\nb\nc\nd\n", []synthetic.Turn{{Text: "a"}, {Text: "b"}, {Text: "c"}}},
		{"a brace of prose", "{ is a brace\nb", []synthetic.Turn{{Text: "{ is a brace"}, {Text: "b"}}},
	} {
		got, err := textsOf(strings.NewReader(c.file), 3)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("textsOf(%s): %v\n%s", c.name, err, diff)
		}
	}
}

func TestTextsThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", trilith.MaxTextBytes+1)
	for file, want := range map[string]string{
		`{"text":"a"}` + "\nb":               "line 2",
		`{"text":"a"}` + "\n" + `{"body":1}`: "line 2",
		"a\n\xff\n":                          "line 2",
		"a\n" + long:                         "line 2",
		"a\n" + long + long + long:           "line 2",
	} {
		_, err := textsOf(strings.NewReader(file), 9)
		if trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("textsOf(%.30q) = %v, want it to be refused and to name %s", file, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "body") {
			t.Errorf("textsOf(%.30q) = %v, which quotes the file", file, err)
		}
	}
}

// Conversations take each text once, in order, and begin again when there are no more.
func TestConversationsOfTexts(t *testing.T) {
	t.Parallel()
	s := newSample("default", 200)
	for i := range s.conversational() {
		s.texts = append(s.texts, synthetic.Turn{Text: strings.Repeat("x", i+1)})
	}
	var got int
	if err := s.conversations(func(_ trilith.Scope, r trilith.RememberRequest) error {
		for _, m := range r.Messages {
			if got++; len(m.Content) != got {
				t.Fatalf("turn %d is text %d", got, len(m.Content))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got != len(s.texts) {
		t.Errorf("%d of %d texts are stored", got, len(s.texts))
	}
	talks := s.talks(1)
	talks.at = len(s.texts) - 1
	if c := talks.Conversation(sampleBegin, 2); len(c.Turns[0].Text) != len(s.texts) || c.Turns[1].Text != "x" {
		t.Errorf("after the last text comes %.9q, want the first", c.Turns[1].Text)
	}
	other := append([]synthetic.Turn{{Text: "x", Assistant: true}}, s.texts[1:]...)
	if nameOf(s.texts) == nameOf(other) {
		t.Error("texts of other roles have the same name")
	}
}
