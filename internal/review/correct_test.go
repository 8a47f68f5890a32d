package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// wrongFact is a fact of some verb as rules or a model leave it, whatever they read.
type wrongFact struct {
	verb, node, value, text string
	kind                    trilith.FactType
	single                  bool
}

var wrongFacts = map[string]wrongFact{
	"home":     {"lives_in", "Location", "Leeds", "Nadia lives in Leeds.", trilith.FactProfile, true},
	"employer": {"works_at", "Organization", "Direct Line", "Nadia works at Direct Line.", trilith.FactProfile, true},
	"job":      {"works_as", "Occupation", "nurse", "Nadia works as a nurse.", trilith.FactProfile, true},
	"allergy":  {"allergic_to", "Allergen", "cheese", "Nadia is allergic to cheese.", trilith.FactProfile, false},
	"taste":    {"likes", "Thing", "jazz", "Nadia likes jazz.", trilith.FactPreference, false},
	"task": {"has_task", "Task", "call the midwife", "Task: call the midwife", trilith.FactTask,
		false},
	"plan":    {"plans", "Plan", "move to Porto", "Nadia plans to move to Porto.", trilith.FactPlan, false},
	"money":   {"has_payment", "Payment", "410 GBP for the hotel", "Paid: 410 GBP for the hotel", trilith.FactFinancial, false},
	"partner": {"has_partner", "Person", "Tom", "Nadia's partner is Tom.", trilith.FactRelationship, true},
	"car":     {"owns", "Thing", "Skoda", "Nadia besitzt einen Skoda.", trilith.FactProfile, false},
}

// wrong stores a fact with its words, by no rule.
func wrong(t *testing.T, r rig.Rig, s trilith.Scope, f wrongFact) trilith.Memory {
	t.Helper()
	said := r.MustRemember(t, s, trilith.RememberRequest{Timestamp: "2025-02-01T10:00:00Z", Extract: trilith.ExtractNone,
		Messages: []trilith.Message{{Speaker: "Nadia", Content: "Something about " + f.value + "."}}}).Memories[0]
	who, err := r.Assimilate(t.Context(), s, trilith.AssimilateRequest{Content: "Mmh.",
		Identifier: trilith.Identifier{Type: "user_id", Value: s.User}, Timestamp: "2025-01-01"})
	if err != nil {
		t.Fatal(err)
	}
	fact := &trilith.Fact{Owner: s.Owner(), EntityID: who.Entity.ID, Verb: f.verb, Type: f.kind, SingleValued: f.single,
		Node: trilith.Node{Type: f.node, Name: f.value}, Polarity: trilith.Affirmed, Certainty: trilith.Stated,
		Confidence: 0.85, AuthorRole: trilith.RoleUser, Priority: trilith.PriorityNormal,
		RequiresAction: f.kind == trilith.FactTask,
		Verification:   trilith.Verification{Status: trilith.PendingApproval},
		Evidence: []trilith.Evidence{{EpisodeID: said.ID, Quote: said.Text, End: len(said.Text), At: said.EventTime,
			Confidence: 0.85, Certainty: trilith.Stated, Trust: trilith.TrustUserStated, Says: f.text}}}
	fact.FactID = fact.Node.ID()
	fact.RelationshipKey = fact.Key()
	m := trilith.Memory{ID: fact.MemoryID(), Version: 1, Kind: trilith.KindFact, Text: f.text, Scope: s.Bare(),
		EventTime: said.EventTime, RecordedAt: said.EventTime, State: trilith.StateActive, Trust: trilith.TrustUserStated,
		Fact: fact}
	if _, err := r.Parts.Store.Commit(t.Context(), trilith.Scope{Tenant: s.Tenant},
		role.Batch{Memories: []trilith.Memory{m}}); err != nil {
		t.Fatal(err)
	}
	return m
}

// What takes the place of a wrong fact: the person's words, or nothing where they only deny it.
const (
	words   = "words"
	nothing = "nothing"
)

// Corrections as people write them, written before anything could read them.
var corrections = []struct{ of, text, leaves string }{
	{"home", "No, it's Gdańsk now", words},
	{"home", "I live at 7 Wharfe View, Ilkley LS29.", words},
	{"home", "we moved to york in march", words},
	{"home", "that was my sister", words},
	{"home", "stimmt nicht mehr", nothing},
	{"home", "Ich wohne nicht mehr in Leeds", nothing},
	{"home", "nein, ich wohne jetzt in Göttingen", words},
	{"home", "Bin nach Kassel gezogen", words},
	{"home", "not Leeds but Leith", words},
	{"home", "J'habite à Lyon maintenant.", words},
	{"home", "ya no vivo en Leeds", nothing},
	{"home", "vivo en Sevilla desde mayo", words},
	{"employer", "I never worked at Direct Line, that is my insurer.", words},
	{"employer", "Brightwater Logistics", words},
	{"employer", "I never worked at Direct Line.", nothing},
	{"employer", "direct line is just my car insurance", words},
	{"employer", "wrong", nothing},
	{"employer", "Da arbeite ich nicht, das ist meine Versicherung", words},
	{"employer", "I quit, I'm freelance these days", words},
	{"employer", "je ne travaille plus chez Direct Line", nothing},
	{"job", "midwife, not nurse", words},
	{"job", "i'm retired", words},
	{"job", "I don't work as a nurse any more.", nothing},
	{"job", "Hebamme", words},
	{"job", "I am a nurse practitioner", words},
	{"allergy", "Only cow's milk is a problem for me, goat's cheese is fine.", words},
	{"allergy", "I can't have cow's milk.", words},
	{"allergy", "not allergic", nothing},
	{"allergy", "die Allergie hat mein Neffe, nicht ich", words},
	{"allergy", "outgrew it years ago", words},
	{"allergy", "c'est faux", nothing},
	{"taste", "free jazz only", words},
	{"taste", "can't stand it anymore tbh", words},
	{"taste", "nie", nothing},
	{"taste", "Das war ironisch gemeint.", words},
	{"task", "I have already called the midwife.", nothing},
	{"task", "done", nothing},
	{"task", "Schon erledigt!", nothing},
	{"task", "call the doctor instead", words},
	{"task", "Tom is doing that", words},
	{"plan", "we've given up on Porto, it will be Lisbon", words},
	{"plan", "abgesagt, wir bleiben hier", words},
	{"plan", "in october, not in may", words},
	{"money", "The hotel cost 410 euros, not pounds.", words},
	{"money", "it was 401", words},
	{"money", "das hat Tom bezahlt", words},
	{"partner", "We split up last summer", words},
	{"partner", "tom's my brother lol", words},
	{"partner", "Seit Juni verheiratet mit Jonas", words},
	{"car", "Ich habe das Auto verkauft", words},
}

// A person corrects what is known of them in any words. Every correction closes the wrong fact, and the words take its
// place, or nothing does. The words are in no conversation, and undoing leaves no trace.
func TestCorrectionsInPlainWords(t *testing.T) {
	t.Parallel()
	if len(corrections) != 50 {
		t.Fatalf("%d corrections, want 50", len(corrections))
	}
	for i, c := range corrections {
		t.Run(fmt.Sprintf("%s/%s", c.of, c.text), func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, rig.Likenesses["without vectors"])
			s := trilith.Scope{Tenant: "acme", User: "nadia", Session: "february", Actor: "nadia"}
			old := wrong(t, e, s, wrongFacts[c.of])
			turns := len(turnsOf(t, e, s))
			before := image(t, e)
			scope := s
			scope.Session = ""
			pair, err := e.SupersedeFact(t.Context(), scope, old.ID, trilith.SupersedeRequest{Text: c.text})
			if err != nil {
				t.Fatal(err)
			}
			now, err := e.Get(t.Context(), scope, old.ID)
			if err != nil || now.State == trilith.StateActive || now.State == trilith.StateCandidate {
				t.Fatalf("the wrong fact is %s, %v", now.State, err)
			}
			switch by := pair.By; {
			case c.leaves == nothing && by != nil:
				t.Errorf("%q takes its place, want nothing", by.Text)
			case c.leaves == words && by == nil:
				t.Errorf("it is %s and nothing takes its place", now.State)
			case by != nil && (by.Text != c.text || by.Fact.Verb != old.Fact.Verb || by.State != trilith.StateActive ||
				by.Trust != trilith.TrustUserConfirmed || by.Fact.Verification.By != "nadia"):
				t.Errorf("%+v takes its place", by)
			}
			if got := len(turnsOf(t, e, s)); got != turns {
				t.Errorf("the conversation has %d turns, had %d", got, turns)
			}
			facts, err := e.Facts(t.Context(), scope, trilith.FactQuery{})
			if err != nil || slices.ContainsFunc(facts.Items, func(h trilith.FactHit) bool { return h.Memory.ID == old.ID }) {
				t.Errorf("the wrong fact is listed, %v", err)
			}
			if _, err := e.Undo(t.Context(), scope, pair.Change); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(image(t, e), "\n")); diff != "" {
				t.Errorf("correction %d, undone (-before +after):\n%s", i, diff)
			}
		})
	}
}

// A correction that is a name in a few common words has that name as its value; any other is its own value. A block
// says it once.
func TestValueOfACorrection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, text, value string }{
		{"home", "No, it's Amersfoort since May", "Amersfoort"},
		{"home", "Es ist Leer, seit März 2024", "Leer"},
		{"home", "c'est Lyon", "Lyon"},
		{"home", "not Leeds but Leith", "Leith"},
		{"home", "No, New York!", "New York"},
		{"home", "es Perth, no Leeds", "Perth"},
		{"home", "Le Mans", "Le Mans"},
		{"home", "Es São Paulo, no Leeds", "Es São Paulo, no Leeds"},
		{"partner", "She is with Jonas, not with Tom.", "Jonas"},
		{"home", "that was my sister", "that was my sister"},
		{"home", "Leith is where my sister works", "Leith is where my sister works"},
		{"home", "maybe Leith", "maybe Leith"},
		{"home", "It's Leith or Perth", "It's Leith or Perth"},
		{"home", "It is not Leith either", "It is not Leith either"},
		{"task", "Tom is doing that", "Tom is doing that"},
		{"taste", "it is Ska", "it is Ska"},
	} {
		e := rig.InMemory(t, rig.Likenesses["without vectors"])
		s := trilith.Scope{Tenant: "acme", User: "nadia", Actor: "nadia"}
		old := wrong(t, e, s, wrongFacts[c.of])
		pair, err := e.SupersedeFact(t.Context(), s, old.ID, trilith.SupersedeRequest{Text: c.text})
		if err != nil || pair.By == nil || pair.By.Fact.Node.Name != c.value || pair.By.Text != c.text {
			t.Errorf("%q takes the place of %q: %+v, %v; want the value %q", c.text, old.Text, pair.By, err, c.value)
		}
		e.MustSettle(t)
		for _, query := range []string{"Something about " + old.Fact.Node.Name, c.text} {
			b, err := e.Context(t.Context(), s, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: query}})
			if err != nil || strings.Count(b.Text, c.text) != 1 {
				t.Errorf("the block of %q says %q other than once, %v:\n%s", query, c.text, err, b.Text)
			}
		}
	}
}

func turnsOf(t *testing.T, r rig.Rig, s trilith.Scope) []trilith.Memory {
	t.Helper()
	return slices.DeleteFunc(r.All(t, s), func(m trilith.Memory) bool { return m.Kind != trilith.KindEpisode })
}

// A correction that is refused changes nothing and stores nothing.
func TestCorrectionsThatAreRefused(t *testing.T) {
	t.Parallel()
	rig.EachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig.Rig) {
		e := open(t, rig.Likenesses["without vectors"])
		nadia := trilith.Scope{Tenant: "acme", User: "nadia", Actor: "nadia"}
		old := wrong(t, e, nadia, wrongFacts["home"])
		closed := wrong(t, e, nadia, wrongFacts["taste"])
		if _, err := e.VerifyFact(t.Context(), nadia, closed.ID,
			trilith.VerifyRequest{Decision: trilith.DecideEnded}); err != nil {
			t.Fatal(err)
		}
		before := image(t, e)
		audit := len(auditLog(t, e))
		for name, c := range map[string]struct {
			scope trilith.Scope
			id    trilith.ID
			text  string
			at    string
			kind  trilith.ErrorKind
		}{
			"empty":            {nadia, old.ID, "", "", trilith.Invalid},
			"blank":            {nadia, old.ID, " \n\t ", "", trilith.Invalid},
			"invisible":        {nadia, old.ID, "\u200b\u200b", "", trilith.Invalid},
			"unknown":          {nadia, trilith.DeriveID("nobody"), "York", "", trilith.NotFound},
			"no id":            {nadia, "nonsense", "York", "", trilith.Invalid},
			"another tenant":   {trilith.Scope{Tenant: "other"}, old.ID, "York", "", trilith.NotFound},
			"another user":     {rig.Ben, old.ID, "York", "", trilith.NotFound},
			"closed":           {nadia, closed.ID, "blues", "", trilith.Invalid},
			"closed, denied":   {nadia, closed.ID, "not any more", "", trilith.Invalid},
			"too long":         {nadia, old.ID, strings.Repeat("Gdańsk ", 1000), "", trilith.Invalid},
			"no UTF-8":         {nadia, old.ID, "Gda\xff", "", trilith.Invalid},
			"NUL":              {nadia, old.ID, "Gda\x00", "", trilith.Invalid},
			"an order":         {nadia, old.ID, rig.OrderText, "", trilith.Invalid},
			"a secret":         {nadia, old.ID, "York, and my key is " + rig.AWSKey, "", trilith.Invalid},
			"the same":         {nadia, old.ID, old.Text, "", trilith.Invalid},
			"too early":        {nadia, old.ID, "York", "2020-01-01", trilith.Invalid},
			"too early denied": {nadia, old.ID, "not any more", "2020-01-01", trilith.Invalid},
			"no time":          {nadia, old.ID, "York", "noon", trilith.Invalid},
		} {
			_, err := e.SupersedeFact(t.Context(), c.scope, c.id, trilith.SupersedeRequest{Text: c.text, At: c.at})
			rig.WantError(t, name, err, c.kind, "")
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(image(t, e), "\n")); diff != "" {
				t.Fatalf("%s has an effect (-before +after):\n%s", name, diff)
			}
		}
		if got := len(auditLog(t, e)); got != audit {
			t.Errorf("the audit has grown from %d to %d", audit, got)
		}
	})
}

func auditLog(t *testing.T, r rig.Rig) []trilith.AuditEntry {
	t.Helper()
	log, err := r.Audit(t.Context(), rig.Acme, 0, 10000)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// Every action of an item has its effect, and takes the item out of the inbox.
func TestActionsOfItems(t *testing.T) {
	t.Parallel()
	nadia := trilith.Scope{Tenant: "acme", User: "nadia", Actor: "nadia"}
	for action, want := range map[trilith.Decision]trilith.State{trilith.DecideVerify: trilith.StateActive,
		trilith.DecideEnded: trilith.StateExpired, trilith.DecideDone: trilith.StateExpired,
		trilith.DecideReject: trilith.StateRetracted, trilith.DecideNotAbout: trilith.StateRetracted,
		trilith.DecideDismiss: trilith.StateCandidate} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t, rig.Likenesses["without vectors"])
			id := wrong(t, e, nadia, wrongFacts["task"]).ID
			e.Change(t, id, func(m *trilith.Memory) {
				m.State = trilith.StateCandidate
				m.Fact.Evidence[0].Proposed = true
			})
			page := inbox(t, e, nadia, trilith.InboxQuery{})
			if len(page.Items) != 1 || !slices.Contains(page.Items[0].Actions, action) ||
				!slices.Contains(page.Items[0].Actions, trilith.DecideEdit) {
				t.Fatalf("the inbox is %+v, want one item that takes %s", page.Items, action)
			}
			before := image(t, e)
			report := decideAll(t, e, nadia, trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: action})
			if len(report.Items) != 1 || report.Items[0].State != want {
				t.Errorf("%s = %+v, want the task %s", action, report.Items, want)
			}
			if left := inbox(t, e, nadia, trilith.InboxQuery{}); len(left.Items) != 0 {
				t.Errorf("the inbox is still %+v", left.Items)
			}
			if _, err := e.Undo(t.Context(), nadia, report.Change); err != nil || image(t, e) != before {
				t.Errorf("undone it is not as before: %v", err)
			}
		})
	}
}
