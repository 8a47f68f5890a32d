package scenario

import (
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// identifier reads TYPE:VALUE.
func identifier(word string) (trilith.Identifier, error) {
	kind, value, ok := strings.Cut(word, ":")
	if !ok || kind == "" || value == "" {
		return trilith.Identifier{}, mistake("%q is not TYPE:VALUE", word)
	}
	return trilith.Identifier{Type: kind, Value: value}, nil
}

func (p *player) assimilate(ctx context.Context, st step) error {
	who, err := identifier(st.words[0])
	if err != nil {
		return err
	}
	o, s := st.options, scope(st)
	r := trilith.AssimilateRequest{Identifier: who, Content: st.words[1], Role: trilith.Role(o["role"]),
		Speaker: o["speaker"], Timestamp: o["at"], ExternalID: o["id"], RequestKey: o["key"]}
	out, err := p.memory.Assimilate(ctx, s, r)
	again := func(ctx context.Context, named bool) error {
		r := r
		r.RequestKey = ""
		if !named {
			r.ExternalID = ""
		}
		out, err := p.memory.Assimilate(ctx, s, r)
		p.last.memories = append(p.last.memories, out.Facts...)
		for _, reason := range []string{trilith.ReasonErased, trilith.ReasonForgotten} {
			if trilith.KindOf(err) == trilith.Invalid && strings.Contains(trilith.MessageOf(err), "refused ("+reason+")") {
				p.last.rejected = append(p.last.rejected, trilith.Rejection{Reason: reason})
				return nil
			}
		}
		return err
	}
	p.last = answer{memories: out.Facts}
	if name := o["as"]; err == nil && name != "" {
		i := slices.IndexFunc(out.Facts, func(m trilith.Memory) bool { return m.State == trilith.StateActive })
		if i < 0 {
			return mistake("no fact follows that could be called %s: %s", name, p.last)
		}
		p.labels[name] = labelled{out.Facts[i].ID, out.SourceID, s.Tenant, again}
	}
	if name := o["words"]; err == nil && name != "" {
		if len(out.Facts) == 0 {
			return mistake("no fact rests on words that could be called %s", name)
		}
		p.labels[name] = labelled{out.Facts[0].Fact.Evidence[0].EpisodeID, out.SourceID, s.Tenant, again}
	}
	return err
}

func (p *player) lookup(ctx context.Context, st step) error {
	r := trilith.LookupRequest{Query: st.options["query"], AsOf: st.options["asof"]}
	var err error
	if r.KnownAt, err = p.known(st); err != nil {
		return err
	}
	if r.Identifier, err = identifier(st.words[0]); err != nil {
		return err
	}
	if r.TopK, err = number(st, "k"); err != nil {
		return err
	}
	if r.ExpandHops, err = number(st, "hops"); err != nil {
		return err
	}
	if r.MinScore, err = lowest(st); err != nil {
		return err
	}
	if state := st.options["state"]; state != "" {
		r.IncludeStates = []trilith.State{trilith.State(state)}
	}
	if st.command == "summary" {
		out, err := p.memory.LookupSummary(ctx, scope(st), r)
		p.last = answer{text: out.Summary}
		return err
	}
	if st.command == "card" {
		out, err := p.memory.Card(ctx, scope(st),
			trilith.CardRequest{Identifier: r.Identifier, AsOf: r.AsOf, KnownAt: r.KnownAt})
		p.last = answer{text: out.Text}
		return err
	}
	out, err := p.memory.Lookup(ctx, scope(st), r)
	p.last = answer{memories: out.Facts}
	return err
}

// facts finds facts of whatever entity, or lists them.
func (p *player) facts(ctx context.Context, st step) error {
	var q trilith.FactQuery
	if len(st.words) == 1 {
		q.Query = st.words[0]
	}
	page, err := p.memory.Facts(ctx, scope(st), q)
	for _, h := range page.Items {
		p.last.memories = append(p.last.memories, h.Memory)
	}
	return err
}

// one makes one entity of two, or undoes that.
func (p *player) one(ctx context.Context, st step) error {
	ids, s := make([]trilith.ID, len(st.words)), scope(st)
	var merged []trilith.ID
	for i, word := range st.words {
		who, err := identifier(word)
		if err != nil {
			return err
		}
		out, err := p.memory.Lookup(ctx, s, trilith.LookupRequest{Identifier: who})
		if err != nil {
			return err
		}
		ids[i], merged = out.Entity.ID, out.Entity.Merged
	}
	if st.command == "merge" {
		_, err := p.memory.MergeEntities(ctx, s, ids[0], trilith.MergeRequest{From: ids[1]})
		return err
	}
	if len(merged) == 0 {
		return mistake("nothing was merged into %s", st.words[0])
	}
	_, err := p.memory.SplitEntity(ctx, s, ids[0], trilith.SplitRequest{Merged: merged[len(merged)-1]})
	return err
}
