package ingest

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

var now = time.Date(2025, 7, 1, 12, 0, 0, 123456789, time.FixedZone("CEST", 2*60*60))

func read(tb testing.TB, req trilith.RememberRequest) Plan {
	tb.Helper()
	p, err := Read(req, now)
	if err != nil {
		tb.Fatalf("Read(%+v) = %v, want no error", req, err)
	}
	return p
}

func TestReadMessages(t *testing.T) {
	t.Parallel()
	got := read(t, trilith.RememberRequest{
		Messages: []trilith.Message{
			{Content: "Cafe\u0301\r\nat nine?", Metadata: map[string]any{"mood": "glad"},
				Tags: []string{"work", "home"}, ExternalID: "m-1"},
			{Role: trilith.RoleAssistant, Speaker: "Bot", Content: "", Timestamp: "2025-06-30"},
		},
		Speaker: "Ana", Metadata: map[string]any{"app": 1, "mood": "calm"}, Tags: []string{"home"},
	})
	want := []Draft{
		{Memory: trilith.Memory{
			Kind: trilith.KindEpisode, Text: "Café\nat nine?", Role: trilith.RoleUser, Speaker: "Ana",
			EventTime: trilith.Local(now), Trust: trilith.TrustUserStated,
			Metadata: map[string]any{"app": 1.0, "mood": "glad"}, Tags: []string{"home", "work"}, ExternalID: "m-1",
		}},
		{Index: 1, Timed: true, Memory: trilith.Memory{
			Kind: trilith.KindEpisode, Role: trilith.RoleAssistant, Speaker: "Bot", Seq: 1,
			EventTime: time.Date(2025, 6, 30, 0, 0, 0, 0, now.Location()), Trust: trilith.TrustAssistantSaid,
			Metadata: map[string]any{"app": 1.0, "mood": "calm"}, Tags: []string{"home"},
		}},
	}
	if diff := cmp.Diff(want, got.Drafts); diff != "" || got.Kind != Messages {
		t.Errorf("Read(two messages): kind %q, drafts differ (-want +got):\n%s", got.Kind, diff)
	}
}

func TestReadKinds(t *testing.T) {
	t.Parallel()
	entry := trilith.Entry{Category: "Tools", Title: "Drill", Content: "Keep it dry.", Confidence: 0.8,
		Structured: map[string]any{"watts": 750, "case": map[string]any{"colour": "red", "lid": nil},
			"bits": []any{"4 mm", 6}, "new": true}}
	for _, c := range []struct {
		why  string
		req  trilith.RememberRequest
		want Plan
	}{
		{"a text is an episode of the user", trilith.RememberRequest{Text: "I like tea.", ExternalID: "x"},
			Plan{Kind: Text, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindEpisode, Text: "I like tea.", Role: trilith.RoleUser,
					Trust: trilith.TrustUserStated, ExternalID: "x"}}}}},
		{"a text of a tool has the lowest tier", trilith.RememberRequest{Text: "42", Role: trilith.RoleTool},
			Plan{Kind: Text, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindEpisode, Text: "42", Role: trilith.RoleTool,
					Trust: trilith.TrustToolOutput}}}}},
		{"what users said elsewhere is imported", trilith.RememberRequest{Text: "I like tea.", Imported: true},
			Plan{Kind: Text, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindEpisode, Text: "I like tea.", Role: trilith.RoleUser,
					Trust: trilith.TrustImported}}}}},
		{"an import does not raise what an assistant said",
			trilith.RememberRequest{Text: "Tea is good.", Role: trilith.RoleAssistant, Imported: true},
			Plan{Kind: Text, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindEpisode, Text: "Tea is good.", Role: trilith.RoleAssistant,
					Trust: trilith.TrustAssistantSaid}}}}},
		{"a note is manual and confirmed", trilith.RememberRequest{Note: &trilith.Note{Content: "Buy tea."}},
			Plan{Kind: Note, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindNote, Text: "Buy tea.", Type: "manual",
					Trust: trilith.TrustUserConfirmed}}}}},
		{"an imported note is not confirmed",
			trilith.RememberRequest{Note: &trilith.Note{Content: "Buy tea.", Type: "reflection"}, Imported: true},
			Plan{Kind: Note, Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindNote, Text: "Buy tea.", Type: "reflection",
					Trust: trilith.TrustImported}}}}},
		{"an entry's text follows the recipe", trilith.RememberRequest{Entry: &entry},
			Plan{Kind: Entry, Drafts: []Draft{{Memory: trilith.Memory{
				Kind: trilith.KindEntry, Text: "Tools\nDrill\nKeep it dry.\nbits: 4 mm, 6\ncase.colour: red\nnew: true\nwatts: 750", Trust: trilith.TrustUserConfirmed,
				Entry: &trilith.Entry{Category: "Tools", Title: "Drill", Content: "Keep it dry.", Confidence: 0.8,
					Structured: map[string]any{"watts": 750.0, "case": map[string]any{"colour": "red", "lid": nil},
						"bits": []any{"4 mm", 6.0}, "new": true}},
			}}}}},
		{"a document's passages know their place",
			trilith.RememberRequest{Document: &trilith.Document{
				Name: "a.md", Content: "# A\n\n" + strings.Repeat("One. ", 80) + "\n\n## B\n\nTwo."}, ExternalID: "doc",
				Metadata: map[string]any{"lang": "en"}},
			Plan{Kind: Document, Name: "a.md", Drafts: []Draft{
				{Memory: trilith.Memory{Kind: trilith.KindPassage, Text: "# A\n\n" +
					strings.TrimSpace(strings.Repeat("One. ", 80)), Trust: trilith.TrustImported,
					ExternalID: "doc#4e7084d87b84",
					Metadata:   map[string]any{"document": "a.md", "heading": "A", "lang": "en"}}},
				{Index: 1, Memory: trilith.Memory{Kind: trilith.KindPassage, Text: "## B\n\nTwo.", Seq: 1,
					Trust: trilith.TrustImported, ExternalID: "doc#ef91bd0f631c",
					Metadata: map[string]any{"document": "a.md", "heading": "A > B", "lang": "en"}}},
			}}},
	} {
		got := read(t, c.req)
		got.Hash = ""
		for i := range c.want.Drafts {
			c.want.Drafts[i].Memory.EventTime = trilith.Time(now)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Read: %s, but the plan differs (-want +got):\n%s", c.why, diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	deep := map[string]any{}
	for range MaxMetadataDepth {
		deep = map[string]any{"a": deep}
	}
	id := trilith.DeriveID("x")
	two := []trilith.Message{{Content: "a"}, {Content: "b"}}
	note := &trilith.Note{Content: "x"}
	doc := func(name, content string) *trilith.Document { return &trilith.Document{Name: name, Content: content} }
	text := func(f func(*trilith.RememberRequest)) trilith.RememberRequest {
		r := trilith.RememberRequest{Text: "x"}
		f(&r)
		return r
	}
	message := func(m trilith.Message) trilith.RememberRequest {
		return trilith.RememberRequest{Messages: []trilith.Message{{Content: "a"}, m}}
	}
	for _, c := range []struct {
		prefix string
		req    trilith.RememberRequest
	}{
		{"request: has none", trilith.RememberRequest{}},
		{"request: has text and note", trilith.RememberRequest{Text: "x", Note: note}},
		{"messages: is empty", trilith.RememberRequest{Messages: []trilith.Message{}}},
		{"role: ", text(func(r *trilith.RememberRequest) { r.Role = "king" })},
		{"speaker: ", text(func(r *trilith.RememberRequest) { r.Speaker = strings.Repeat("a", 256) })},
		{"speaker: ", text(func(r *trilith.RememberRequest) { r.Speaker = "\xff" })},
		{"external_id: ", text(func(r *trilith.RememberRequest) { r.ExternalID = "a\x00" })},
		{"request_key: ", text(func(r *trilith.RememberRequest) { r.RequestKey = strings.Repeat("a", 256) })},
		{"wait: ", text(func(r *trilith.RememberRequest) { r.Wait = "long" })},
		{"timestamp: ", text(func(r *trilith.RememberRequest) { r.Timestamp = "yesterday" })},
		{"metadata: ", text(func(r *trilith.RememberRequest) { r.Metadata = map[string]any{"a.b": 1} })},
		{"metadata: ", text(func(r *trilith.RememberRequest) { r.Metadata = map[string]any{"": 1} })},
		{"metadata: ", text(func(r *trilith.RememberRequest) { r.Metadata = map[string]any{"a": math.NaN()} })},
		{"metadata: ", text(func(r *trilith.RememberRequest) { r.Metadata = map[string]any{"a": func() {}} })},
		{"metadata: ", text(func(r *trilith.RememberRequest) {
			r.Metadata = map[string]any{"a": strings.Repeat("a", trilith.MaxMetadataBytes)}
		})},
		{"metadata" + strings.Repeat(".a", MaxMetadataDepth) + ": is nested",
			text(func(r *trilith.RememberRequest) { r.Metadata = deep })},
		{"metadata.a[1]: contains a NUL",
			text(func(r *trilith.RememberRequest) { r.Metadata = map[string]any{"a": []any{1, "\x00"}} })},
		{"tags[1]: is empty", text(func(r *trilith.RememberRequest) { r.Tags = []string{"a", " "} })},
		{"tags[1]: is the same", text(func(r *trilith.RememberRequest) { r.Tags = []string{"a", "a"} })},
		{"tags[0]: ", text(func(r *trilith.RememberRequest) {
			r.Tags = []string{strings.Repeat("a", trilith.MaxTagBytes+1)}
		})},
		{"tags: holds 65", text(func(r *trilith.RememberRequest) { r.Tags = make([]string, 65) })},
		{"supersedes[0]: ", text(func(r *trilith.RememberRequest) { r.Supersedes = []trilith.ID{"X"} })},
		{"supersedes[1]: ", text(func(r *trilith.RememberRequest) { r.Supersedes = []trilith.ID{id, id} })},
		{"supersedes: needs", trilith.RememberRequest{Messages: two, Supersedes: []trilith.ID{id}}},
		{"external_id: belongs", trilith.RememberRequest{Messages: two, ExternalID: "x"}},
		{"messages[1].role: ", message(trilith.Message{Role: "king"})},
		{"messages[1].speaker: ", message(trilith.Message{Speaker: "\x00"})},
		{"messages[1].timestamp: ", message(trilith.Message{Timestamp: "0"})},
		{"messages[1].metadata: ", message(trilith.Message{Metadata: map[string]any{"": 1}})},
		{"messages[1].tags[0]: ", message(trilith.Message{Tags: []string{""}})},
		{"messages[1].external_id: is the same as that of messages[0]",
			trilith.RememberRequest{Messages: []trilith.Message{{ExternalID: "a"}, {ExternalID: "a"}}}},
		{"note.type: ", trilith.RememberRequest{Note: &trilith.Note{Type: strings.Repeat("a", 256)}}},
		{"entry.content: ", trilith.RememberRequest{Entry: &trilith.Entry{Title: "x", Content: "\n"}}},
		{"entry.title: ", trilith.RememberRequest{Entry: &trilith.Entry{Title: strings.Repeat("a", 256), Content: "x"}}},
		{"entry.confidence: ", trilith.RememberRequest{Entry: &trilith.Entry{Content: "x", Confidence: 1.1}}},
		{"entry.confidence: ", trilith.RememberRequest{Entry: &trilith.Entry{Content: "x", Confidence: math.NaN()}}},
		{"entry.structured: ", trilith.RememberRequest{
			Entry: &trilith.Entry{Content: "x", Structured: map[string]any{"a.b": 1}}}},
		{"document.name: ", trilith.RememberRequest{Document: doc("", "x")}},
		{"document.name: ", trilith.RememberRequest{Document: doc("\xff", "x")}},
		{"document.media_type: ",
			trilith.RememberRequest{Document: &trilith.Document{Name: "a", MediaType: "text/html", Content: "x"}}},
		{"external_id: is 267", trilith.RememberRequest{Document: doc("a", "x"), ExternalID: strings.Repeat("a", 254)}},
	} {
		_, err := Read(c.req, now)
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.HasPrefix(trilith.MessageOf(err), c.prefix) {
			t.Errorf("Read(%.200v) = %v, want an invalid error that begins with %q", c.req, err, c.prefix)
		}
	}
	for _, c := range []struct {
		prefix string
		req    trilith.RememberRequest
	}{
		{"messages: ", trilith.RememberRequest{Messages: make([]trilith.Message, trilith.MaxItems+1)}},
		{"document.content: ", trilith.RememberRequest{
			Document: doc("a", strings.Repeat("a", trilith.MaxDocumentBytes+1))}},
	} {
		_, err := Read(c.req, now)
		if err == nil || trilith.KindOf(err) != trilith.Exhausted || !strings.HasPrefix(trilith.MessageOf(err), c.prefix) {
			t.Errorf("Read(a large %s) = %v, want an exhausted error that begins with it", c.prefix, err)
		}
	}
}

// The gate reports what is wrong with one text: the request goes through.
func TestReadLeavesTextsToTheGate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", trilith.MaxTextBytes+1)
	p := read(t, trilith.RememberRequest{Messages: []trilith.Message{{}, {Content: "a\xffb\x00"}, {Content: long}}})
	var got []string
	for _, d := range p.Drafts {
		got = append(got, d.Memory.Text)
	}
	if diff := cmp.Diff([]string{"", "a\xffb\x00", long}, got); diff != "" {
		t.Errorf("Read(unfit messages): texts differ (-want +got):\n%s", diff)
	}
	if p := read(t, trilith.RememberRequest{Document: &trilith.Document{Name: "empty"}}); len(p.Drafts) != 1 {
		t.Errorf("Read(empty document) has %d drafts, want 1 for the gate to refuse", len(p.Drafts))
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	base := trilith.RememberRequest{Text: "Café\nnoon", Speaker: "Ana"}
	hash := func(f func(*trilith.RememberRequest), at time.Time) string {
		r := base
		f(&r)
		p, err := Read(r, at)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash
	}
	same := hash(func(*trilith.RememberRequest) {}, now)
	for _, c := range []struct {
		why   string
		f     func(*trilith.RememberRequest)
		equal bool
	}{
		{"another form of the same text is the same", func(r *trilith.RememberRequest) { r.Text = "Cafe\u0301\r\nnoon" },
			true},
		{"labels are not content",
			func(r *trilith.RememberRequest) { r.Tags = []string{"a"}; r.Metadata = map[string]any{"a": 1} }, true},
		{"another text is another", func(r *trilith.RememberRequest) { r.Text = "Café\nnine" }, false},
		{"another speaker is another", func(r *trilith.RememberRequest) { r.Speaker = "Ben" }, false},
		{"another role is another", func(r *trilith.RememberRequest) { r.Role = trilith.RoleAssistant }, false},
		{"a given time counts", func(r *trilith.RememberRequest) { r.Timestamp = "2025-06-30" }, false},
		{"another kind is another",
			func(r *trilith.RememberRequest) { r.Note, r.Text = &trilith.Note{Content: r.Text}, "" }, false},
	} {
		if got := hash(c.f, now.Add(time.Hour)); (got == same) != c.equal || len(got) != 64 {
			t.Errorf("Hash: %s: got %s, the first was %s", c.why, got, same)
		}
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "a\r\nb\rc\n": "a\nb\rc\n", "e\u0301": "é",
		" \u200b\t": " \u200b\t", "\xff": "\xff"} {
		if got := Normalise(in); got != want {
			t.Errorf("Normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"messages":[{"content":"hi","role":"user","timestamp":"2025-06-30","metadata":{"a":{"b":[1,null,"x"]}},"tags":["t"]}],"tags":["t","u"]}`))
	f.Add([]byte(`{"text":"x","supersedes":["0197a3c2-7e11-7c31-9b2e-4111111a1111"],"imported":true,"wait":"indexed"}`))
	f.Add([]byte(`{"entry":{"content":"c","structured":{"k":[{"a":1e308},true]},"confidence":0.5}}`))
	f.Add([]byte(`{"document":{"name":"a.md","content":"---\na: b\n---\n# H\n\ntext\n` + "```" +
		`\ncode"},"external_id":"d"}`))
	f.Add([]byte(`{"note":{"type":"x","content":"\u0000\r\n"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var req trilith.RememberRequest
		if json.Unmarshal(body, &req) != nil {
			return
		}
		p, err := Read(req, now)
		if err != nil {
			if k := trilith.KindOf(err); k != trilith.Invalid && k != trilith.Exhausted {
				t.Fatalf("Read(%s) = %v of kind %s, want invalid or exhausted", body, err, k)
			}
			return
		}
		if len(p.Drafts) == 0 || len(p.Hash) != 64 {
			t.Fatalf("Read(%s) = %+v, want drafts and a hash", body, p)
		}
		for i, d := range p.Drafts {
			m := d.Memory
			if d.Index != i || m.Seq != i || m.Trust == "" || m.Kind == "" || m.EventTime.IsZero() && !d.Timed ||
				m.Text != Normalise(m.Text) {
				t.Fatalf("Read(%s): draft %d is %+v", body, i, d)
			}
			if _, err := Metadata("metadata", m.Metadata); err != nil {
				t.Fatalf("Read(%s): the metadata of draft %d do not pass their own check: %v", body, i, err)
			}
			if _, err := Tags("tags", m.Tags); err != nil {
				t.Fatalf("Read(%s): the tags of draft %d do not pass their own check: %v", body, i, err)
			}
		}
		if again, err := Read(req, now); err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("Read(%s) twice differs: %+v and %+v (%v)", body, p, again, err)
		}
	})
}

func BenchmarkRead_1000(b *testing.B) {
	req := trilith.RememberRequest{Metadata: map[string]any{"app": "chat"}}
	for range 1000 {
		req.Messages = append(req.Messages,
			trilith.Message{Content: strings.Repeat("We moved to Bergen. ", 10), Timestamp: "2025-06-30T15:04:05Z",
				Tags: []string{"home"}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(req, now); err != nil {
			b.Fatal(err)
		}
	}
}

// A document sent again after an edit stores the passages that changed and no others, wherever they are now.
func TestDocumentPassageIDs(t *testing.T) {
	t.Parallel()
	ids := func(content string) []string {
		t.Helper()
		p, err := Read(trilith.RememberRequest{
			ExternalID: "doc", Document: &trilith.Document{Name: "a.txt", Content: content}}, time.Unix(0, 0))
		if err != nil {
			t.Fatalf("Read(%q): %v", content, err)
		}
		var out []string
		for _, d := range p.Drafts {
			out = append(out, d.Memory.ExternalID)
		}
		return out
	}
	long := func(s string) string { return strings.Repeat(s+" ", maxPassage/(len(s)+1)) } // a passage of its own
	before := ids(long("First.") + "\n\n" + long("Second.") + "\n\n" + long("First."))
	after := ids(long("New.") + "\n\n" + long("First.") + "\n\n" + long("Second.") + "\n\n" + long("First."))
	if len(before) != 3 || len(after) != 4 || !slices.Equal(after[1:], []string{before[0], before[1], before[2]}) {
		t.Errorf("external ids %q became %q, want one new in front and the others as they were", before, after)
	}
	if before[0] == before[2] {
		t.Errorf("equal passages of one document share the external id %q", before[0])
	}
}
