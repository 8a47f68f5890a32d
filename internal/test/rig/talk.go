package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// Speaker is a model that answers by a function of the request.
type Speaker struct {
	Mu    sync.Mutex
	asked []string
	SayAs func(message string) (string, error)
}

func (*Speaker) Info() role.ModelInfo {
	return role.ModelInfo{Provider: "test", Name: "speaker", Context: 32_000}
}

func (s *Speaker) Generate(_ context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	message := r.Messages[len(r.Messages)-1].Text
	s.Mu.Lock()
	s.asked = append(s.asked, message)
	s.Mu.Unlock()
	text, err := s.SayAs(message)
	if err != nil {
		return role.ModelAnswer{}, err
	}
	if r.Stream != nil {
		for piece := range strings.SplitAfterSeq(text, " ") {
			r.Stream(piece)
		}
	}
	return role.ModelAnswer{Text: text, Stop: role.StopEnd, Usage: trilith.Usage{InputTokens: 7, OutputTokens: 3}}, nil
}

func (*Speaker) Close() error { return nil }

// Last is the last request to the model.
func (s *Speaker) Last() string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.asked[len(s.asked)-1]
}

// Saying is a model that always says the same.
func Saying(text string) *Speaker {
	return &Speaker{SayAs: func(string) (string, error) { return text, nil }}
}

// Episodes are turns.
var Episodes = trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)

// OnNewFile is OnFile with a file of its own.
func OnNewFile(tb testing.TB, change ...func(*engine.Config)) Rig {
	return OnFile(tb, NewPath(tb), change...)
}

// Consulting opens an engine with a model, rules and a recall log.
func Consulting(m role.Model) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Model, c.Extract, c.Recalls = m, trilith.ExtractRules, served.Config{Rows: 1000}
		c.Sessions.Manual = true // nothing but answers is asked of the model
	}
}

// Consult consults.
func Consult(t *testing.T, r Rig, s trilith.Scope, req trilith.ConsultRequest) trilith.ConsultResult {
	t.Helper()
	res, err := r.Consult(t.Context(), s, req)
	if err != nil {
		t.Fatalf("Consult(%q) = %v", req.Prompt, err)
	}
	return res
}

// CountedKey marks a context of [Counted].
type CountedKey struct{}

// Counted is a context whose commits [Gone] counts. Those of the background come when they like.
func Counted(t *testing.T) context.Context { return context.WithValue(t.Context(), CountedKey{}, true) }

// Gone lets a process end after so many of its counted commits. A worker of it is never in time to take a job.
func Gone(left *int, alive *bool) inmem.Fault {
	var mu sync.Mutex
	return inmem.Fault{Before: func(ctx context.Context, op string) error {
		mu.Lock()
		defer mu.Unlock()
		if op == "Commit" && ctx.Value(CountedKey{}) != nil {
			*left--
			*alive = *left >= 0
		}
		if op == "Lease" || op == "Commit" && !*alive {
			return trilith.Errorf(trilith.Unavailable, "the process is gone")
		}
		return nil
	}}
}

// Picture is a PNG file; each width is another one.
func Picture(width int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 4)))
	return b.Bytes()
}

// InSession is a scope with a session.
func InSession(s trilith.Scope, session string) trilith.Scope {
	s.Session = session
	return s
}

// Converse stores turns of a session, people and the assistant in turn, one a minute from a day on.
func (r Rig) Converse(t *testing.T, s trilith.Scope, day string, turns ...string) []trilith.ID {
	t.Helper()
	req := trilith.RememberRequest{}
	for i, text := range turns {
		role := trilith.RoleUser
		if i%2 == 1 {
			role = trilith.RoleAssistant
		}
		req.Messages = append(req.Messages, trilith.Message{Role: role, Content: text,
			Timestamp: fmt.Sprintf("%sT10:%02d:00Z", day, i)})
	}
	res, err := r.Remember(t.Context(), s, req)
	if err != nil || len(res.Memories) != len(turns) {
		t.Fatalf("Remember = %d memories, %v; want %d", len(res.Memories), err, len(turns))
	}
	ids := make([]trilith.ID, len(turns))
	for i, m := range res.Memories {
		ids[i] = m.ID
	}
	return ids
}

// EveryStore runs a test on each store. Each call of open opens a store of its own.
func EveryStore(t *testing.T, test func(t *testing.T, open func(...func(*engine.Config)) Rig)) {
	t.Run("mem", func(t *testing.T) {
		t.Parallel()
		test(t, func(c ...func(*engine.Config)) Rig { return InMemory(t, c...) })
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, func(c ...func(*engine.Config)) Rig { return OnFile(t, filepath.Join(t.TempDir(), "trilith.db"), c...) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, func(c ...func(*engine.Config)) Rig { return OnNewPostgres(t, c...) })
	})
}

// Raw are items of JSON.
func Raw(items ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(items))
	for i, it := range items {
		out[i] = json.RawMessage(it)
	}
	return out
}
