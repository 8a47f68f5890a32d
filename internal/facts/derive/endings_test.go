package derive_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

const (
	flat  = "The flat in Rennes is right at the railway station. There is a bakery downstairs."
	moves = "I like the new flat in Nantes, a railway station is near as well."
	plays = "I play tennis every Tuesday at the club."
	stops = "The tennis racket went to my cousin, I swim on Tuesdays now."
)

// believing is a policy that believes the probabilities of the tests.
var believing = ending.Policy{Ask: true, Threshold: .9}

// diary is a memory with a model that reads facts as the entries say, and answers questions about two statements.
func diary(tb testing.TB, p ending.Policy, verdict scripted.Entry) (rig.Rig, *scripted.Model) {
	tb.Helper()
	l := rig.NewLasting()
	read := func(text, verb, object, quote string) scripted.Entry {
		return scripted.Entry{Match: text, Form: role.FormSchema, Answer: rig.Claims(rig.Claim{
			"about": "speaker", "topic": verb, "value": object, "sentence": "Ana: " + object + ".", "quote": quote})}
	}
	verdict.Match = "\"\nLater ("
	m := scripted.New(scripted.Script{Name: "demo", Entries: []scripted.Entry{
		read(stops, "likes", "swimming on Tuesdays", "I swim on Tuesdays now"),
		read(moves, "likes", "flat in Nantes", "I like the new flat in Nantes"),
		read(plays, "likes", "tennis on Tuesdays", "I play tennis every Tuesday"),
		{Form: role.FormSchema, Answer: rig.Claims()}, verdict}})
	return rig.Open(tb, l.Config(), func(c *engine.Config) { c.Model, c.Endings, c.Embedder = m, p, builtin.New() }), m
}

// says stores a turn of a person and has it read.
func says(tb testing.TB, e rig.Rig, s trilith.Scope, day, text string) trilith.Memory {
	tb.Helper()
	return e.One(tb, s, trilith.RememberRequest{Extract: trilith.ExtractLLM, Wait: trilith.WaitExtracted,
		Messages: []trilith.Message{{Role: trilith.RoleUser, Content: text, Timestamp: day}}})
}

// questions returns what a model was asked about two statements.
func questions(m *scripted.Model) (out []string) {
	for _, r := range m.Requests() {
		if r.Words != nil {
			out = append(out, r.Messages[len(r.Messages)-1].Text)
		}
	}
	return out
}

// shown returns the lines of a block about tennis that say something.
func shown(tb testing.TB, e rig.Rig, s trilith.Scope) string {
	tb.Helper()
	b, err := e.Context(tb.Context(), s, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{
		Query: "Which sport is there on Tuesdays, tennis or swimming?"}})
	if err != nil {
		tb.Fatal(err)
	}
	return b.Text
}

func TestEndings(t *testing.T) {
	t.Parallel()
	likely := func(p float64) []float64 { return []float64{p, 1 - p, 0} }
	for _, c := range []struct {
		why     string
		policy  ending.Policy
		verdict scripted.Entry
		later   string
		by      trilith.Scope
		asked   int
		ends    bool
	}{
		{"a likely yes", believing, scripted.Entry{Answer: "replaces", Likely: likely(.95)}, stops, rig.Ana, 1, true},
		{"a yes that is not likely enough", believing, scripted.Entry{Answer: "replaces", Likely: likely(.8)}, stops, rig.Ana, 1,
			false},
		{"a likely no", believing, scripted.Entry{Answer: "adds", Likely: likely(.02)}, stops, rig.Ana, 1, false},
		{"a word whose probability is not known", believing, scripted.Entry{Answer: "replaces"}, stops, rig.Ana, 1, false},
		{"a word, where words are believed", ending.Policy{Ask: true, WordOnly: true}, scripted.Entry{Answer: "Replaces."}, stops,
			rig.Ana, 1, true},
		{"no clear answer", ending.Policy{Ask: true, WordOnly: true}, scripted.Entry{Answer: "That depends."}, stops, rig.Ana, 1,
			false},
		{"a refusal", believing, scripted.Entry{Stop: role.StopRefusal}, stops, rig.Ana, 1, false},
		{"nobody is asked", ending.Policy{Threshold: .9}, scripted.Entry{Answer: "replaces", Likely: likely(.95)}, stops, rig.Ana,
			0, false},
		{"another owner", believing, scripted.Entry{Answer: "replaces", Likely: likely(.95)}, stops, rig.Ben, 0, false},
		{"a question", believing, scripted.Entry{Answer: "replaces", Likely: likely(.95)},
			"Did I tell you that I play tennis every Tuesday?", rig.Ana, 0, false},
		{"what somebody else may have said", believing, scripted.Entry{Answer: "replaces", Likely: likely(.95)},
			"See here:\nJo: Do you still play tennis?\nMe: " + stops + "\nJo: What a pity.", rig.Ana, 0, false},
	} {
		e, m := diary(t, c.policy, c.verdict)
		says(t, e, rig.Ana, "2025-01-10", plays)
		says(t, e, c.by, "2025-06-10", c.later)
		if got := questions(m); len(got) != c.asked {
			t.Errorf("%s: questions are %q, want %d", c.why, got, c.asked)
		}
		if got := shown(t, e, rig.Ana); strings.Contains(got, "every Tuesday") == c.ends {
			t.Errorf("%s: a block with the stale line is %t:\n%s", c.why, !c.ends, got)
		}
		used, err := e.Usage(t.Context(), rig.Acme, trilith.UsageQuery{})
		if err != nil || len(used.Lines) != 1 || used.Lines[0].Requests != len(m.Requests()) ||
			used.Lines[0].Purpose != trilith.PurposeExtract {
			t.Errorf("%s: of %d requests %+v are counted, %v", c.why, len(m.Requests()), used.Lines, err)
		}
	}
}

// endings asks the questions that the turns of the person leave open.
func endings(tb testing.TB, e rig.Rig, said ...trilith.Memory) {
	tb.Helper()
	who := e.Known(tb, rig.Ana, trilith.LookupRequest{Identifier: rig.User(rig.Ana)})
	j := derive.ExtractJob{Entity: who[0].Fact.EntityID, Episodes: rig.IDsOf(said)}
	d := e.Room(reflect.TypeFor[*derive.Deriver]()).(*derive.Deriver)
	if err := d.Endings(tb.Context(), "acme", trilith.DeriveID("job"), j); err != nil {
		tb.Fatal(err)
	}
}

var versions = regexp.MustCompile(`"version":\d+`)

// exported is an export without the counts of writes, which rise with an undo too.
func exported(tb testing.TB, e rig.Rig) string {
	return versions.ReplaceAllString(e.Exported(tb, rig.Acme), `"version":0`)
}

// A decision has its question, is undone exactly, is not made again, and goes with the later turn.
func TestAnEndingIsADecision(t *testing.T) {
	t.Parallel()
	quiet, _ := diary(t, ending.Policy{}, scripted.Entry{})
	was := says(t, quiet, rig.Ana, "2025-01-10", plays)
	is := says(t, quiet, rig.Ana, "2025-06-10", stops)
	before := exported(t, quiet)
	m := scripted.New(scripted.Script{Name: "demo", Entries: []scripted.Entry{{Answer: "replaces",
		Likely: []float64{.95, .05, 0}}}})
	e := rig.Open(t, quiet.Parts, func(c *engine.Config) { c.Endings, c.Model = believing, m })
	endings(t, e, was, is)
	facts := factsAbout(t, e, rig.User(rig.Ana))
	old := facts["likes tennis on Tuesdays"]
	if old.State != trilith.StateSuperseded || old.SupersededBy != facts["likes swimming on Tuesdays"].ID ||
		old.ValidUntil.Format("2006-01-02") != "2025-06-10" {
		t.Fatalf("the facts are %+v", facts)
	}
	want := trilith.Evidence{EpisodeID: is.ID, Quote: stops, End: len(stops), At: is.EventTime, Confidence: .95,
		Premises:  []trilith.Premise{{EpisodeID: was.ID, Quote: plays, End: len(plays)}},
		Certainty: trilith.Stated, Trust: is.Trust, Ends: true, SourceID: is.SourceID, Rule: "scripted:demo/replaces?",
		Successor: old.SupersededBy}
	if diff := cmp.Diff(want, old.Fact.Evidence[len(old.Fact.Evidence)-1]); diff != "" {
		t.Errorf("the evidence of the end (-want +got):\n%s", diff)
	}
	if got := shown(t, e, rig.Ana); strings.Contains(got, "every Tuesday") || !strings.Contains(got, "swim") ||
		strings.Contains(got, "corrected") {
		t.Errorf("the block is\n%s", got)
	}
	after := exported(t, e)
	endings(t, e, was, is)
	if n := len(questions(m)); n != 1 || exported(t, e) != after {
		t.Errorf("once more: %d questions, want the one", n)
	}
	made := e.Audited(t, rig.Acme, "fact.supersede")
	change := trilith.ID(made[0].Detail["change"])
	if _, err := e.Undo(t.Context(), rig.Ana, change); err != nil {
		t.Fatalf("Undo = %v", err)
	}
	endings(t, e, was, is)
	diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(exported(t, e), "\n"))
	if diff != "" || len(questions(m)) != 1 {
		t.Errorf("after the undo, and %d questions (-before +after):\n%s", len(questions(m)), diff)
	}
}

// A sentence of an earlier turn of which no fact is known leaves blocks, and comes back with everything else when the
// later turn is erased, or forgotten until it is restored.
func TestAnEndingOfATurn(t *testing.T) {
	t.Parallel()
	e, m := diary(t, believing, scripted.Entry{Answer: "replaces", Likely: []float64{.95, .05, 0}})
	says(t, e, rig.Ana, "2025-01-10", flat)
	for day, text := range map[string]string{"2025-02-01": "The printer has eaten the sheet again.",
		"2025-02-10": "Lunch was far too salty for everybody.", "2025-03-01": "My glove got lost on the tram."} {
		says(t, e, rig.Ana, day, text)
	}
	e.MustSettle(t)
	block := func() string {
		b, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{
			Query: "Where is the flat, and is it near a railway station or a bakery?"}})
		if err != nil {
			t.Fatal(err)
		}
		return b.Text
	}
	before := exported(t, e)
	is := says(t, e, rig.Ana, "2025-06-10", moves)
	if got := block(); strings.Contains(got, "Rennes") || !strings.Contains(got, "bakery downstairs") ||
		!strings.Contains(got, "Nantes") {
		t.Errorf("asked %q, the block is\n%s", questions(m), got)
	}
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{is.ID}}); err != nil {
		t.Fatal(err)
	}
	e.MustWork(t)
	if got := block(); !strings.Contains(got, "Rennes") || strings.Contains(got, "Nantes") {
		t.Errorf("the later turn is forgotten, and the block is\n%s", got)
	}
	if _, err := e.Update(t.Context(), rig.Ana, is.ID, trilith.UpdateRequest{State: new(trilith.StateActive)}); err != nil {
		t.Fatal(err)
	}
	e.MustWork(t)
	if got := block(); strings.Contains(got, "Rennes") {
		t.Errorf("the later turn is restored, and the block is\n%s", got)
	}
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{is.ID}}); err != nil {
		t.Fatal(err)
	}
	e.MustWork(t)
	if got := block(); !strings.Contains(got, "Rennes") {
		t.Errorf("the later turn is erased, and the block is\n%s", got)
	}
	for _, line := range strings.Split(exported(t, e), "\n") {
		if strings.Contains(line, `"erased":`) {
			continue
		}
		if strings.Contains(line, "Nantes") || strings.Contains(line, string(is.ID)) ||
			strings.Contains(line, `"kind":"fact"`) && !strings.Contains(before, line) {
			t.Errorf("after the erasure the export has the line %s", line)
		}
	}
}

// TestOthersAskNothing: whatever happens to others, a model is not even asked whether it ends what a person said of
// themselves, although it takes the words for the person's own and would answer yes. The lines are in testdata/others.txt.
func TestOthersAskNothing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/others.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 6 {
			continue
		}
		tried++
		first, verb, value, later := parts[0], parts[1], parts[2], parts[3]
		claim := func(text, object, whose string) scripted.Entry {
			return scripted.Entry{Match: text, Form: role.FormSchema, Answer: rig.Claims(rig.Claim{
				"about": "speaker", "topic": verb, "value": object, "sentence": object + ".", "quote": text,
				"whose_words": strings.TrimPrefix(whose, "-")})}
		}
		m := scripted.New(scripted.Script{Entries: []scripted.Entry{claim(later, parts[4], parts[5]), claim(first, value, ""),
			{Answer: "replaces", Likely: []float64{.99, .01, 0}}}})
		e := rig.InMemory(t, func(c *engine.Config) { c.Model, c.Endings, c.Embedder = m, believing, builtin.New() })
		says(t, e, rig.Ana, "2025-01-10", first)
		e.MustSettle(t)
		before := factsAbout(t, e, rig.User(rig.Ana))
		says(t, e, rig.Ana, "2025-06-10", later)
		if q := questions(m); len(q) > 0 {
			t.Errorf("%q, then %q: the model is asked", first, later)
		}
		for name, was := range before {
			if is := factsAbout(t, e, rig.User(rig.Ana))[name]; was.State != trilith.StateActive || is.State != was.State {
				t.Errorf("%q, then %q: %q is %s, and was %s", first, later, name, is.State, was.State)
			}
		}
		if len(before) == 0 {
			t.Errorf("%q: nothing is known", first)
		}
	}
	if tried != 36 {
		t.Errorf("%d statements were tried, want 36", tried)
	}
}
