// Package sessions is the working memory: the list of sessions, their turns in order, the part of a session that a
// prompt needs, and the summaries of turns that have left the window.
//
// Sessions are read in list.go and turns.go, the part for a prompt is made in context.go, summaries in summarize.go and
// sources.go, transcripts in items.go, and prune.go forgets the least important memories.
package sessions

import (
	"cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Config holds a server's settings for all sessions. A value of 0 means the default of package trilith.
type Config struct {
	Window  int  // tokens of the newest turns
	Past    int  // memories from before the window
	Max     int  // turns and notes left after pruning
	Summary int  // tokens of a summary
	Manual  bool // no summaries in the background
	// Episodic is the number of turns of an episodic window; 0: there are no windows.
	Episodic int
}

// Complete fills in the defaults, and returns an error for values out of bounds.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		name  string
		value *int
		usual int
		most  int
	}{{"session-window", &c.Window, trilith.DefaultWindow, trilith.MaxBudget},
		{"session-past", &c.Past, trilith.DefaultPast, trilith.MaxPast},
		{"session-memories", &c.Max, trilith.DefaultMaxMemories, 1 << 30},
		{"session-summary", &c.Summary, trilith.DefaultSummaryTokens, trilith.MaxSummaryTokens}} {
		if *f.value = cmp.Or(*f.value, f.usual); *f.value < 1 || *f.value > f.most {
			return c, trilith.Errorf(trilith.Invalid, "%s: is %d, must be 1 to %d", f.name, *f.value, f.most)
		}
	}
	if c.Episodic != 0 && (c.Episodic < 2 || c.Episodic > trilith.MaxWindowTurns) {
		return c, trilith.Errorf(trilith.Invalid, "episodic-windows: is %d, must be 0 for none, or 2 to %d turns", c.Episodic,
			trilith.MaxWindowTurns)
	}
	return c, nil
}

// Compact returns how many tokens of a session may be without a summary; 0 if there are no summaries in the background.
func (c Config) Compact() int {
	if c.Manual {
		return 0
	}
	return c.Window
}

// Sessions is the working memory of one store. Its methods are safe for concurrent use.
type Sessions struct {
	truth  *truth.Truth
	books  truth.DerivedRecords
	usage  *usage.Accounts
	facts  *facts.Facts
	recall *recall.Reader
	config Config

	Transcripts *Transcripts
}

// Parts are the rooms that Sessions works with.
type Parts struct {
	Truth    *truth.Truth
	Usage    *usage.Accounts
	Facts    *facts.Facts
	Recall   *recall.Reader
	Remember truth.Remember
}

// New returns the working memory. The configuration must be complete.
func New(p Parts, c Config) *Sessions {
	ss := &Sessions{truth: p.Truth, books: truth.DerivedRecordsOf(p.Truth), usage: p.Usage, facts: p.Facts,
		recall: p.Recall, config: c}
	ss.Transcripts = &Transcripts{truth: p.Truth, sessions: ss, remember: p.Remember}
	return ss
}

// Waiting returns the same sessions with another reader for searches.
func (ss *Sessions) Waiting(r *recall.Reader) *Sessions {
	out := *ss
	out.recall = r
	return &out
}
