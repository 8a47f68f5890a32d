package truth

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/trace"
)

// Commit writes a batch, all of it or nothing. For memories that the batch puts or deletes it adds the changes that
// belong to the same transaction: claims of forgotten turns, shares, summaries, retired numbers and alerts. For changes
// that can be undone it adds the states before, and to jobs the id of the request. It answers like [role.Store.Commit];
// Versions are those of the batch as it was given.
func (t *Truth) Commit(ctx context.Context, s trilith.Scope, b role.Batch) (role.Commit, error) {
	memories, expected, n := b.Memories, b.Expect, len(b.Memories)
	changes := n > 0 || slices.ContainsFunc(b.Delete, func(r role.Ref) bool { return r.Kind == "" })
	if changes {
		var err error
		if b, err = t.withFollowing(ctx, TenantOf(s), b); err != nil {
			return role.Commit{}, err
		}
	}
	if err := UndosOf(t).withFormer(ctx, s, &b); err != nil {
		return role.Commit{}, err
	}
	ctx, span := trace.Start(ctx, "store.commit", trace.Client)
	span.SetInt("trilith.memories", len(b.Memories))
	done, err := t.store.Commit(ctx, TenantOf(s), OfRequest(ctx, b))
	span.End(err)
	if changes {
		for _, committed := range t.Committed {
			committed(s.Tenant, &b)
		}
	}
	if err == nil {
		done.Versions = done.Versions[:n]
		t.meterStored(memories, expected)
	}
	return done, err
}

// withFollowing adds the changes that follow from a batch's changes to memories.
func (t *Truth) withFollowing(ctx context.Context, tenant trilith.Scope, b role.Batch) (role.Batch, error) {
	claimForgotten(&b)
	if err := DerivedRecordsOf(t).withSummaries(ctx, tenant, &b); err != nil {
		return b, err
	}
	b, err := t.withShares(ctx, tenant, b)
	if err != nil {
		return b, err
	}
	if err := t.retireLegacyIDs(ctx, tenant, &b); err != nil {
		return b, err
	}
	for _, complete := range t.Completing {
		if err := complete(ctx, tenant, &b); err != nil {
			return b, err
		}
	}
	return b, nil
}

// Remember stores a request; the engine, which imports this package, provides it. The batch of an AlsoCommit that is
// not nil is part of the same commit.
type Remember func(ctx context.Context, s trilith.Scope, r trilith.RememberRequest, beside AlsoCommit) (
	trilith.RememberResult, error)

// AlsoCommit returns the batch to commit together with new memories. It is called again after a conflict; its error
// ends the request.
type AlsoCommit func(ctx context.Context, about *trilith.RememberResult) (role.Batch, error)

// Audit makes an entry for the audit log; the store numbers and chains it.
func (t *Truth) Audit(s trilith.Scope, action string, target trilith.ID, detail map[string]string) []trilith.AuditEntry {
	return []trilith.AuditEntry{{At: t.Now(), Actor: s.Actor, Action: action, Target: target, Detail: detail}}
}

// MaxConflicts bounds how often a read-modify-write is repeated. Each conflict means that another writer made progress,
// so only a caller that loses to others every time reaches the bound.
const MaxConflicts = 100

// Retry repeats a read-modify-write until f succeeds or reports an error that another attempt cannot avoid.
func Retry(ctx context.Context, f func() (again bool, err error)) error {
	for range MaxConflicts {
		again, err := f()
		if err == nil || !again || trilith.KindOf(err) != trilith.Conflict {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return trilith.Errorf(trilith.Unavailable, "the memory is being changed by too many writers at once; try again")
}

// claimForgotten adds the claims by which forgotten memories in a batch are recognised when they are sent again.
func claimForgotten(b *role.Batch) {
	for i := range b.Memories {
		if m := &b.Memories[i]; Forgotten(m) {
			b.Claims = append(b.Claims, role.Claim{Key: ForgottenKey(m), Owner: m.ID, Move: true})
		}
	}
}

// withShares adds the shares of the memories that a batch changes. The batch expects that no share is added in the
// meantime.
func (t *Truth) withShares(ctx context.Context, tenant trilith.Scope, b role.Batch) (role.Batch, error) {
	fresh, named := map[trilith.ID]bool{}, map[trilith.ID]bool{}
	for _, x := range b.Expect {
		fresh[x.ID] = fresh[x.ID] || x.Kind == "" && x.Version == 0
	}
	changed := map[trilith.ID]*trilith.Memory{} // nil: deleted
	var ids []trilith.ID
	for i := range b.Memories {
		m := &b.Memories[i]
		named[m.ID] = true
		if !fresh[m.ID] && m.SharedFrom == "" {
			changed[m.ID] = m
			ids = append(ids, m.ID)
		}
	}
	for _, r := range b.Delete {
		if r.Kind == "" {
			named[r.ID] = true
			changed[r.ID] = nil
			ids = append(ids, r.ID)
		}
	}
	records, err := t.ShareRecords(ctx, tenant, ids)
	if err != nil {
		return b, err
	}
	for _, id := range ids {
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordShares, ID: id, Version: records[id].Version})
	}
	var puts []trilith.Memory
	for _, r := range records {
		all, err := t.SharesIn(ctx, tenant, r)
		if err != nil {
			return b, err
		}
		origin := changed[r.ID]
		if origin == nil {
			b.Delete = append(b.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
		}
		for _, share := range all {
			if named[share.ID] {
				continue
			}
			b.Expect = append(b.Expect, role.Expect{ID: share.ID, Version: share.Version})
			if origin == nil {
				b.Delete = append(b.Delete, role.Ref{ID: share.ID})
			} else {
				puts = append(puts, refer(share, *origin))
			}
		}
	}
	b.Memories = append(slices.Clip(b.Memories), puts...)
	return b, nil
}
