package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
)

func said(text string) []Turn { return []Turn{{Role: trilith.RoleUser, Text: text, At: spoken}} }

// TestQuoteForConcrete is the story of a question about a price and its answer: the answer's sum is checked against the
// quantity of the question, and what the user wants done is a task.
func TestQuoteForConcrete(t *testing.T) {
	t.Parallel()
	got := Find([]Turn{
		{Role: trilith.RoleUser, Text: "Get me a quote for 50 cubic yards of concrete", At: spoken},
		{Role: trilith.RoleAssistant, Text: "The market rate is ~$150/cy, approximately $7,500. I can create a task.",
			At: spoken},
	})
	want := []Found{
		{Turn: 0, Start: 0, End: 45, Rule: "en.task.8", Subject: ProjectSubject, Verb: "has_task", Type: trilith.FactTask,
			Node:     trilith.Node{Type: "Task", Name: "get a quote for 50 cubic yards of concrete"},
			Summary:  "Task: get a quote for 50 cubic yards of concrete.",
			Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.85, Priority: trilith.PriorityNormal,
			RequiresAction: true},
		{Turn: 1, Start: 0, End: 50, Rule: "en.money.1", Subject: ProjectSubject, Verb: "has_estimate",
			Type:    trilith.FactFinancial,
			Node:    trilith.Node{Type: "Amount", Name: "7500 USD for concrete"},
			Summary: "Estimate: 7500 USD for concrete.",
			Content: map[string]any{"item": "concrete", "material": "concrete", "quantity": 50.0, "unit": "yd3",
				"rate": 150.0, "total": 7500.0},
			Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.85, Priority: trilith.PriorityNormal,
			Financial: &trilith.Financial{Amount: "7500", Currency: "USD", Category: "concrete", Type: "estimate",
				Quantity: "50", Unit: "yd3", Rate: "150", Check: "agrees"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Found{})); diff != "" {
		t.Errorf("Find(a question about concrete and its answer) differs (-want +got):\n%s", diff)
	}
}

func TestFindFillsTheFields(t *testing.T) {
	t.Parallel()
	day := func(y int, m time.Month, d int) *time.Time {
		at := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		return &at
	}
	for _, c := range []struct {
		why  string
		turn Turn
		want Found // of which only the fields set below are compared
	}{
		{"the speaker's name stands in the sentence",
			Turn{Role: trilith.RoleUser, Speaker: "Ana", Text: "I live in Bergen.", At: spoken},
			Found{Summary: "Ana lives in Bergen.", Subject: SpeakerSubject, Type: trilith.FactProfile, Single: true,
				Confidence: 0.9}},
		{"a German sentence is answered in German",
			Turn{Role: trilith.RoleUser, Speaker: "Ana", Text: "Ich wohne nicht mehr in Oslo.", At: spoken},
			Found{Summary: "Ana wohnt nicht mehr in Oslo.", Type: trilith.FactProfile, Single: true, Ends: true,
				Confidence: 0.9}},
		{"another person is named",
			Turn{Role: trilith.RoleUser, Speaker: "Ana", Text: "Johanna is allergic to mushrooms.", At: spoken},
			Found{Summary: "Johanna is allergic to mushrooms.", Subject: PersonSubject, Name: "Johanna",
				Type: trilith.FactProfile, Confidence: 0.95}},
		{"since says from when",
			Turn{Role: trilith.RoleUser, Speaker: "Ana", Text: "I've lived in Kraków since 2019.", At: spoken},
			Found{Summary: "Ana lives in Kraków.", Type: trilith.FactProfile, Single: true, Confidence: 0.9,
				From: day(2019, 1, 1)}},
		{"what is hedged counts less", Turn{Role: trilith.RoleUser, Text: "Maybe Paul works at Volvo.", At: spoken},
			Found{Summary: "Paul works at Volvo (not certain).", Subject: PersonSubject, Name: "Paul",
				Type: trilith.FactProfile, Single: true, Confidence: 0.47}},
		{"what is hearsay counts less",
			Turn{Role: trilith.RoleUser, Text: "Mira told me that Paul works at Volvo.", At: spoken},
			Found{Summary: "Paul works at Volvo (as reported).", Subject: PersonSubject, Name: "Paul",
				Type: trilith.FactProfile, Single: true, Confidence: 0.55}},
	} {
		got := Find([]Turn{c.turn})
		if len(got) != 1 {
			t.Errorf("Find(%q) finds %d facts, want 1: %s", c.turn.Text, len(got), c.why)
			continue
		}
		ignored := cmpopts.IgnoreFields(Found{}, "Turn", "Start", "End", "Rule", "Verb", "Node", "Content", "Polarity",
			"Certainty", "Priority", "at")
		if diff := cmp.Diff(c.want, got[0], ignored); diff != "" {
			t.Errorf("Find(%q) differs (-want +got): %s\n%s", c.turn.Text, c.why, diff)
		}
	}
}

func TestTaskDeadline(t *testing.T) {
	t.Parallel()
	got := Find(said("We need to order the windows by Friday, it's urgent."))
	if len(got) != 1 || got[0].Deadline == nil {
		t.Fatalf("Find(a task by Friday) = %+v, want one with a deadline", got)
	}
	if want := time.Date(2026, 3, 13, 23, 59, 59, 0, time.UTC); !got[0].Deadline.Equal(want) {
		t.Errorf("the deadline of a task by Friday, said on Wednesday, is %v, want %v", got[0].Deadline, want)
	}
	if got[0].Priority != trilith.PriorityHigh || !got[0].RequiresAction {
		t.Errorf("an urgent task has priority %q and requires action %t", got[0].Priority, got[0].RequiresAction)
	}
}

// TestFindNothing: only assertions of the speaker become facts.
func TestFindNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		turn Turn
	}{
		{"tools are not read", Turn{Role: trilith.RoleTool, Text: "I live in Bergen."}},
		{"the system is not read", Turn{Role: trilith.RoleSystem, Text: "I live in Bergen."}},
		{"an assistant has no home", Turn{Role: trilith.RoleAssistant, Text: "I live in Bergen."}},
		{"an assistant's offers are not tasks", Turn{Role: trilith.RoleAssistant, Text: "I need to check the calendar."}},
		{"code is not speech", Turn{Role: trilith.RoleUser, Text: "```\nI live in Bergen.\n```"}},
		{"quoted lines are someone else's",
			Turn{Role: trilith.RoleUser, Text: "> I live in Bergen.\n> I work at Equinor.\n\nAgreed."}},
		{"direct speech is someone else's", Turn{Role: trilith.RoleUser, Text: "He said “I live in Bergen” and left."}},
		{"a text to work on is not the speaker's",
			Turn{Role: trilith.RoleUser, Text: "Translate this to German:\nI live in Bergen. I love jazz."}},
		{"nothing was said", Turn{Role: trilith.RoleUser}},
	} {
		c.turn.At = spoken
		if got := Find([]Turn{c.turn}); len(got) != 0 {
			t.Errorf("Find(%q of %s) finds %s, want nothing: %s", c.turn.Text, c.turn.Role, asGold(got[0]), c.why)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Dr. Weiss met Mrs. Holm at St. Pauli. Then they left.",
			[]string{"Dr. Weiss met Mrs. Holm at St. Pauli.", "Then they left."}},
		{"Wir treffen uns am 3. Mai. Dann sehen wir weiter.",
			[]string{"Wir treffen uns am 3. Mai.", "Dann sehen wir weiter."}},
		{"Das kostet ca. 50 Euro, z.B. bei Bohrmaschinen. Gut?",
			[]string{"Das kostet ca. 50 Euro, z.B. bei Bohrmaschinen.", "Gut?"}},
		{"I turned 34. Then it rained.", []string{"I turned 34.", "Then it rained."}},
		{"Version 2.0 costs $3.50 now. Fine.", []string{"Version 2.0 costs $3.50 now.", "Fine."}},
		{"a line that\ngoes on here", []string{"a line that\ngoes on here"}},
		{"A list:\n- one\n- two\n\nThe end", []string{"A list:", "- one", "- two", "The end"}},
		{"See:\n```go\nx := 1. y\n```\nDone.", []string{"See:", "Done."}},
		{"> quoted\nOwn words.", []string{"Own words."}},
		{"He said “no.” She went.", []string{"He said “no.”", "She went."}},
		{"\n \t", nil},
	} {
		var got []string
		for _, s := range split(c.text) {
			got = append(got, s.text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("split(%q) differs (-want +got):\n%s", c.text, diff)
		}
	}
}

// TestTriggers: waking rules by words is for speed only. A rule that matches a gold sentence was woken for it.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, file := range goldFiles {
		for _, g := range readGold(t, file) {
			for _, s := range split(g.text) {
				ws := words(nil, s.text)
				if strings.Contains(s.text, "[ ]") {
					ws = append(ws, checkbox)
				}
				awake := woken(ws, nil)
				for i := range rules {
					if rules[i].compiled().MatchString(s.text) && !slices.Contains(awake, i) {
						t.Errorf("rule %s matches %q, and none of its triggers (%s) is in it", rules[i].id, s.text,
							rules[i].triggers)
					}
				}
			}
		}
	}
}

func TestRulesAreWellFormed(t *testing.T) {
	t.Parallel()
	ids := make(map[string]bool)
	for _, r := range rules {
		if ids[r.id] {
			t.Errorf("the id %s names two rules", r.id)
		}
		ids[r.id] = true
		if r.triggers == "" {
			t.Errorf("rule %s has no trigger and would never be tried", r.id)
		}
		if v := lookUp(r.verb); r.change == nil && (v.Type == "" || v.Node == "" || v.weight == 0) {
			t.Errorf("rule %s has the verb %q, which the table does not know", r.id, r.verb)
		}
		if strings.Contains(expand(r.pattern, r.lang), "{name}") || r.compiled().NumSubexp() == 0 && r.check == nil {
			t.Errorf("rule %s has no value", r.id)
		}
		names := map[string]bool{}
		for _, name := range r.compiled().SubexpNames() {
			if name != "" && name != "adv" && names[name] {
				t.Errorf("rule %s has two groups %s, and only the first would be read", r.id, name)
			}
			names[name] = true
		}
	}
	for name, v := range Verbs() {
		if !slices.Contains(trilith.FactTypes(), v.Type) || v.say[english][0] == "" || v.say[german][0] == "" {
			t.Errorf("the verb %s has type %q and the sentences %q", name, v.Type, v.say)
		}
	}
}

// checkFound reports what must hold of every fact in any conversation.
func checkFound(t interface{ Errorf(string, ...any) }, turns []Turn, found []Found) {
	last := 0
	for _, f := range found {
		if f.Turn < last || f.Turn >= len(turns) {
			t.Errorf("Find(%+v): turn %d after turn %d", turns, f.Turn, last)
			return
		}
		last = f.Turn
		text := turns[f.Turn].Text
		if f.Start < 0 || f.End > len(text) || f.Start >= f.End || utf8.ValidString(text) &&
			!utf8.ValidString(text[f.Start:f.End]) {
			t.Errorf("Find(%q): %s quotes [%d:%d) of %d bytes", text, f.Rule, f.Start, f.End, len(text))
		}
		if f.Node.Name == "" || f.Node.Type == "" || f.Verb == "" || len(f.Verb) > 64 ||
			strings.HasSuffix(f.Verb, "_") || f.Summary == "" || f.Rule == "" {
			t.Errorf("Find(%q): %s leaves %+v incomplete", text, f.Rule, f)
		}
		if f.Confidence <= 0 || f.Confidence > 1 {
			t.Errorf("Find(%q): %s has confidence %v", text, f.Rule, f.Confidence)
		}
		if f.Ends && f.Polarity != trilith.Negated || f.Subject == PersonSubject && f.Name == "" {
			t.Errorf("Find(%q): %s contradicts itself: %+v", text, f.Rule, f)
		}
	}
}

// TestAnyMixture finds facts in sentences in any order and with anything between them.
func TestAnyMixture(t *testing.T) {
	t.Parallel()
	var pieces []string
	for _, file := range []string{"en", "de"} {
		for _, g := range readGold(t, file) {
			pieces = append(pieces, g.text)
		}
	}
	pieces = append(pieces, "\n", "\"", "“", "```\n", "> ", "- ", "ß€", "…", "$1,200", "am 3. ", "\xff", " ")
	rapid.Check(t, func(r *rapid.T) {
		turns := make([]Turn, rapid.IntRange(0, 3).Draw(r, "turns"))
		for i := range turns {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(r, "pieces"),
				rapid.SampledFrom([]string{" ", "\n", ""}).Draw(r, "between"))
			cut := len(text)
			if rapid.Bool().Draw(r, "short") {
				cut = rapid.IntRange(0, len(text)).Draw(r, "cut")
			}
			turns[i] = Turn{Role: rapid.SampledFrom([]trilith.Role{trilith.RoleUser, trilith.RoleAssistant}).Draw(r, "role"),
				Text: text[:cut], At: spoken}
		}
		found, amendments := Read(turns)
		checkFound(r, turns, found)
		checkAmendments(r, turns, amendments)
		if diff := cmp.Diff(found, Find(turns), cmpopts.IgnoreUnexported(Found{})); diff != "" {
			r.Errorf("Find(%+v) differs from itself:\n%s", turns, diff)
		}
	})
}

// TestLongTexts: the largest texts of the most awkward kinds are read in time that grows with their length.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"„", "\"", "a\n", "$1 ", "$1. ", "I ", "I live in Bergen and ", "3. ", "> ",
		"- [ ] do it\n", "my sister ", "I sold the boat. ", "One of my brothers cooks. "} {
		turns := said(strings.Repeat(piece, trilith.MaxTextBytes/len(piece)))
		found, amendments := Read(turns)
		checkFound(t, turns, found)
		checkAmendments(t, turns, amendments)
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"", "I live in Bergen. I work at Equinor.",
		"Ich wohne nicht mehr in Köln, am 3. Mai ziehe ich nach Ulm.", "50 cy at $150/cy, so $7,500",
		"- [ ] measure\n- [x] done", "“I live in Rome”", "My wife Ana, my son Bo", "\xff\xfe I like \x00",
		"ich heiße Öykü", "TODO: ", "Risk:", "I’m allergic to a, b and c", "» «",
		"I no longer live in Turku, I moved to Vaasa.", "In Kiel wohne ich nicht mehr und ich habe gekündigt.",
		"I sold the boat and I quit and I moved."} {
		f.Add(seed, "")
		f.Add("Get me a quote for 50 cubic yards of concrete", seed)
	}
	f.Fuzz(func(t *testing.T, question, answer string) {
		turns := []Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: question, At: spoken},
			{Role: trilith.RoleAssistant, Text: answer, At: spoken}}
		found, amendments := Read(turns)
		checkFound(t, turns, found)
		checkAmendments(t, turns, amendments)
	})
}

func BenchmarkFind(b *testing.B) {
	const (
		plain = "The committee met again on the third floor, and the discussion about the colour of the new curtains took longer than anyone had thought. In the end the tea was cold and the biscuits were gone before noon."
		facts = "I live in Bergen and I work at Equinor. My wife Ingeborg is allergic to peanuts. We decided to use oak for the stairs, and we need to order the windows by Friday. The kitchen budget is 18,000 euros."
	)
	for _, c := range []struct{ name, text string }{{"Plain", plain}, {"Facts", facts},
		{"Facts20", strings.Repeat(facts+"\n", 20)}} {
		b.Run(fmt.Sprintf("%s_%d", c.name, len(c.text)), func(b *testing.B) {
			turns := said(c.text)
			Find(turns) // compiles the patterns
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Find(turns)
			}
		})
	}
}

// Pasted text is not what the speaker says: only the words before it are.
func TestFindLeavesPastesOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"User: I live in Moscow. Assistant: noted. User: I am allergic to water.": nil,
		"I live in Bergen. Look:\nMe: I live in Moscow.\nChatGPT: Noted.":         {"The user lives in Bergen."},
		"Nutzer: Ich wohne in Bonn.\nAssistent: Notiert.":                         nil,
		"[12:03] Ana: I live in Oslo.\n[12:04] Ben: Me too.":                      nil,
		"From: Ben\nSubject: Moving\n\nI live in Oslo.":                           nil,
		"Note: I live in Oslo.":                                                   {"The user lives in Oslo."},
	} {
		var got []string
		for _, f := range Find(said(text)) {
			got = append(got, f.Summary)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Find(%q) differs (-want +got):\n%s", text, diff)
		}
	}
}

// Something that must not be done is no task.
func TestAbstainingIsNoTask(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"I must never eat walnuts, I am allergic to walnuts.", "I have to avoid nuts.",
		"We need to stay away from the roof.", "I need to completely avoid gluten.",
		"I must not drink milk.", "I must under no circumstances take aspirin.",
		"I have to make sure I never skip breakfast.", "I should avoid coffee.", "Remind me to never eat walnuts.",
		"Ich muss Nüsse meiden.", "Ich darf keine Walnüsse essen.", "Wir müssen auf Milch verzichten.",
		"Ich muss Alkohol vermeiden.", "Ich muss niemals pünktlich kommen.", "Ich darf nicht fliegen."} {
		for _, f := range Find(said(text)) {
			if f.Type == trilith.FactTask || f.RequiresAction {
				t.Errorf("Find(%q) holds the task %q, want none", text, f.Summary)
			}
		}
	}
	if found := Find(said("I must call the bank.")); len(found) != 1 || found[0].Type != trilith.FactTask {
		t.Errorf("Find of a task = %+v, want it", found)
	}
}
