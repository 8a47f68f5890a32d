package interview_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/talk/interview"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// talk is an interview with a person who answers by a script: their answers to questions about a field.
type talk struct {
	rig.Rig
	scope  trilith.Scope
	says   map[string][]string // by field; the last one again and again
	asked  map[string]int      // how often, over all sessions
	script strings.Builder
}

// session leads one interview to its end, and holds it to what interviews promise: no question is about a field that
// was known when it was asked.
func (k *talk) session(t *testing.T, name string) trilith.Interview {
	t.Helper()
	s := k.scope
	s.Session = name
	fmt.Fprintf(&k.script, "# %s\n", name)
	in, err := k.StartInterview(t.Context(), s)
	for n := 0; ; n++ {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n > 50 {
			t.Fatalf("%s: goes on and on:\n%s", name, k.script.String())
		}
		k.note(in)
		if in.State != trilith.InterviewOpen {
			return in
		}
		k.asked[in.Field]++
		gaps, gapsErr := k.InterviewGaps(t.Context(), k.scope, in.ID)
		if gapsErr != nil {
			t.Fatal(gapsErr)
		}
		if !slices.ContainsFunc(gaps.Items, func(g trilith.DomainGap) bool { return g.Field == in.Field && !g.Skipped }) {
			t.Errorf("%s asks for %s, which is no gap: %+v", name, in.Field, gaps)
		}
		list := k.says[in.Field]
		if len(list) == 0 {
			t.Fatalf("%s asks for %s, to which the script has no answer", name, in.Field)
		}
		if len(list) > 1 {
			k.says[in.Field] = list[1:]
		}
		fmt.Fprintf(&k.script, "> %s\n", list[0])
		in, err = k.AnswerInterview(t.Context(), k.scope, in.ID, trilith.InterviewAnswer{Text: list[0]})
	}
}

func (k *talk) note(in trilith.Interview) {
	for _, m := range in.Entries {
		if m.Metadata["field"] == nil {
			fmt.Fprintf(&k.script, "  [beside: %s: %s]\n", m.Entry.Title, m.Entry.Content)
		}
		for id, v := range m.Entry.Structured {
			fmt.Fprintf(&k.script, "  [%s = %s, %.1f, %q]\n", id, interview.Text(v), m.Entry.Confidence,
				m.Metadata["quote"])
		}
	}
	for _, f := range in.Repeated {
		fmt.Fprintf(&k.script, "  [%s was known]\n", f)
	}
	for _, line := range strings.Split(in.ContextSummary, "\n") {
		if line != "" && len(in.RelevantContext) > 0 {
			fmt.Fprintf(&k.script, "  | %s\n", line)
		}
	}
	for _, line := range []string{in.Acknowledgement, in.Question} {
		if line != "" {
			fmt.Fprintf(&k.script, "%s\n", line)
		}
	}
	fmt.Fprintf(&k.script, "  (%s, %d known, %d missing)\n", in.State, in.Known, in.Missing)
}

// golden compares the sessions with a file.
func (k *talk) golden(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(k.script.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), k.script.String()); diff != "" {
		t.Errorf("%s (-want +got), write it again with -update:\n%s", path, diff)
	}
}

var examples = map[string]map[string][]string{
	"werkstatt": {
		"produkte": {"Wir machen Drehteile, Frästeile und ganze Baugruppen."},
		"gruendung": {"Das weiß ich leider nicht.", "Wir stellen Drehteile her, habe ich schon gesagt.", "keine Ahnung",
			"Seit Mai 1987."},
		"mitarbeiter": {"Was meinst du damit?", "Viele.", "Wir haben 48 Mitarbeiter, und der Wartungsvertrag ist mit " +
			"Firma Huber."},
		"schichtbetrieb":     {"Ja, in zwei Schichten.", "Ja."},
		"uebergabe":          {"keine Ahnung", "Um 14 Uhr am Stehpult, mit dem Schichtbuch."},
		"kritische_maschine": {"Die Fünfachsfräse in Halle 2."},
		"stoerung":           {"Meistens der Spindelantrieb. Dann hilft nur der Kundendienst."},
		"wartung":            {"Das reicht für heute."},
	},
	"bakery": {
		"specialties":    {"We are known for rye bread, baguettes and stollen."},
		"opened":         {"No idea, sorry.", "I think it was around 1994."},
		"staff":          {"What do you mean?", "Seven, and the flour supplier is Miller & Sons."},
		"oven":           {"It is fired with wood."},
		"wood_supplier":  {"I don't know", "skip", "From the forester in Elm Valley."},
		"starter":        {"I feed it every night at 11. Actually, we have 8 employees now."},
		"flour_supplier": {"Stop."},
	},
}

// TestInterviewSessions: three interviews without a model never ask for known values, and ask for every required field
// until it is known. The golden file of questions, answers and entries is written for people to read.
func TestInterviewSessions(t *testing.T) {
	t.Parallel()
	stores := map[string]func(*testing.T) rig.Rig{
		"memory":     func(t *testing.T) rig.Rig { return rig.InMemory(t) },
		"sqlite":     func(t *testing.T) rig.Rig { return rig.OnFile(t, rig.NewPath(t)) },
		"PostgreSQL": func(t *testing.T) rig.Rig { return rig.OnPostgres(t, pgtest.Database(t)) },
	}
	for _, name := range []string{"werkstatt memory", "werkstatt sqlite", "werkstatt PostgreSQL", "bakery memory",
		"bakery sqlite", "bakery PostgreSQL"} {
		domain, store, _ := strings.Cut(name, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &talk{Rig: stores[store](t),
				scope: trilith.Scope{Tenant: "acme", Domain: domain, User: "ana", Actor: "tester"},
				says:  map[string][]string{}, asked: map[string]int{}}
			for f, list := range examples[domain] {
				k.says[f] = slices.Clone(list)
			}
			for _, name := range []string{"monday", "tuesday", "wednesday"} {
				k.session(t, name)
			}
			k.golden(t, "interview_"+domain+".txt")
			gaps, err := k.DomainGaps(t.Context(), k.scope)
			if err != nil || gaps.Missing != 0 {
				t.Errorf("DomainGaps after three sessions = %+v, %v; want none that is required", gaps, err)
			}
			for _, f := range interview.Fields(schema(t, domain)) {
				if f.Required && k.asked[f.ID] == 0 && f.ID != "staff" {
					t.Errorf("nobody asked for %s", f.ID)
				}
			}
		})
	}
}

func schema(t *testing.T, id string) *trilith.Domain {
	t.Helper()
	all, err := interview.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d trilith.Domain) bool { return d.ID == id })
	return &all[i]
}

// answer says something in an interview.
func answer(t *testing.T, r rig.Rig, s trilith.Scope, id, text string) trilith.Interview {
	t.Helper()
	in, err := r.AnswerInterview(t.Context(), s, id, trilith.InterviewAnswer{Text: text})
	if err != nil {
		t.Fatalf("AnswerInterview(%q) = %v", text, err)
	}
	return in
}

func start(t *testing.T, r rig.Rig, s trilith.Scope) trilith.Interview {
	t.Helper()
	in, err := r.StartInterview(t.Context(), s)
	if err != nil {
		t.Fatalf("StartInterview(%+v) = %v", s, err)
	}
	return in
}

// gaps are the ids of the gaps of a domain.
func gaps(t *testing.T, r rig.Rig, s trilith.Scope) string {
	t.Helper()
	g, err := r.DomainGaps(t.Context(), s)
	if err != nil {
		t.Fatalf("DomainGaps(%+v) = %v", s, err)
	}
	var ids []string
	for _, item := range g.Items {
		ids = append(ids, item.Field)
	}
	return strings.Join(ids, " ")
}

var bakery = trilith.Scope{Tenant: "acme", Domain: "bakery", User: "ana", Actor: "tester"}

func items(list ...string) string { return `{"items":[` + strings.Join(list, ",") + `]}` }

func item(field, quote, value string) string {
	return fmt.Sprintf(`{"why":"it is said","field":%q,"quote":%q,"value":%q,"content":%q,"confidence":0.95,`+
		`"corrects":false}`, field, quote, value, quote)
}

// TestInterviewWithModel: a model's reading is accepted as far as the answer supports it. An invented gap is refused,
// and so is a question about what is known; the schema's question takes its place.
func TestInterviewWithModel(t *testing.T) {
	t.Parallel()
	said := "We bake rye bread, there are seven of us, and we opened in 1994."
	e, m := rig.WithModel(t,
		scripted.Entry{Match: "# Stage: gap", Answer: `{"why":"people first","field":"staff"}`},
		scripted.Entry{Match: "# Stage: persona", Answer: `{"question":"Tell me, how many people work with you?"}`},
		scripted.Entry{Match: "# Stage: classify", Answer: `{"why":"it says a lot","kind":"answer"}`},
		scripted.Entry{Match: "# Stage: structure", Answer: items(item("staff", "there are seven of us", "7"),
			item("specialties", "We bake rye bread", "rye bread"), item("opened", "we opened in 1994", "1994"),
			item("oven", "the oven is fired with gas", "gas"), item("starter", "We bake rye bread", "feed it twice"),
			item("nonsense", "We bake rye bread", "x"))},
		scripted.Entry{Match: "# Stage: gap", Answer: `{"why":"again","field":"staff"}`},
		scripted.Entry{Match: "# Stage: persona", Answer: `{"question":"How many people work here?"}`},
		scripted.Entry{Match: "# Stage: classify", Answer: `{"why":"it repeats","kind":"answer"}`},
		scripted.Entry{Match: "# Stage: structure", Answer: items(item("opened", "Since 1994", "1994"),
			item("oven", "we heat with beech", "wood"))},
		scripted.Entry{Match: "# Stage: gap", Answer: `{"why":"it goes with wood","field":"wood_supplier"}`},
		scripted.Entry{Match: "# Stage: persona",
			Answer: `{"question":"You mentioned the oven — where do you get the wood for it?"}`},
		scripted.Entry{Match: "# Stage: classify", Fails: true, Kind: trilith.Unavailable},
	)
	in := start(t, e, bakery)
	if in.Field != "staff" || in.Question != "Tell me, how many people work with you?" {
		t.Errorf("StartInterview asks %q for %s, want what the model chose", in.Question, in.Field)
	}
	in = answer(t, e, bakery, in.ID, said)
	got := map[string]string{}
	for _, m := range in.Entries {
		for id, v := range m.Entry.Structured {
			got[id] = interview.Text(v)
		}
	}
	if diff := cmp.Diff(map[string]string{"staff": "7", "specialties": "rye bread", "opened": "1994"},
		got); diff != "" {
		t.Errorf("the entries of the answer (-want +got):\n%s", diff)
	}
	if in.Field != "oven" || in.Question != "Is the oven fired with gas, wood or electricity?" ||
		!slices.Equal(in.Without, []trilith.Stage{trilith.StageGap, trilith.StagePersona}) {
		t.Errorf("the next question is %q for %s, without %v; want the schema's, for the oven", in.Question, in.Field,
			in.Without)
	}
	prompts := ""
	in = answer(t, e, bakery, in.ID, "Since 1994 we heat with beech.")
	if !slices.Equal(in.Repeated, []string{"opened"}) || in.Field != "wood_supplier" ||
		in.Question != "You mentioned the oven — where do you get the wood for it?" {
		t.Errorf("after a repetition: %+v, want it noticed, and the model's question for the wood", in)
	}
	for _, r := range m.Requests() {
		if text := r.Messages[0].Text; strings.HasPrefix(text, "# Stage: gap") {
			prompts = text
		}
	}
	_, after, _ := strings.Cut(prompts, "## Already Known")
	for _, line := range []string{"- Specialties: rye bread", "- Opening year: 1994", "- Staff: 7", "- Oven: wood"} {
		if !strings.Contains(after, line+"\n") {
			t.Errorf("the gap prompt lacks %q under Already Known:\n%s", line, prompts)
		}
	}
	in = answer(t, e, bakery, in.ID, "From the forester.")
	if len(in.Entries) != 1 || in.Field != "starter" || !slices.Equal(in.Without, []trilith.Stage{trilith.StageClassify}) {
		t.Errorf("with a model that is away: %+v, want rules to go on", in)
	}
	if left := m.Unused(); len(left) > 0 {
		t.Errorf("the script has left %q", left)
	}
}

// TestInterviewContext: the dispatcher shows what other sessions know, and never the session's own.
func TestInterviewContext(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		other := bakery
		other.Session = "before"
		e.MustAddEntry(t, other, trilith.EntryRequest{Entry: trilith.Entry{Category: "Suppliers", Title: "Wood",
			Content: "The forester of Elm Valley brings beech wood in October."}, Wait: trilith.WaitIndexed})
		in := start(t, e, bakery)
		said := "The forester of Elm Valley brings beech wood in October."
		in = answer(t, e, bakery, in.ID, said)
		want := "Related knowledge already captured:\n- [Suppliers] Wood (score: "
		if !strings.HasPrefix(in.ContextSummary, want) || len(in.RelevantContext) != 1 ||
			!strings.HasSuffix(in.ContextSummary, "Total entries in domain: 1") {
			t.Errorf("ContextSummary = %q with %d entries, want %q…", in.ContextSummary, len(in.RelevantContext), want)
		}
		in = answer(t, e, bakery, in.ID, said)
		for _, h := range in.RelevantContext {
			if h.Memory.Scope.Session == in.ID {
				t.Errorf("the context of an interview holds its own %q", h.Memory.Text)
			}
		}
	})
}

// TestInterviewBeside: what a person tells that no field asks for is an entry in their own words. The next session knows
// it: it is similar, in a block of knowledge, in the context, and not stored again. It goes with its answer.
func TestInterviewBeside(t *testing.T) {
	t.Parallel()
	const told = "Der Gründer Karl Brandt hat im Krieg die Drehbank im Garten vergraben, sie steht heute noch in Halle 2."
	free := func(category, title, quote string) string {
		return items(fmt.Sprintf(`{"why":"","field":"none","quote":%q,"value":"","category":%q,"title":%q,"structured":`+
			`[{"name":"halle","value":"2"},{"name":"jahr","value":"1944"},{"name":"mitarbeiter","value":"2"}],`+
			`"content":%q,"confidence":0.9,"corrects":false}`, quote, category, title, quote))
	}
	own := "Der Gründer Karl Brandt hat im"
	for _, c := range []struct{ name, structure, category, title, content, data string }{
		{"rules", "", "Werkstattwissen", own, strings.TrimSuffix(told, "."), "map[]"},
		{"a model that finds nothing", items(), "Werkstattwissen", own, strings.TrimSuffix(told, "."), "map[]"},
		{"a model", free("Geschichte", "Drehbank im Garten", told), "Geschichte", "Drehbank im Garten", told, "map[halle:2]"},
		{"a model that titles it by a field", free("Geschichte der Werkstatt und mehr", "Produkte", told), "Werkstattwissen",
			own, told, "map[halle:2]"},
		{"a model that invents", free("Geschichte", "Gestohlene Fräse", "Karl Brandt stahl die Fräse"), "Werkstattwissen", own,
			strings.TrimSuffix(told, "."), "map[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, func(conf *engine.Config) {
				conf.Embedder = builtin.New()
				if c.structure != "" {
					conf.Model = scripted.New(scripted.Script{Entries: []scripted.Entry{
						{Match: "# Stage: classify", Answer: `{"why":"","kind":"answer"}`},
						{Match: "# Stage: structure", Answer: c.structure},
						{Match: "# Stage", Fails: true, Kind: trilith.Invalid}}})
				}
			})
			s := trilith.Scope{Tenant: "acme", Domain: "werkstatt", User: "ana", Actor: "tester"}
			in := start(t, e, s)
			in = answer(t, e, s, in.ID, told)
			if len(in.Entries) != 1 || in.Known != 0 || in.Field != "produkte" ||
				!strings.HasPrefix(in.Acknowledgement, "Danke, das habe ich notiert.") {
				t.Fatalf("the answer brought %+v, want an entry that fills no field, and the question again", in)
			}
			m := in.Entries[0]
			if got := m.Entry; got.Category != c.category || got.Title != c.title || got.Content != c.content ||
				fmt.Sprint(got.Structured) != c.data || m.Metadata["field"] != nil ||
				m.Metadata["answer"] != string(in.AnswerID) {
				t.Errorf("the entry is %+v with %v", got, m.Metadata)
			}
			e.MustSettle(t)
			const asked = "Die Drehbank von Karl Brandt läuft noch."
			if got := e.Similar(t, s, trilith.SimilarRequest{Text: asked}); len(got) != 1 {
				t.Errorf("similar to %q are %v", asked, got)
			}
			b, err := e.Context(t.Context(), s, trilith.ContextRequest{Format: trilith.FormatKnowledge,
				RecallRequest: trilith.RecallRequest{Query: asked}})
			if err != nil || !strings.Contains(b.Text, "im Garten vergraben") {
				t.Errorf("the block of knowledge is %q, %v", b.Text, err)
			}
			next := start(t, e, s)
			next = answer(t, e, s, next.ID, told)
			if len(next.RelevantContext) == 0 || !strings.Contains(next.ContextSummary, "im Garten vergraben") ||
				len(next.Entries) != 0 || !strings.HasPrefix(next.Acknowledgement, "Danke, das habe ich schon.") {
				t.Errorf("in the next session: %+v, want it known", next)
			}
			if _, err := e.Erase(t.Context(), s, trilith.EraseRequest{IDs: []trilith.ID{in.AnswerID}}); err != nil {
				t.Fatal(err)
			}
			if got := e.Similar(t, s, trilith.SimilarRequest{Text: asked}); len(got) != 0 {
				t.Errorf("after the erasure of the answer similar are %v", got)
			}
		})
	}
}

// TestInterviewCorrection: a correction takes the place of what another session captured, and history shows it.
func TestInterviewCorrection(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		before := bakery
		before.Session = "before"
		old := e.MustAddEntry(t, before, trilith.EntryRequest{Entry: trilith.Entry{Title: "Staff", Content: "7",
			Structured: map[string]any{"staff": 7}}})
		in := start(t, e, bakery)
		in = answer(t, e, bakery, in.ID, "Rye bread. Actually, we have 8 employees now.")
		got, err := e.Get(t.Context(), bakery, old.ID)
		if err != nil || got.State != trilith.StateSuperseded || len(in.Entries) != 2 {
			t.Fatalf("the old entry is %+v, %v; the answer brought %+v", got, err, in.Entries)
		}
		h, err := e.History(t.Context(), bakery, got.SupersededBy)
		if err != nil || !strings.Contains(fmt.Sprint(h), string(old.ID)) {
			t.Errorf("History of the new entry = %+v, %v; want the old one in it", h, err)
		}
		in = answer(t, e, bakery, in.ID, "In 1994, with 9 employees.")
		if g, err := e.DomainGaps(t.Context(), bakery); err != nil ||
			!slices.ContainsFunc(g.Known, func(k trilith.KnownField) bool {
				return k.Field == "staff" &&
					k.Value == "8"
			}) {
			t.Errorf("DomainGaps = %+v, %v: a number beside a name is no correction; %+v", g, err, in)
		}
	})
}

// TestInterviewScope: one person's answers are not known of another, answers for the whole project are known to all
// who ask for all, and sessions of one name in different scopes are distinct.
func TestInterviewScope(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	of := func(user string) trilith.Scope {
		s := bakery
		s.User, s.Session = user, "monday"
		return s
	}
	everybody := trilith.Scope{Tenant: "acme", Domain: "bakery"}
	start(t, e, of("ana"))
	answer(t, e, of("ana"), "monday", "Rye bread.")
	all := gaps(t, e, of("ben"))
	if own := gaps(t, e, of("ana")); strings.Contains(own, "specialties") || !strings.HasPrefix(all, "specialties ") ||
		gaps(t, e, everybody) != own {
		t.Errorf("gaps of ana %q, of ben %q, of all %q", own, all, gaps(t, e, everybody))
	}
	_, err := e.AnswerInterview(t.Context(), of("ben"), "monday", trilith.InterviewAnswer{Text: "Stollen."})
	rig.WantError(t, "AnswerInterview of another person", err, trilith.NotFound, `interview "monday" does not exist`)
	start(t, e, of("ben"))
	_, err = e.AnswerInterview(t.Context(), rig.Acme, "monday", trilith.InterviewAnswer{Text: "Stollen."})
	rig.WantError(t, "AnswerInterview of two", err, trilith.Conflict, "name the project, domain or user")
	answer(t, e, of("ben"), "monday", "Stollen.")
	for call, err := range map[string]error{
		"of no domain":      errorOf(e.StartInterview(t.Context(), rig.Acme)),
		"of another domain": errorOf(e.StartInterview(t.Context(), trilith.Scope{Tenant: "acme", Domain: "fishery"})),
		"of nothing":        errorOf(e.AnswerInterview(t.Context(), rig.Acme, "monday", trilith.InterviewAnswer{Text: " "})),
		"of too much": errorOf(e.AnswerInterview(t.Context(), rig.Acme, "monday",
			trilith.InterviewAnswer{Text: strings.Repeat("a", trilith.MaxAnswerBytes+1)})),
	} {
		if k := trilith.KindOf(err); k != trilith.Invalid && k != trilith.NotFound {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestInterviewErase: an answer takes the entries with it that were taken from it, and a session everything.
func TestInterviewErase(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		all := gaps(t, e, bakery)
		in := start(t, e, bakery)
		first := answer(t, e, bakery, in.ID, "Zwieback and stollen.")
		answer(t, e, bakery, in.ID, "In 1994.")
		dry, err := e.Erase(t.Context(), bakery, trilith.EraseRequest{IDs: []trilith.ID{first.AnswerID}, DryRun: true})
		if err != nil || dry.Memories != 2 {
			t.Errorf("Erase of an answer would erase %+v, %v; want it and its entry", dry, err)
		}
		if _, err := e.Erase(t.Context(), bakery, trilith.EraseRequest{IDs: []trilith.ID{first.AnswerID}}); err != nil {
			t.Fatal(err)
		}
		if text := e.Exported(t, bakery); strings.Contains(text, "wieback") || !strings.Contains(text, "1994") {
			t.Errorf("after the erasure of the first answer the export is\n%s", text)
		}
		if got := gaps(t, e, bakery); got != strings.Replace(all, "opened ", "", 1) {
			t.Errorf("gaps are %q, want the specialties again, and not the year", got)
		}
		s := bakery
		s.Session = in.ID
		if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{
			Filter: trilith.Where("session", trilith.OpEq, in.ID)}); err != nil {
			t.Fatal(err)
		}
		if left := e.All(t, s); len(left) > 0 || gaps(t, e, bakery) != all {
			t.Errorf("after the erasure of the session there are %d memories, and gaps %q", len(left), gaps(t, e, bakery))
		}
		_, err = e.InterviewGaps(t.Context(), bakery, in.ID)
		rig.WantError(t, "InterviewGaps of an erased interview", err, trilith.NotFound, "does not exist")
		_, err = e.StartInterview(t.Context(), s)
		rig.WantError(t, "StartInterview in an erased session", err, trilith.Conflict, "begin one in another session")
		if again := start(t, e, bakery); again.Field != "specialties" {
			t.Errorf("StartInterview = %+v, want the first question", again)
		}
	})
}

// TestInterviewRestored: an interview goes on where its export is restored.
func TestInterviewRestored(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e, other := open(), open()
		in := start(t, e, bakery)
		in = answer(t, e, bakery, in.ID, "Rye bread.")
		other.MustRestore(t, rig.Acme, e.Items(t, rig.Acme))
		s := bakery
		s.Session = in.ID
		again := start(t, other, s)
		if again.Question != in.Question || again.Field != in.Field || again.Known != 1 {
			t.Errorf("StartInterview after restoring = %+v, want %+v", again, in)
		}
	})
}

// TestInterviewKilled ends the process before each of its writes, between an answer and the next question. A caller
// that starts the interview again loses nothing: no answer, no entry twice, no question for what was said.
func TestInterviewKilled(t *testing.T) {
	t.Parallel()
	s := bakery
	s.Session = "monday"
	const said = "We bake rye bread. We opened in 1994, with 7 employees."
	var whole string
	for writes := 0; writes < 6; writes++ {
		kept := rig.NewLasting()
		alive := true
		e := rig.Open(t, kept.Config(), func(c *engine.Config) { c.Extract = trilith.ExtractNone })
		start(t, e, s)
		left := writes
		kept.Inject(rig.Gone(&left, &alive))
		_, err := e.AnswerInterview(rig.Counted(t), s, "monday", trilith.InterviewAnswer{Text: said})
		if (err == nil) != alive {
			t.Errorf("after %d writes AnswerInterview = %v", writes, err)
		}
		kept.Inject(inmem.Fault{})
		next := rig.Open(t, kept.Config(), func(c *engine.Config) { c.Extract = trilith.ExtractNone })
		in := start(t, next, s)
		if writes == 0 { // it was never acknowledged, and is not there: it is sent again
			if in.Field != "specialties" {
				t.Errorf("StartInterview = %+v, want the first question again", in)
			}
			in = answer(t, next, s, "monday", said)
		}
		var told []string
		for _, m := range next.All(t, s) {
			told = append(told, fmt.Sprintf("%s %s: %s", m.Kind, m.Role, m.Text))
		}
		got := strings.Join(rig.Sorted(told), "\n") + "\n" + in.Question
		if whole == "" {
			whole = got
		}
		if diff := cmp.Diff(whole, got); diff != "" || in.Field != "oven" {
			t.Errorf("after %d writes it goes on with %s (-never cut off +got):\n%s", writes, in.Field, diff)
		}
	}
}

// TestInterviewAnsweredTwice: an answer with a key is one answer however often it comes, also at once.
func TestInterviewAnsweredTwice(t *testing.T) {
	t.Parallel()
	rig.EveryStore(t, func(t *testing.T, open func(...func(*engine.Config)) rig.Rig) {
		e := open()
		in := start(t, e, bakery)
		var questions [8]string
		rig.Together(len(questions), func(i int) {
			got, err := e.AnswerInterview(t.Context(), bakery, in.ID,
				trilith.InterviewAnswer{Text: "Rye bread.", RequestKey: "first"})
			if err != nil || len(got.Entries) != 1 {
				t.Errorf("AnswerInterview = %+v, %v", got, err)
			}
			questions[i] = got.Question
		})
		for _, q := range questions {
			if q != "When did the bakery open?" {
				t.Errorf("the question after the answer is %q", q)
			}
		}
		s := bakery
		s.Session = in.ID
		if n := len(e.All(t, s)); n != 4 {
			t.Errorf("the session has %d memories, want two questions, an answer and an entry", n)
		}
	})
}

// TestInterviewOfTwoProcesses: two processes that take two answers to one interview at once ask no question on top of
// another, and keep what both say.
func TestInterviewOfTwoProcesses(t *testing.T) {
	t.Parallel()
	for range 20 {
		kept := rig.NewLasting()
		quiet := func(c *engine.Config) { c.Extract = trilith.ExtractNone }
		both := []rig.Rig{rig.Open(t, kept.Config(), quiet), rig.Open(t, kept.Config(), quiet)}
		s := bakery
		s.Session = "monday"
		start(t, both[0], s)
		said := []string{"Rye bread and stollen.", "The bakery opened in 1994, and we are 7 employees."}
		var got [2]trilith.Interview
		rig.Together(2, func(i int) { got[i] = answer(t, both[i], s, "monday", said[i]) })
		turns, err := both[0].List(t.Context(), s, trilith.ListRequest{Filter: rig.Episodes})
		if err != nil {
			t.Fatal(err)
		}
		ms := turns.Items
		slices.SortFunc(ms, func(a, b trilith.Memory) int { return a.Seq - b.Seq })
		for i := range ms[1:] {
			if ms[i].Role == trilith.RoleAssistant && ms[i+1].Role == trilith.RoleAssistant {
				t.Errorf("%q was asked behind %q, with no answer between them", ms[i+1].Text, ms[i].Text)
			}
		}
		again := start(t, both[1], s)
		if again.Field != "oven" {
			t.Errorf("the interview goes on with %s, want what nobody said", again.Field)
		}
	}
}
