package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The budget decides how many hits are taken where the request does not.
func TestBudgetDecidesHowManyHits(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for i := range 40 {
		e.MustRemember(t, rig.Ana, trilith.RememberRequest{
			Messages: []trilith.Message{
				{Role: trilith.RoleUser, Speaker: "Ana", Content: fmt.Sprintf("The harbour has ferry number %d.", i)}}})
	}
	e.MustSettle(t)
	question := trilith.RecallRequest{Query: "Which ferries has the harbour?"}
	for _, c := range []struct {
		why   string
		r     trilith.ContextRequest
		least int
		most  int
	}{
		{"a large budget holds all", trilith.ContextRequest{RecallRequest: question, Budget: 2000}, 40, 40},
		{"a small one what it holds", trilith.ContextRequest{RecallRequest: question, Budget: 200}, 8, 20},
		{"who says k gets no more",
			trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: question.Query, K: 5}, Budget: 2000}, 5, 5},
		{"a list that others read keeps its number",
			trilith.ContextRequest{RecallRequest: question, Budget: 2000, Format: trilith.FormatWindow}, 10, 10},
	} {
		b, err := e.Context(t.Context(), rig.Ana, c.r)
		if err != nil || len(b.Hits) < c.least || len(b.Hits) > c.most || b.Tokens > c.r.Budget ||
			len(b.Records) != len(b.Hits) {
			t.Errorf("%s: %v, %d hits and %d records in %d tokens, want %d to %d hits", c.why, err, len(b.Hits),
				len(b.Records), b.Tokens, c.least, c.most)
		}
	}
}

// The turns right before and after the best hits are taken where there is room, and none that a filter keeps out.
func TestNeighboursOfTheBest(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	talk := rig.Ana
	talk.Session = "talk"
	var messages []trilith.Message
	for i, text := range []string{"I bought something at the market.", "A bicycle.", "Nice weather today."} {
		messages = append(messages,
			trilith.Message{Role: []trilith.Role{trilith.RoleUser, trilith.RoleAssistant}[i%2], Content: text})
	}
	e.MustRemember(t, talk, trilith.RememberRequest{Messages: messages})
	e.MustSettle(t)
	r := trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "market",
		Arms: []trilith.Arm{trilith.ArmLexical}},
		Budget: 600}
	for _, c := range []struct {
		filter trilith.Filter
		want   bool
	}{{trilith.Filter{}, true}, {trilith.Where("role", trilith.OpEq, trilith.RoleUser), false}} {
		r.Filter = c.filter
		b, err := e.Context(t.Context(), rig.Ana, r)
		if err != nil || !strings.Contains(b.Text, "market") || strings.Contains(b.Text, "A bicycle.") != c.want {
			t.Errorf("filter %v: %v\n%s\nwant the answer right after the question: %t", c.filter, err, b.Text, c.want)
		}
	}
}

// Weak hits take the room that is left of a briefing, behind all that was found, and no more places of a list than a
// search has.
func TestWeakHitsFillTheBudget(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	turns := [][2]string{{"Ben", "The ferry leaves at noon."}}
	for i := range 30 {
		turns = append(turns, [2]string{"Ben", fmt.Sprintf("Qrx %d zvb.", i)})
	}
	spokenTurns(t, e, rig.Ana, turns...)
	question := trilith.RecallRequest{Query: "When does the ferry leave?"}
	for _, c := range []struct {
		why         string
		r           trilith.ContextRequest
		least, most int
	}{
		{"room for all", trilith.ContextRequest{RecallRequest: question, Budget: 2000}, 31, 31},
		{"room for some", trilith.ContextRequest{RecallRequest: question, Budget: 150}, 2, 12},
		{"who says k gets no more",
			trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: question.Query, K: 4}, Budget: 2000}, 4, 4},
		{"who wants none", trilith.ContextRequest{
			RecallRequest: trilith.RecallRequest{Query: question.Query, StrongOnly: true}, Budget: 2000}, 1, 1},
		{"records", trilith.ContextRequest{RecallRequest: question, Budget: 2000, Format: trilith.FormatJSON}, 10, 10},
	} {
		b, err := e.Context(t.Context(), rig.Ana, c.r)
		if err != nil || len(b.Hits) < c.least || len(b.Hits) > c.most || b.Tokens > c.r.Budget ||
			b.Hits[0].Weak || b.Hits[0].Memory.Text != turns[0][1] {
			t.Errorf("%s: %v, %d hits in %d tokens, want %d to %d and the ferry first", c.why, err, len(b.Hits),
				b.Tokens, c.least, c.most)
		}
	}
}
