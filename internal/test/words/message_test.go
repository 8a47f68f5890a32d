package words_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// apiCase is a list of messages as an API has it, what is to become of it, and what is counted.
type apiCase struct {
	API      string
	Messages json.RawMessage
	Turns    []string // ROLE SPEAKER: CONTENT
	Omitted  trilith.PartCounts
}

func apiCases(t *testing.T) (cases []apiCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatalf("testdata/messages.json: %v", err)
	}
	return cases
}

// turnsOf writes messages as the table does, and sums what they leave out.
func turnsOf(ms trilith.Messages) (turns []string, omitted trilith.PartCounts) {
	for _, m := range ms {
		who := string(m.Role)
		if who == "" {
			who = "user"
		}
		if m.Speaker != "" {
			who += " " + m.Speaker
		}
		turns = append(turns, who+": "+m.Content)
		for kind, n := range m.Omitted {
			if omitted == nil {
				omitted = trilith.PartCounts{}
			}
			omitted[kind] += n
		}
	}
	return turns, omitted
}

// TestReadMessages: a list of each API is read to the same turns strictly and leniently, and every part that is no words
// is counted.
func TestReadMessages(t *testing.T) {
	t.Parallel()
	for _, c := range apiCases(t) {
		for _, strict := range []bool{true, false} {
			ms, err := trilith.ReadMessages(c.Messages, strict)
			turns, omitted := turnsOf(ms)
			if err != nil || !slices.Equal(turns, c.Turns) || !maps.Equal(omitted, c.Omitted) {
				t.Errorf("%s, strict %t: %v\ngot  %q %v\nwant %q %v", c.API, strict, err, turns, omitted, c.Turns, c.Omitted)
			}
		}
	}
}

// TestMessagesBack: what was read is read again from its JSON.
func TestMessagesBack(t *testing.T) {
	t.Parallel()
	for _, c := range apiCases(t) {
		first, err := trilith.ReadMessages(c.Messages, true)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		var again trilith.Messages
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", c.API, err)
		}
		want, omitted := turnsOf(first)
		if got, left := turnsOf(again); !slices.Equal(got, want) || !maps.Equal(left, omitted) {
			t.Errorf("%s: %s is read as %q %v", c.API, text, got, left)
		}
	}
}

// TestMessageBesideData: what is beside the words of a message is not taken for the message.
func TestMessageBesideData(t *testing.T) {
	t.Parallel()
	ms, err := trilith.ReadMessages([]byte(`{"role": "user", "content": "a", "data": {"content": "b"}}`), false)
	if err != nil || len(ms) != 1 || ms[0].Content != "a" {
		t.Errorf("%+v, %v; want a", ms, err)
	}
	ms, err = trilith.ReadMessages([]byte(`["b", {"parts": [{"text": "c"}]}]`), true) // nobody is named
	if err != nil || len(ms) != 2 || ms[0].Content+ms[1].Content != "bc" || ms[0].Role+ms[1].Role != "" {
		t.Errorf("%+v, %v; want b and c", ms, err)
	}
}

// TestMessageErrors: what is wrong with a message names its place, and the member that is meant.
func TestMessageErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[{"content": "a"}, {"role": "user", "contents": "b"}]`: "messages[1].contents: unexpected property; did you mean content?",
		`[{"rol": "user", "content": "b"}]`:                     "messages[0].rol: unexpected property; did you mean role?",
		`[{"txt": "b"}]`:                                        "messages[0].txt: unexpected property; did you mean text?",
		`[{"content": "b", "speeker": "Ana"}]`:                  "messages[0].speeker: unexpected property; did you mean speaker?",
		`[{"content": "b", "Content": "c"}]`:                    "messages[0].Content: unexpected property; did you mean content?",
		`[{"content": "b", "wheel": "c"}]`:                      "messages[0].wheel: unexpected property",
		`[{"content": "b", "metdata": {}}]`:                     "messages[0].metdata: unexpected property; did you mean metadata?",
		`[{"zinc": "1", "abacus": "1", "content": "b"}]`:        "messages[0].abacus: unexpected property",
		`[{"content": "b", "speaker": 5}]`:                      "messages[0].speaker: must not be number",
		`[{"content": "b", "tags": "x"}]`:                       "messages[0].tags: must not be string",
		`[{"role": "king", "content": "b"}]`:                    `messages[0].role: "king" is not one of user, assistant, system, tool`,
		`[{"role": 5, "content": "b"}]`:                         `messages[0].role: "5" is not one of user, assistant, system, tool`,
		`[{"content": 5}]`:                                      "messages[0].content: must be a text, a part or a list of parts",
		`[{"role": "user"}]`:                                    "messages[0].content: is missing; it is what was said",
		`[{}]`:                                                  "messages[0].content: is missing; it is what was said",
		`[5]`:                                                   "messages[0]: is neither a message nor a text",
		`null`:                                                  "messages[0]: is neither a message nor a text",
	} {
		_, err := trilith.ReadMessages([]byte(body), true)
		if trilith.KindOf(err) != trilith.Invalid || trilith.MessageOf(err) != want {
			t.Errorf("%s: %v; want %s", body, err, want)
		}
	}
}

// TestMessagePlaces: each message knows its place in the list that was read.
func TestMessagePlaces(t *testing.T) {
	t.Parallel()
	ms, err := trilith.ReadMessages([]byte(`[
		{"role": "user", "content": [{"type": "tool_result", "content": "a"}, {"type": "tool_result", "content": "b"}]},
		{"role": "assistant", "content": null, "tool_calls": [{}]},
		{"role": "user", "external_id": "x", "tags": ["t"], "content": [{"type": "tool_result", "content": "c"},
			{"type": "text", "text": "d"}]}]`), true)
	var got []string
	for i, m := range ms {
		got = append(got, strconv.Itoa(ms.Place(i))+m.Content+m.ExternalID+strings.Join(m.Tags, ""))
	}
	if want := []string{"0a", "0b", "1", "2ct", "2dxt"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if own := (trilith.Messages{{}, {}}); own.Place(1) != 1 {
		t.Errorf("a message that was not read has place %d, want 1", own.Place(1))
	}
}

// TestMessageFiles: bytes in a message are kept beside it, whatever holds them.
func TestMessageFiles(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		`{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}`,
		`{"type": "input_image", "image_url": "data:image/png;base64,aGk="}`,
		`{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}`,
		`{"inlineData": {"mimeType": "image/png", "data": "aGk="}}`,
		`{"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="}`,
		`{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="}}`,
		`{"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}`,
		`{"image": {"format": "png", "source": {"bytes": "aGk="}}}`,
	} {
		ms, err := trilith.ReadMessages([]byte(`[{"role": "user", "content": [`+part+`]}]`), true)
		if err != nil || len(ms) != 1 || len(ms[0].Files) != 1 || string(ms[0].Files[0].Data) != "hi" ||
			len(ms[0].Omitted) != 1 {
			t.Errorf("%s: %v %+v", part, err, ms)
		}
	}
}

// FuzzReadMessages: no list panics, every message of it keeps its place, and whatever is read is read again from its
// JSON.
func FuzzReadMessages(f *testing.F) {
	text, err := os.ReadFile("testdata/messages.json")
	if err != nil {
		f.Fatal(err)
	}
	var cases []struct{ Messages json.RawMessage }
	if err := json.Unmarshal(text, &cases); err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		f.Add([]byte(c.Messages))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, strict := range []bool{true, false} {
			ms, err := trilith.ReadMessages(data, strict)
			if err != nil {
				if trilith.KindOf(err) != trilith.Invalid {
					t.Fatalf("%q: %v", data, err)
				}
				continue
			}
			for i := range ms {
				if at := ms.Place(i); at < 0 || at > i || i > 0 && (at < ms.Place(i-1) || at > ms.Place(i-1)+1) {
					t.Fatalf("%q: message %d has place %d", data, i, at)
				}
			}
			body, err := json.Marshal(ms)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := trilith.ReadMessages(body, strict); err != nil || len(again) != len(ms) {
				t.Fatalf("%q: %s is read as %d messages, %v", data, body, len(again), err)
			}
		}
	})
}

// TestMessageTimes: a message is of the time that its API says, whatever its form.
func TestMessageTimes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"content": "a", "createdAt": "2025-06-02T18:00:00Z"}`:                                                   "2025-06-02T18:00:00Z",
		`{"content": "a", "created_at": 1748887200}`:                                                              "2025-06-02T18:00:00Z",
		`{"content": "a", "createdAt": 1748887200123}`:                                                            "2025-06-02T18:00:00Z",
		`{"content": "a", "timestamp": "2025-06-03", "created_at": 1}`:                                            "2025-06-03",
		`{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a", "timestamp": "2025-06-02"}]}`: "2025-06-02",
	} {
		if ms, err := trilith.ReadMessages([]byte(body), true); err != nil || len(ms) != 1 || ms[0].Timestamp != want {
			t.Errorf("%s: %+v, %v; want %s", body, ms, err, want)
		}
	}
}
