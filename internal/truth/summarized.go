package truth

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Summarized is the body of a [role.RecordSummarized]: the summaries that a memory is a source of. Some of them may no
// longer exist.
type Summarized struct {
	By []trilith.ID `json:"by"`
}

// AddSummarized adds the sources of a summary to a batch.
func (k DerivedRecords) AddSummarized(ctx context.Context, tenant trilith.Scope, b *role.Batch, summary trilith.ID,
	sources []trilith.ID) error {
	by, versions, err := k.Summarized(ctx, tenant, sources)
	if err != nil {
		return err
	}
	for _, id := range sources {
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordSummarized, ID: id, Version: versions[id]})
		if slices.Contains(by[id], summary) {
			continue
		}
		if err := b.Put(role.RecordSummarized, id, Summarized{append(by[id], summary)}); err != nil {
			return err
		}
	}
	return nil
}

// withSummaries adds to a batch the changes of summaries that follow from its changes of memories: summaries of deleted
// memories are deleted, the others are marked stale, and a job renews all of them. The batch expects that no new
// summary of these memories is made in the meantime.
func (k DerivedRecords) withSummaries(ctx context.Context, tenant trilith.Scope, b *role.Batch) error {
	fresh, named := map[trilith.ID]bool{}, map[trilith.ID]bool{}
	for _, x := range b.Expect {
		fresh[x.ID] = fresh[x.ID] || x.Kind == "" && x.Version == 0
	}
	var changed, deleted []trilith.ID
	for i := range b.Memories {
		m := &b.Memories[i]
		named[m.ID] = true
		if !fresh[m.ID] && m.SharedFrom == "" {
			changed = append(changed, m.ID)
		}
	}
	for _, r := range b.Delete {
		if r.Kind == "" {
			named[r.ID] = true
			deleted = append(deleted, r.ID)
		}
	}
	_, versions, err := k.Summarized(ctx, tenant, slices.Concat(changed, deleted))
	if err != nil {
		return err
	}
	for _, id := range slices.Concat(changed, deleted) {
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordSummarized, ID: id, Version: versions[id]})
	}
	for _, id := range deleted {
		if versions[id] > 0 {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordSummarized, ID: id})
		}
	}
	if len(versions) == 0 {
		return nil
	}
	going, err := k.SummariesOf(ctx, tenant, deleted)
	if err != nil {
		return err
	}
	for _, m := range going {
		if err := k.again(b, &m); err != nil {
			return err
		}
		if named[m.ID] {
			continue
		}
		named[m.ID] = true
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
		b.Delete = append(b.Delete, role.Ref{ID: m.ID}, role.Ref{Kind: role.RecordSummarized, ID: m.ID})
	}
	stale, err := k.SummariesOf(ctx, tenant, changed)
	if err != nil {
		return err
	}
	for _, m := range stale {
		if named[m.ID] {
			continue
		}
		if err := k.again(b, &m); err != nil {
			return err
		}
		if m.Summary.Stale {
			continue
		}
		named[m.ID] = true
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
		sum := *m.Summary
		sum.Stale = true
		m.Summary = &sum
		b.Memories = append(slices.Clip(b.Memories), m)
	}
	return nil
}

// SummariesOf returns the summaries of memories, and the summaries of those.
func (k DerivedRecords) SummariesOf(ctx context.Context, tenant trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	var out []trilith.Memory
	seen := map[trilith.ID]bool{}
	for len(ids) > 0 {
		by, _, err := k.Summarized(ctx, tenant, ids)
		if err != nil {
			return nil, err
		}
		var next []trilith.ID
		for _, id := range ids {
			for _, s := range by[id] {
				if !seen[s] {
					seen[s] = true
					next = append(next, s)
				}
			}
		}
		slices.Sort(next)
		ms, err := k.truth.Memories(ctx, TenantOf(tenant), next)
		if err != nil {
			return nil, err
		}
		ids = ids[:0:0]
		for _, m := range ms {
			if m.Summary != nil { // otherwise the id belongs to something else now
				out, ids = append(out, m), append(ids, m.ID)
			}
		}
	}
	return out, nil
}

// again queues the job that renews a summary.
func (k DerivedRecords) again(b *role.Batch, m *trilith.Memory) error {
	by := trilith.ExtractRules
	if m.Summary.Model != "" {
		by = trilith.ExtractAuto
	}
	subject := m.Summary.Subject
	if m.Summary.Of == trilith.SummaryOfTopic { // one job renews all topics of a scope together
		subject = ""
	}
	return k.QueueSummary(b, SummarizeJob{Scope: m.Scope.Bare(), Of: m.Summary.Of, Subject: subject,
		Tokens: m.Summary.Tokens, By: by})
}

// RestoreSummarized adds the sources of the summaries in a batch to it.
func (k DerivedRecords) RestoreSummarized(ctx context.Context, tenant trilith.Scope, b *role.Batch) error {
	of := map[trilith.ID][]trilith.ID{} // summaries, by source
	var sources []trilith.ID
	for i := range b.Memories {
		m := &b.Memories[i]
		if m.Summary == nil || m.SharedFrom != "" {
			continue
		}
		for _, id := range m.Summary.Sources {
			if of[id] == nil {
				sources = append(sources, id)
			}
			of[id] = append(of[id], m.ID)
		}
	}
	by, versions, err := k.Summarized(ctx, tenant, sources)
	if err != nil {
		return err
	}
	for _, id := range sources {
		if err := b.Replace(role.RecordSummarized, id, versions[id], Summarized{append(by[id], of[id]...)}); err != nil {
			return err
		}
	}
	return nil
}

// Summarized reads which summaries have memories as sources. A missing record has version 0.
func (k DerivedRecords) Summarized(ctx context.Context, tenant trilith.Scope, ids []trilith.ID) (
	by map[trilith.ID][]trilith.ID, versions map[trilith.ID]int64, err error) {
	by, versions = map[trilith.ID][]trilith.ID{}, map[trilith.ID]int64{}
	if len(ids) == 0 {
		return by, versions, nil
	}
	rs, err := k.truth.RecordsOf(ctx, tenant, role.RecordSummarized, ids...)
	for _, r := range rs {
		v, err := Decode[Summarized](r)
		if err != nil {
			return nil, nil, err
		}
		by[r.ID], versions[r.ID] = v.By, r.Version
	}
	return by, versions, err
}
