package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/projects"
)

var matchRank = slices.Index(trilith.ReviewReasons(), trilith.ReviewMatch)

// matchPlaces returns the places of the papers of a project that could belong to several, in the order of the inbox.
func (rv *Reviewer) matchPlaces(ctx context.Context, s trilith.Scope) ([]place, error) {
	doubts, err := rv.projects.Doubts(ctx, s)
	var out []place
	for i := range doubts {
		if p := &doubts[i].Paper; rv.reviewItem(p).Reason == "" {
			out = append(out, place{matchRank, p.RecordedAt, p.ID})
		}
	}
	slices.SortFunc(out, place.compare)
	return out, err
}

// addMatches gives each paper what it could belong to.
func (rv *Reviewer) addMatches(ctx context.Context, s trilith.Scope, items []trilith.ReviewItem) error {
	if !slices.ContainsFunc(items, func(it trilith.ReviewItem) bool { return it.Reason == trilith.ReviewMatch }) {
		return nil
	}
	doubts, err := rv.projects.Doubts(ctx, s)
	for i := range items {
		for j := range doubts {
			if d := &doubts[j]; items[i].Reason == trilith.ReviewMatch && items[i].ID == d.Paper.ID {
				items[i].Others = d.Among
			}
		}
	}
	return err
}

// ruleOut notes that a paper belongs to none of those that it could belong to: a relation to each, which is rejected.
// It reports whether there was anything to note.
func (rv *Reviewer) ruleOut(ctx context.Context, s trilith.Scope, m *trilith.Memory, note string, dry bool) (bool, error) {
	if m.Fact == nil || m.Fact.Owner != trilith.ProjectOwner(m.Scope.Project) {
		return false, nil
	}
	s.Project = m.Scope.Project
	doubts, err := rv.projects.Doubts(ctx, s)
	i := slices.IndexFunc(doubts, func(d projects.Doubt) bool { return d.Paper.ID == m.ID })
	if err != nil || i < 0 || dry {
		return i >= 0, err
	}
	for _, of := range doubts[i].Among {
		rel, err := rv.relations.Relate(ctx, s, trilith.RelateRequest{ID: m.ID, Type: projects.BelongsBy(m.Fact),
			To: of.ID, Note: cmp.Or(note, fmt.Sprintf("Whether %s belongs to %s is decided: it does not.", m.ID, of.ID))})
		if err != nil {
			return true, err
		}
		_, err = decideAny(ctx, rv, s, rel.ID,
			trilith.VerifyRequest{Decision: trilith.DecideReject, Note: note}, false)
		if err != nil {
			return true, err
		}
	}
	return true, nil
}
