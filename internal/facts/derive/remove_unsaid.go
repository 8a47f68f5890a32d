package derive

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// saying identifies a finding of rules in an episode: a verb with its object, or the place of words that end
// something.
type saying struct {
	episode      trilith.ID
	verb, object string
}

// removeUnsaid removes from facts the evidence in episodes that rules would no longer find.
func (dv *Deriver) removeUnsaid(ctx context.Context, s trilith.Scope, j ExtractJob, episodes []trilith.Memory,
	subject entities.Party) error {
	said := dv.sayings(ctx, s, j, episodes, subject)
	read := func(id trilith.ID) bool { return holds(episodes, id) }
	ids := make([]trilith.ID, len(episodes))
	for i := range episodes {
		ids[i] = episodes[i].ID
	}
	citing, err := dv.facts.FactsCiting(ctx, s, ids)
	if err != nil {
		return err
	}
	citing = slices.DeleteFunc(citing, func(m trilith.Memory) bool {
		return !slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return unsaid(&m, &e, read, said) })
	})
	for _, of := range facts.GroupsOf(citing) {
		if _, _, err := dv.facts.Revise(ctx, s, of, func(f *reconcile.Facts) {
			f.Prune(func(m *trilith.Memory, e *trilith.Evidence) bool { return unsaid(m, e, read, said) })
		}); err != nil {
			return err
		}
	}
	return nil
}

// CountUnsaid counts the facts of a tenant that rules would no longer find in their evidence, and that no person has
// decided about: deriving again removes them.
func (dv *Deriver) CountUnsaid(ctx context.Context, tenant string) (n int, err error) {
	s := trilith.Scope{Tenant: tenant}
	projects, err := readAsProjects(ctx, dv, s)
	if err != nil {
		return 0, err
	}
	var some []trilith.Memory
	look := func() error {
		v, err := dv.facts.EvidenceOf(ctx, s, some)
		if err != nil {
			return err
		}
		for i := range some {
			about, err := dv.entities.Survivor(ctx, s, some[i].Fact.EntityID)
			if err != nil {
				return err
			}
			found, of := false, entities.Party{Entity: about, Of: about.ID}
			for _, ep := range v.Of(&some[i]) {
				err := survive.Do(func() error {
					j := ExtractJob{InProject: projects[ep.SourceID].InProject, Talk: projects[ep.SourceID].Talk}
					said := dv.sayings(ctx, s, j, []trilith.Memory{*ep}, of)
					found = found || slices.ContainsFunc(some[i].Fact.Evidence, func(e trilith.Evidence) bool {
						return e.EpisodeID == ep.ID && !unsaid(&some[i], &e, func(trilith.ID) bool { return true }, said)
					})
					return nil
				})
				found = found || err != nil
			}
			if !found {
				n++
			}
		}
		some = some[:0]
		return nil
	}
	active := role.Listing{Filter: trilith.AllOf(dv.facts.ActiveFact(), truth.Unshared)}
	for m, err := range dv.truth.List(ctx, s, active) {
		if err != nil {
			return n, err
		}
		rests := slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool { return len(e.Premises) > 0 })
		if !byRules(m.Fact.Rule) || personal(&m) || rests { // an answer is read with its question
			continue
		}
		if some = append(some, m); len(some) == facts.EvidenceStep {
			if err := look(); err != nil {
				return n, err
			}
		}
	}
	return n, look()
}

// readAsProjects returns how the sources are read whose words are those of a project, or of persons, whatever their scopes.
func readAsProjects(ctx context.Context, dv *Deriver, s trilith.Scope) (map[trilith.ID]trilith.SourceExtraction, error) {
	out := map[trilith.ID]trilith.SourceExtraction{}
	for r, err := range dv.truth.Records(ctx, s, role.RecordSource) {
		if err != nil {
			return nil, err
		}
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return nil, err
		}
		if src.Extraction != nil && (src.Extraction.InProject || src.Extraction.Talk) {
			out[src.ID] = *src.Extraction
		}
	}
	return out, nil
}

// sayings returns the findings of rules in the episodes of a job.
func (dv *Deriver) sayings(ctx context.Context, s trilith.Scope, j ExtractJob, episodes []trilith.Memory,
	subject entities.Party) map[saying]bool {
	out := map[saying]bool{}
	for _, f := range ByRules(ctx, dv.entities.Resolver(s, nil), j, episodes, episodes, subject) {
		if f.amendment != nil || f.Ends {
			out[saying{f.episode.ID, "", strconv.Itoa(f.Start)}] = true
		}
		if f.amendment == nil {
			out[saying{f.episode.ID, f.Verb, f.Node.ID()}] = true
		}
	}
	return out
}

// unsaid reports whether a piece of evidence comes from rules that have read an episode and find it no longer.
func unsaid(m *trilith.Memory, e *trilith.Evidence, read func(trilith.ID) bool, said map[saying]bool) bool {
	if !byRules(e.Rule) || !read(e.EpisodeID) || personal(m) {
		return false
	}
	if e.Ends {
		return !said[saying{e.EpisodeID, "", strconv.Itoa(e.Start)}]
	}
	return !said[saying{e.EpisodeID, m.Fact.Verb, m.Fact.FactID}]
}

// byRules reports whether a rule of this program has found a statement, and neither a model nor an import.
func byRules(rule string) bool {
	return rule != "" && rule != importRule && !strings.Contains(rule, "/") && !strings.Contains(rule, ":")
}

// personal reports whether a person has decided about a fact, or stated it in place of another.
func personal(m *trilith.Memory) bool {
	return m.Fact.Verification.Decided() || m.Trust == trilith.TrustUserConfirmed || m.State == trilith.StateRetracted ||
		slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
			return e.Trust == trilith.TrustUserConfirmed || e.Successor != ""
		})
}
