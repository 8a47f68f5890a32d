package sessions

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Context returns the working memory of a session: the newest turns that fit the budget, the newest summary, and
// memories from outside the window that match the question. These come from the user, project and domain of the
// session, whatever session they were stored in; or from the session itself if it has none of the three. If a search
// fails, the answer says so and contains the rest.
func (ss *Sessions) Context(ctx context.Context, s trilith.Scope, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	out := trilith.SessionContext{Window: []trilith.Memory{}, Past: []trilith.Hit{}}
	if r.Budget < 0 || r.Budget > trilith.MaxBudget {
		return out, trilith.Errorf(trilith.Invalid, "budget: is %d, must be 1 to %d tokens", r.Budget, trilith.MaxBudget)
	}
	limit, err := truth.CheckLimit(r.Limit, ss.config.Past, trilith.MaxPast)
	if err != nil {
		return out, err
	}
	s, parts, err := ss.partsOf(ctx, s, r.Session)
	if err != nil {
		return out, err
	}
	out.Session = sessionOf(parts)
	if out.Window, out.Tokens, err = ss.window(ctx, s, parts, cmp.Or(r.Budget, ss.config.Window)); err != nil {
		return out, err
	}
	if out.Summary, err = ss.newest(ctx, s, parts); err != nil {
		return out, err
	}
	if r.Query == "" {
		for _, m := range slices.Backward(out.Window) {
			if m.Role == trilith.RoleUser {
				r.Query = beginning(m.Text, trilith.MaxQueryBytes)
				break
			}
		}
	}
	if r.Query != "" {
		if out.Past, err = ss.past(ctx, s, parts[0].Scope, r.Query, limit, out.Window); err != nil {
			if ctx.Err() != nil || trilith.KindOf(err) == trilith.Invalid {
				return out, err
			}
			out.Past, out.Failed = []trilith.Hit{}, trilith.MessageOf(err)
		}
	}
	out.Text = assemble.Enhanced(out.Summary, out.Past)
	return out, nil
}

// Past returns other memories that match a question, best first: those of the scope's user, project and domain, or
// only those of the session. It omits facts, which a consultation finds by itself, and hits with less than half of
// the best score. It returns up to more additional hits, because some may be shown elsewhere.
func (ss *Sessions) Past(ctx context.Context, s trilith.Scope, query string, more int, sessionOnly bool) (
	past []trilith.Hit, most int, err error) {
	most = ss.config.Past
	f := trilith.Where("kind", trilith.OpNe, trilith.KindFact)
	if sessionOnly {
		f = trilith.AllOf(f, trilith.Where("session", trilith.OpEq, s.Session))
	}
	r := trilith.RecallRequest{Query: query, K: min(most+more, trilith.MaxK), Filter: f}
	past, err = ss.pastOf(ctx, s, s, r)
	past = slices.DeleteFunc(past, func(h trilith.Hit) bool { return h.Score < past[0].Score/2 })
	return past, most, err
}

// Window returns the newest turns of people and the assistant in the session of exactly this scope, as many as a token
// budget and the configured window hold, and its newest summary. A session that has not begun has neither.
func (ss *Sessions) Window(ctx context.Context, s trilith.Scope, budget int) ([]trilith.Memory, *trilith.Memory, error) {
	st, version, err := ss.books.SessionOf(ctx, s)
	if err != nil || version == 0 {
		return nil, nil, err
	}
	parts := []truth.Session{st}
	window, _, err := ss.window(ctx, s, parts, min(budget, ss.config.Window))
	if err != nil {
		return nil, nil, err
	}
	window = slices.DeleteFunc(window, func(m trilith.Memory) bool {
		// a session with the same name in another scope is a different session
		return m.Scope != s.Bare() || m.Role != trilith.RoleUser && m.Role != trilith.RoleAssistant
	})
	summary, err := ss.newest(ctx, s, parts)
	if summary != nil && summary.Scope != s.Bare() {
		summary = nil
	}
	return window, summary, err
}

// window returns the newest turns of a session that fit a budget of tokens, at least one, and their number of tokens.
func (ss *Sessions) window(ctx context.Context, s trilith.Scope, parts []truth.Session, budget int) (
	[]trilith.Memory, int, error) {
	tokens, turns, b := 0, 0, truth.Bound{}
	ms, err := ss.latestTurns(ctx, s, parts, func(m *trilith.Memory) bool {
		n := ss.truth.Tokens(m.Text)
		if turns > 0 && tokens+n > budget || !b.Holds(m) {
			return true
		}
		tokens, turns = tokens+n, turns+1
		return false
	})
	if ms == nil {
		ms = []trilith.Memory{}
	}
	recall.Announce(ms, ss.truth.Now())
	return ms, tokens, err
}

// beginning returns the beginning of a text, of at most most bytes.
func beginning(text string, most int) string {
	for len(text) > most || !utf8.ValidString(text) {
		text = text[:min(most, len(text)-1)]
	}
	return text
}

// past searches memories outside the window.
func (ss *Sessions) past(ctx context.Context, s, held trilith.Scope, query string, limit int, window []trilith.Memory) (
	[]trilith.Hit, error) {
	hits, err := ss.pastOf(ctx, s, held, trilith.RecallRequest{Query: query, K: min(limit+len(window), trilith.MaxK)})
	if err != nil {
		return nil, err
	}
	shown := map[trilith.ID]bool{}
	for _, m := range window {
		shown[m.ID] = true
	}
	out := slices.DeleteFunc(hits, func(h trilith.Hit) bool { return shown[h.Memory.ID] })
	return slices.Clip(out[:min(limit, len(out))]), nil
}

// pastOf searches the memories of the session's user, project and domain, or those of the session itself if it has none
// of these.
func (ss *Sessions) pastOf(ctx context.Context, s, held trilith.Scope, r trilith.RecallRequest) ([]trilith.Hit, error) {
	wide := s
	wide.Session, wide.Channel = "", ""
	wide.User, wide.Project, wide.Domain = held.User, held.Project, held.Domain
	if wide.User+wide.Project+wide.Domain == "" {
		wide.Session = s.Session
	}
	r.StrongOnly = true
	res, err := ss.recall.Recall(ctx, wide, r)
	if err != nil {
		return nil, err
	}
	current, err := ss.recall.CurrentHits(ctx, wide, recall.Telling(res.Hits, false), r)
	return current.Hits, err
}
