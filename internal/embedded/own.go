package embedded

import (
	"slices"

	"github.com/cairn-memory/cairn"
)

// ownFacets copies the slices, the maps and the fact of f, which the caller of Apply may change afterwards, and drops the
// actor, who is not stored.
func ownFacets(f cairn.Facets) cairn.Facets {
	f.Scope.Actor = ""
	f.Tags = slices.Clone(f.Tags)
	f.ValidUntil, f.SupersededAt = own(f.ValidUntil), own(f.SupersededAt)
	if f.Metadata != nil {
		f.Metadata = ownJSON(f.Metadata).(map[string]any)
	}
	if f.Fact = own(f.Fact); f.Fact != nil {
		x := f.Fact
		x.Content = nil // not filtered by
		x.Evidence = slices.Clone(x.Evidence)
		for i, e := range x.Evidence {
			x.Evidence[i] = cairn.Evidence{EpisodeID: e.EpisodeID} // nor by what it quotes
			for _, p := range e.Premises {
				x.Evidence[i].Premises = append(x.Evidence[i].Premises, cairn.Premise{EpisodeID: p.EpisodeID})
			}
		}
		x.ActionDeadline, x.Verification.At, x.Financial = own(x.ActionDeadline), own(x.Verification.At), own(x.Financial)
	}
	return f
}

// own copies what p points to.
func own[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// ownJSON copies the containers of a value as encoding/json makes it.
func ownJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = ownJSON(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = ownJSON(e)
		}
		return l
	}
	return v
}
