package mentions_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/inmem"
	"github.com/trilith-memory/trilith/internal/mentions"
	"github.com/trilith-memory/trilith/internal/truth"
)

var ana = trilith.Scope{Tenant: "default", User: "ana"}

func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

// newMentions returns the mentions of an empty store that no background follows.
func newMentions(t *testing.T) (*mentions.Mentions, *truth.Truth) {
	t.Helper()
	now := func() time.Time { return day(20) }
	store := inmem.New(now)
	t.Cleanup(func() { _ = store.Close() })
	tr := truth.New(truth.Roles{Store: store, Log: store, Queue: store, Clock: now,
		Logger: slog.New(slog.DiscardHandler)})
	return mentions.New(tr, entities.New(tr)), tr
}

// commit stores memories in one commit.
func commit(t *testing.T, tr *truth.Truth, ms ...trilith.Memory) {
	t.Helper()
	if _, err := tr.Store.Commit(t.Context(), ana, trilith.Batch{Memories: ms}); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

func turn(n int, text string) trilith.Memory {
	return trilith.Memory{ID: trilith.NewID(day(n)), Kind: trilith.KindEpisode, Role: trilith.RoleUser, Scope: ana,
		Text:  text,
		State: trilith.StateActive, EventTime: day(n), RecordedAt: day(n)}
}

// livesIn returns the fact that Ana lives in a city, as a turn says.
func livesIn(city string, in trilith.Memory) trilith.Memory {
	return trilith.Memory{ID: trilith.NewID(in.EventTime), Kind: trilith.KindFact, Scope: ana, Text: "ana lives in " + city,
		State: trilith.StateActive, EventTime: in.EventTime, RecordedAt: in.RecordedAt,
		Fact: &trilith.Fact{EntityID: "entity", Verb: "lives_in", Type: trilith.FactProfile,
			Node:     trilith.Node{Type: "Location", Name: city},
			Evidence: []trilith.Evidence{{EpisodeID: in.ID, Quote: in.Text, End: len(in.Text)}}}}
}

// A later turn with the word of a fact is shown beside it, before and after the mention is recorded.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		later []trilith.Memory
		want  string
	}{
		{"nothing was said since", nil, ""},
		{"a later turn", []trilith.Memory{turn(5, "Leaving Tampere was hard.")}, "Leaving Tampere was hard."},
		{"the latest of two", []trilith.Memory{turn(7, "Tampere is far away."), turn(5, "Leaving Tampere was hard.")},
			"Tampere is far away."},
		{"an earlier turn", []trilith.Memory{turn(1, "Leaving Tampere was hard.")}, ""},
		{"a turn about something else", []trilith.Memory{turn(5, "The weather is fine.")}, ""},
	} {
		for _, recorded := range []bool{false, true} {
			ms, tr := newMentions(t)
			said := turn(2, "I live in Tampere.")
			fact := livesIn("Tampere", said)
			commit(t, tr, append(c.later, said, fact)...)
			if recorded {
				if err := ms.Settle(t.Context()); err != nil {
					t.Fatalf("Settle() = %v", err)
				}
			}
			if err := ms.Annotate(t.Context(), ana, []*trilith.Memory{&fact}, trilith.Moment{}); err != nil {
				t.Fatalf("%s: Annotate() = %v", c.name, err)
			}
			got := ""
			if fact.SpokenOfAgain != nil {
				got = fact.SpokenOfAgain.Quote
			}
			if got != c.want {
				t.Errorf("%s, recorded: %t: Annotate() sets %q, want %q", c.name, recorded, got, c.want)
			}
		}
	}
}

// A process that continues from a saved checkpoint reads nothing twice, and misses nothing that was committed later.
func TestSaveCheckpoint(t *testing.T) {
	t.Parallel()
	first, tr := newMentions(t)
	said := turn(2, "I live in Tampere.")
	fact := livesIn("Tampere", said)
	commit(t, tr, said, fact)
	if err := first.Settle(t.Context()); err != nil {
		t.Fatalf("Settle() = %v", err)
	}
	if err := first.SaveCheckpoint(t.Context()); err != nil {
		t.Fatalf("SaveCheckpoint() = %v", err)
	}
	commit(t, tr, turn(5, "Leaving Tampere was hard."))
	next := mentions.New(tr, entities.New(tr))
	if err := next.Settle(t.Context()); err != nil {
		t.Fatalf("Settle() after a restart = %v", err)
	}
	turns, err := next.AnnotateAsking(t.Context(), ana, []*trilith.Memory{&fact})
	if err != nil || turns[fact.ID] == nil || turns[fact.ID].Text != "Leaving Tampere was hard." {
		t.Errorf("AnnotateAsking() after a restart = %v, %v, want the turn that was committed last", turns, err)
	}
	rs, err := tr.Store.Records(t.Context(), truth.TenantOf(ana), trilith.RecordListing{Kind: trilith.RecordMentions})
	if err != nil || len(rs) != 1 || rs[0].ID != fact.ID {
		t.Errorf("records of mentions = %v, %v, want the one of the fact", rs, err)
	}
}
