package indextest

import (
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// textTurnCases test the rules of an index: the properties of conversations, other than words, that a search uses.
var textTurnCases = []textCase{
	{"Plain", "without rules neighbouring turns, speakers and times do not matter", testTurnsPlain},
	{"Nearby", "a match boosts three turns after it and two before it, less with distance, and a term counts once in each, with its highest value", testTurnsNearby},
	{"NearbySessions", "turns boost others of the same side in their session, and no facts, other scopes or other tenants", testTurnsSessions},
	{"NearbyOrder", "turns follow each other by number, whatever the order of writing, and those around a deleted one are neighbours, one place farther", testTurnsOrder},
	{"NearbyApart", "a gap in the numbers of two turns, usually a turn of the other side, counts as a place", testTurnsApart},
	{"NearbyFilter", "turns outside the searched set neither boost nor are boosted, and do not count as places",
		testTurnsFilter},
	{"Asked", "a question boosts the turn of another speaker right after it more", testTurnsAsked},
	{"Names", "a named person who speaks in the searched set is searched for as the speaker; a name alone, or one of a speaker outside the set, is a word", testTurnsNames},
	{"Dates", "memories of a named day come first, and replace the words for it if no text contains one", testTurnsDates},
	{"Person", "a person's turn without a word for themselves counts less; a fact does not", testTurnsPerson},
	{"When", "for questions with when, turns that mention a time count more", testTurnsWhen},
	{"Cue", "for requests for help, turns that state a preference count more", testTurnsCue},
	{"Request", "words of the request count less than words of its subject", testTurnsRequest},
	{"RulesAttainable", "with any rules scores are above 0 and at most Attainable, and words that no text contains have no weight", testTurnsAttainable},
}

// Only returns a probe with only those rules, until the index is told otherwise: [lexical.Ruled] exists to measure and
// to test single rules.
func Only(tb testing.TB, x role.TextIndex, p role.TextProbe, rules lexical.Rules) role.TextProbe {
	tb.Helper()
	ruled, ok := x.(lexical.Ruled)
	if !ok {
		tb.Fatalf("%T does not play lexical.Ruled", x)
	}
	ruled.LeaveOut(lexical.AllRules &^ rules)
	p.Conversation = true
	return p
}

// turn is the n-th turn of a session of Ana's, without a speaker.
func turn(n int, s string) role.TextPoint {
	p := text("ana", n, 1, s)
	p.Facets.Kind, p.Facets.Role, p.Facets.Fact = trilith.KindEpisode, trilith.RoleUser, nil
	p.Facets.Scope.User, p.Facets.Scope.Session, p.Facets.Seq = "u1", "s1", n
	return p
}

// plums are turns with one word, except one with another.
func plums(n, apple int) []role.TextPoint {
	ts := make([]role.TextPoint, n)
	for i := range ts {
		ts[i] = turn(i+1, "plum")
		if i+1 == apple {
			ts[i].Text = "apple"
		}
	}
	return ts
}

// scoresOf returns the scores of a search, by the number of the text.
func scoresOf(t *testing.T, x role.TextIndex, s trilith.Scope, p role.TextProbe) map[int]float64 {
	t.Helper()
	out := map[int]float64{}
	for _, c := range searchText(t, x, s, p).Candidates {
		for n := range 100 {
			if pid(n) == c.ID {
				out[n] = c.Score
			}
		}
	}
	return out
}

// wantShares checks the ratios of the scores to that of one text.
func wantShares(t *testing.T, what string, scores map[int]float64, of int, want map[int]float64) {
	t.Helper()
	got := map[int]float64{}
	for n, score := range scores {
		got[n] = score / scores[of]
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("%s: scores in shares of that of text %d: -want +got\n%s", what, of, diff)
	}
}

func testTurnsPlain(t *testing.T, x role.TextIndex) {
	ts := plums(8, 4)
	for i := range ts {
		ts[i].Facets.Speaker = "Ana"
	}
	putTexts(t, x, ts...)
	wantTexts(t, x, ana, "When did Ana mention an apple?", 4)
}

func testTurnsNearby(t *testing.T, x role.TextIndex) {
	putTexts(t, x, plums(9, 4)...)
	p := Only(t, x, role.TextProbe{Text: "apple"}, lexical.RuleNearby)
	wantShares(t, "around the only match", scoresOf(t, x, ana, p), 4,
		map[int]float64{2: .1, 3: .2, 4: 1, 5: .5, 6: .3, 7: .2})
	six := turn(6, "apple")
	six.Facets.Version = 2
	putTexts(t, x, six)
	wantShares(t, "around two matches", scoresOf(t, x, ana, p), 4,
		map[int]float64{2: .1, 3: .2, 4: 1, 5: .5, 6: 1, 7: .5, 8: .3, 9: .2})
}

func testTurnsSessions(t *testing.T, x role.TextIndex) {
	ts := plums(9, 5)
	ts[3].Facets.Scope.Session = "s2"
	ts[5].Facets.Role = trilith.RoleAssistant
	ts[6].Facets.Scope.User = "u2"
	ts[7].Facets.Kind, ts[7].Facets.Fact = trilith.KindFact, fullFact()
	stranger := plums(9, 0)
	for i := range stranger {
		stranger[i].Facets.Scope.Tenant = "ben"
	}
	putTexts(t, x, append(ts, stranger...)...)
	p := Only(t, x, role.TextProbe{Text: "apple"}, lexical.RuleNearby)
	wantShares(t, "among others", scoresOf(t, x, ana, p), 5, map[int]float64{3: .1, 5: 1, 9: .3})
	if got := scoresOf(t, x, trilith.Scope{Tenant: "ben"}, p); len(got) > 0 {
		t.Errorf("another tenant was lent %v", got)
	}
	ts = plums(9, 5)
	for i := range ts {
		ts[i].Facets.Version, ts[i].Facets.Role = 2, trilith.RoleAssistant
	}
	putTexts(t, x, ts...)
	wantShares(t, "among the assistant's", scoresOf(t, x, ana, p), 5,
		map[int]float64{3: .1, 4: .2, 5: 1, 6: .5, 7: .3, 8: .2})
	for i := range ts {
		ts[i].Facets.Version, ts[i].Facets.Scope.Session = 3, ""
	}
	putTexts(t, x, ts...)
	wantShares(t, "without a session", scoresOf(t, x, ana, p), 5, map[int]float64{5: 1})
}

func testTurnsOrder(t *testing.T, x role.TextIndex) {
	ts := plums(40, 20)
	for i := range ts { // a fixed disorder: 17 and 40 have no common divisor
		putTexts(t, x, ts[i*17%40])
	}
	p := Only(t, x, role.TextProbe{Text: "apple"}, lexical.RuleNearby)
	wantShares(t, "in disorder", scoresOf(t, x, ana, p), 20,
		map[int]float64{18: .1, 19: .2, 20: 1, 21: .5, 22: .3, 23: .2})
	if err := x.Delete(t.Context(), ana, []trilith.ID{pid(19), pid(21), pid(22), pid(40)}); err != nil {
		t.Fatalf("Delete = %v", err)
	}
	wantShares(t, "after deletions", scoresOf(t, x, ana, p), 20, map[int]float64{18: .1, 20: 1, 23: .3, 24: .2})
	moved := turn(20, "apple")
	moved.Facets.Version, moved.Facets.Seq = 2, 1000
	putTexts(t, x, moved)
	wantShares(t, "after it moved to the end", scoresOf(t, x, ana, p), 20, map[int]float64{39: .1, 20: 1})
	back := turn(21, "plum")
	back.Facets.Seq = 999
	putTexts(t, x, back)
	wantShares(t, "after one came before it", scoresOf(t, x, ana, p), 20, map[int]float64{21: .2, 20: 1})
}

func testTurnsApart(t *testing.T, x role.TextIndex) {
	ts := plums(12, 6)
	for _, i := range []int{0, 2, 4, 6, 8, 10} {
		ts[i].Facets.Role = trilith.RoleAssistant
	}
	ts[7].Facets.State = trilith.StateSuperseded
	putTexts(t, x, ts...)
	p := Only(t, x, role.TextProbe{Text: "apple"}, lexical.RuleNearby)
	wantShares(t, "in a talk with an assistant", scoresOf(t, x, ana, p), 6, map[int]float64{4: .1, 6: 1, 8: .3})
	p.Filter = trilith.Where("state", trilith.OpEq, trilith.StateActive)
	wantShares(t, "past a turn outside the set", scoresOf(t, x, ana, p), 6, map[int]float64{4: .1, 6: 1, 10: .3})
}

func testTurnsFilter(t *testing.T, x role.TextIndex) {
	ts := plums(9, 4)
	for _, i := range []int{2, 4, 6} {
		ts[i].Facets.State = trilith.StateSuperseded
	}
	putTexts(t, x, ts...)
	p := Only(t, x, role.TextProbe{Text: "apple", Filter: trilith.Where("state", trilith.OpEq, trilith.StateActive)},
		lexical.RuleNearby)
	wantShares(t, "among the active", scoresOf(t, x, ana, p), 4,
		map[int]float64{1: .1, 2: .2, 4: 1, 6: .5, 8: .3, 9: .2})
	p.Filter = trilith.Where("state", trilith.OpEq, trilith.StateSuperseded)
	if got := scoresOf(t, x, ana, p); len(got) > 0 {
		t.Errorf("a match outside the set lent %v", got)
	}
}

func testTurnsAsked(t *testing.T, x role.TextIndex) {
	said := func(n int, session, speaker, s string) role.TextPoint {
		p := turn(n, s)
		p.Facets.Scope.Session, p.Facets.Speaker = session, speaker
		return p
	}
	putTexts(t, x,
		said(1, "answered", "Ana", "apple?"), said(2, "answered", "Ben", "plum"), said(3, "answered", "Ben", "plum"),
		said(11, "goes on", "Ana", "apple?"), said(12, "goes on", "Ana", "plum"),
		said(21, "tells", "Ana", "apple"), said(22, "tells", "Ben", "plum"))
	p := Only(t, x, role.TextProbe{Text: "apple"}, lexical.RuleNearby|lexical.RuleAsked)
	wantShares(t, "who is asked", scoresOf(t, x, ana, p), 1,
		map[int]float64{1: 1, 2: 1, 3: .3, 11: 1, 12: .5, 21: 1, 22: .5})
	p = Only(t, x, p, lexical.RuleNearby)
	wantShares(t, "without the rule", scoresOf(t, x, ana, p), 1,
		map[int]float64{1: 1, 2: .5, 3: .3, 11: 1, 12: .5, 21: 1, 22: .5})
	p = Only(t, x, p, lexical.RuleAsked)
	wantShares(t, "without nearby", scoresOf(t, x, ana, p), 1, map[int]float64{1: 1, 11: 1, 21: 1})
	p = Only(t, x, p, lexical.RuleNearby|lexical.RuleAsked)
	p.Filter = trilith.Where("id", trilith.OpNe, pid(2))
	wantShares(t, "the turn after the answer did not answer", scoresOf(t, x, ana, p), 1,
		map[int]float64{1: 1, 3: .5, 11: 1, 12: .5, 21: 1, 22: .5})
}

func testTurnsNames(t *testing.T, x role.TextIndex) {
	said := func(n int, user, speaker, s string) role.TextPoint {
		p := turn(n, s)
		p.Facets.Scope.User, p.Facets.Speaker = user, speaker
		return p
	}
	putTexts(t, x, said(1, "u1", "Ben", "pear with Maria"), said(2, "u1", "Maria Lopez", "pear with cream"),
		said(3, "u2", "Carla", "pear"), said(4, "u1", "Ben", "Carla left"))
	ask := func(s trilith.Scope, query string, rules lexical.Rules) role.TextResult {
		t.Helper()
		return searchText(t, x, s, Only(t, x, role.TextProbe{Text: query}, rules))
	}
	u1 := trilith.Scope{Tenant: "ana", User: "u1"}
	checkNumbers(t, "a name as a word", ask(u1, "Maria pear", 0), []int{1, 2})
	named := ask(u1, "Maria pear", lexical.RuleNames)
	checkNumbers(t, "a name as a speaker", named, []int{2, 1})
	if len(named.Terms) != 1 {
		t.Errorf("with a speaker named the terms are %q, want that of pear alone", named.Terms)
	}
	for query, want := range map[string]string{"Maria's pear?": "pear?", "Maria": "", "Carla pear": ""} {
		if got := ask(u1, query, lexical.RuleNames).Subject; got != want {
			t.Errorf("the subject of %q is %q, want %q", query, got, want)
		}
	}
	checkNumbers(t, "a name alone", ask(u1, "Maria", lexical.RuleNames), []int{1})
	checkNumbers(t, "the name of who speaks outside the set", ask(u1, "Carla", lexical.RuleNames), []int{4})
	if got := ask(u1, "Carla pear", lexical.RuleNames).Terms; len(got) != 2 {
		t.Errorf("with somebody named who speaks outside the set the terms are %q, want two", got)
	}
	if err := x.Delete(t.Context(), ana, []trilith.ID{pid(2)}); err != nil {
		t.Fatalf("Delete = %v", err)
	}
	if got := ask(u1, "Maria pear", lexical.RuleNames).Terms; len(got) != 2 {
		t.Errorf("after the only turn of who is named went the terms are %q, want two", got)
	}
}

func testTurnsDates(t *testing.T, x role.TextIndex) {
	at := func(n int, month time.Month, d int) role.TextPoint {
		p := turn(n, "pear")
		p.Facets.Scope.Session = fmt.Sprint("s", n)
		p.Facets.EventTime = time.Date(2025, month, d, 12, 0, 0, 0, time.UTC)
		return p
	}
	putTexts(t, x, at(1, time.January, 9), at(2, time.March, 20), at(3, time.March, 3))
	checkNumbers(t, "without the rule", searchText(t, x, ana, role.TextProbe{Text: "pear on 3 March 2025"}),
		[]int{1, 2, 3})
	checkNumbers(t, "a day",
		searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "pear on 3 March 2025"}, lexical.RuleDates)),
		[]int{3, 2, 1})
	checkNumbers(t, "a month",
		searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "pear in March 2025"}, lexical.RuleDates)),
		[]int{2, 3, 1})
	happened := Only(t, x, role.TextProbe{Text: "What happened in March 2025?"}, lexical.RuleDates)
	checkNumbers(t, "a date beside words that nobody used", searchText(t, x, ana, happened), []int{2, 3})
	happened.Filter = trilith.Where("id", trilith.OpNe, pid(2))
	checkNumbers(t, "in a part of the texts", searchText(t, x, ana, happened), []int{3})
	happened.Conversation = false
	checkNumbers(t, "without the rule either", searchText(t, x, ana, happened), nil)
	putTexts(t, x, turn(4, "march"))
	alone := searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "in March 2025"}, lexical.RuleDates))
	checkNumbers(t, "a date alone", alone, []int{4})
}

// wantFirst checks that a rule moves the second of two turns to the front; without it they are in the order of their
// ids.
func wantFirst(t *testing.T, x role.TextIndex, query string, rule lexical.Rules) {
	t.Helper()
	checkNumbers(t, "without the rule", searchText(t, x, ana, role.TextProbe{Text: query}), []int{1, 2})
	checkNumbers(t, "with the rule", searchText(t, x, ana, Only(t, x, role.TextProbe{Text: query}, rule)), []int{2, 1})
}

func testTurnsPerson(t *testing.T, x role.TextIndex) {
	putTexts(t, x, turn(1, "the pear was ripe"), turn(2, "my pear was ripe"))
	wantFirst(t, x, "pear", lexical.RulePerson)
	fact := turn(1, "the pear was ripe")
	fact.Facets.Version, fact.Facets.Kind, fact.Facets.Fact = 2, trilith.KindFact, fullFact()
	putTexts(t, x, fact)
	checkNumbers(t, "a fact", searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "pear"}, lexical.RulePerson)),
		[]int{1, 2})
}

func testTurnsWhen(t *testing.T, x role.TextIndex) {
	putTexts(t, x, turn(1, "the pear fell down, it seems"), turn(2, "the pear fell yesterday, it seems"))
	wantFirst(t, x, "When was the pear picked?", lexical.RuleWhen)
	checkNumbers(t, "not asked when",
		searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "Who picked the pear?"}, lexical.RuleWhen)), []int{1, 2})
}

func testTurnsCue(t *testing.T, x role.TextIndex) {
	putTexts(t, x, turn(1, "there is pear for dessert"), turn(2, "I prefer pear for dessert"))
	checkNumbers(t, "not requested",
		searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "Who ate the pear?"}, lexical.RuleCue)), []int{1, 2})
	checkNumbers(t, "requested",
		searchText(t, x, ana, Only(t, x, role.TextProbe{Text: "Can you recommend a dessert with pear?"},
			lexical.RuleCue)), []int{2, 1})
}

func testTurnsRequest(t *testing.T, x role.TextIndex) {
	putTexts(t, x, turn(1, "recommend it"), turn(2, "pear it"))
	p := role.TextProbe{Text: "recommend pear"}
	checkNumbers(t, "without the rule", searchText(t, x, ana, p), []int{1, 2})
	p = Only(t, x, p, lexical.RuleRequest)
	checkNumbers(t, "with the rule", searchText(t, x, ana, p), []int{2, 1})
}

func testTurnsAttainable(t *testing.T, x role.TextIndex) {
	ts := plums(9, 4)
	ts[3].Facets.Speaker, ts[3].Text = "Ana", "I prefer an apple, always in March 2025?"
	ts[4].Facets.Speaker = "Ben"
	putTexts(t, x, ts...)
	rules := []lexical.Rules{0, lexical.AllRules}
	for rule := lexical.Rules(1); rule < lexical.AllRules; rule <<= 1 {
		rules = append(rules, rule, lexical.AllRules&^rule)
	}
	for _, rule := range rules {
		r := searchText(t, x, ana,
			Only(t, x, role.TextProbe{Text: "When can you recommend Ana an apple in March 2025?"}, rule))
		if len(r.Candidates) == 0 {
			t.Errorf("rules %s: nothing found", rule)
		}
		for _, c := range r.Candidates {
			if c.Score <= 0 || c.Score > r.Attainable*(1+1e-9) {
				t.Errorf("rules %s: the score %v is not between 0 and %v", rule, c.Score, r.Attainable)
			}
		}
		if none := searchText(t, x, ana,
			Only(t, x, role.TextProbe{Text: "quince zeppelin"}, rule)); none.Weight != 0 || len(none.Candidates) > 0 {
			t.Errorf("rules %s: words that nobody holds weigh %v and found %v", rule, none.Weight, none.Candidates)
		}
	}
}
