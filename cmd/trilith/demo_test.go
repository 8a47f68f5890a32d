package main

import (
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	ids := make(map[string]bool)
	var first, last time.Time
	turns := 0
	for _, s := range demoSessions() {
		if s.ID == "" || ids[s.ID] {
			t.Errorf("session %q has no name of its own", s.ID)
		}
		ids[s.ID] = true
		for i, m := range s.Messages {
			turns++
			at, err := trilith.ParseTime(m.Timestamp)
			if err != nil {
				t.Fatalf("session %s, message %d: %v", s.ID, i, err)
			}
			if !at.After(last) {
				t.Errorf("session %s, message %d is of %v, want a time after the message before, %v", s.ID, i, at, last)
			}
			if first.IsZero() {
				first = at
			}
			last = at
			if m.Content == "" || m.Role == trilith.RoleUser && m.Speaker == "" {
				t.Errorf("session %s, message %d has no content or no speaker: %+v", s.ID, i, m)
			}
			if m.ExternalID == "" || ids[m.ExternalID] {
				t.Errorf("session %s, message %d has the external id %q, want one of its own", s.ID, i, m.ExternalID)
			}
			ids[m.ExternalID] = true
		}
	}
	if months := last.Sub(first).Hours() / 24 / 30; turns < 100 || months < 7 {
		t.Errorf("the conversation has %d turns over %.1f months, want at least 100 over 7", turns, months)
	}
}

// The questions must have their answers in the data, and for a changed mind the old answer as well.
func TestQuestionsHaveAnswers(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, s := range demoSessions() {
		for _, m := range s.Messages {
			all.WriteString(m.Content + "\n")
		}
	}
	for _, answer := range []string{"to Lisbon", "not going to Lisbon any more", "Porto", "ARC-2207", "sheet sensor",
		"18,000 euros", "goes up to 23,500 euros", "villa-holm_kitchen_v7.dwg"} {
		if !strings.Contains(all.String(), answer) {
			t.Errorf("the conversation nowhere says %q", answer)
		}
	}
	if n := len(demoQuestions()); n != 3 {
		t.Errorf("Questions() has %d questions, want 3", n)
	}
}
