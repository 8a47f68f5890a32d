package facts

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// RecordClosed writes salted hashes of the values of rejected, corrected or replaced facts to the ledger and the store,
// so that an older backup does not bring the values back.
func (fs *Facts) RecordClosed(ctx context.Context, s trilith.Scope, facts []trilith.Memory) error {
	if fs.truth.Ledger == nil || len(facts) == 0 {
		return nil
	}
	salt, err := fs.truth.Salt(ctx, truth.TenantOf(s))
	if err != nil {
		return err
	}
	now := fs.truth.Now()
	j := trilith.Judged{ID: trilith.NewID(now), At: now, Salt: hex.EncodeToString(salt)}
	for _, id := range truth.EntitiesOf(facts) {
		entity, err := fs.entities.Read(ctx, s, id)
		if trilith.Is(err, trilith.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for _, m := range facts {
			if m.Fact.EntityID == id {
				j.Hashes = append(j.Hashes, ValueHashes(salt, entity, m.Fact)...)
			}
		}
	}
	slices.Sort(j.Hashes)
	j.Hashes = slices.Compact(j.Hashes)
	if err := fs.truth.Ledger.Append(s.Tenant, trilith.ExportItem{Judged: &j}); err != nil {
		return trilith.WrapError(trilith.Unavailable, "ledger: the judgement could not be written", err)
	}
	var b role.Batch
	if err := b.Put(role.RecordJudged, j.ID, j); err != nil {
		return err
	}
	// Backups made from now on contain the outcome in the facts themselves.
	_, err = fs.truth.Commit(ctx, s, b)
	return err
}

// WithoutJudged drops the assertions whose values were erased, or judged elsewhere, unless the assertion is newer.
func (fs *Facts) WithoutJudged(ctx context.Context, s trilith.Scope, entity trilith.Entity, as []reconcile.Assertion) (
	[]reconcile.Assertion, error) {
	facts := make([]trilith.Memory, len(as))
	for i, a := range as {
		facts[i] = a.Memory
	}
	judged, err := fs.judgedValues(ctx, s, entity, facts)
	var kept []reconcile.Assertion
	for i, a := range as {
		if err == nil && !judged[i] {
			kept = append(kept, a)
		}
	}
	return kept, err
}

// judgedValues returns, for each fact of an entity, whether its value was erased or judged elsewhere, at the fact's
// time or later.
func (fs *Facts) judgedValues(ctx context.Context, s trilith.Scope, entity trilith.Entity, facts []trilith.Memory) (
	[]bool, error) {
	out := make([]bool, len(facts))
	_, salts, err := fs.truth.Salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return out, err
	}
	keys := make([][]role.Key, len(facts))
	var all []role.Key
	for i, m := range facts {
		for _, salt := range salts {
			for _, h := range ValueHashes(salt, entity, m.Fact) {
				keys[i] = append(keys[i], role.Key{Space: role.KeyErased, Value: h})
			}
		}
		all = append(all, keys[i]...)
	}
	owners, err := fs.truth.Find(ctx, s, all)
	if err != nil || len(owners) == 0 {
		return out, err
	}
	times := map[trilith.ID]time.Time{}
	for i, m := range facts {
		for _, k := range keys[i] {
			owner, ok := owners[k]
			if !ok {
				continue
			}
			if _, known := times[owner]; !known {
				if times[owner], err = fs.judgedAt(ctx, s, owner); err != nil {
					return nil, err
				}
			}
			out[i] = out[i] || !m.EventTime.After(times[owner])
		}
	}
	return out, nil
}

// judgedAt returns when the owner of a tombstone was erased or judged.
func (fs *Facts) judgedAt(ctx context.Context, s trilith.Scope, owner trilith.ID) (time.Time, error) {
	erased, version, err := truth.ReadRecord[trilith.Erased](ctx, fs.truth, s, role.RecordReceipt, owner)
	if err != nil || version > 0 {
		return erased.Receipt.At, err
	}
	judged, version, err := truth.ReadRecord[trilith.Judged](ctx, fs.truth, s, role.RecordJudged, owner)
	if err != nil || version > 0 {
		return judged.At, err
	}
	return fs.truth.Now(), nil // its record is not written yet
}

// RestoreJudged imports judgements that are newer than the backup that this memory was restored from. Facts that state
// a judged value are rejected until somebody states it again. It returns the number of new judgements, 0 if they were
// known.
func (fs *Facts) RestoreJudged(ctx context.Context, s trilith.Scope, j trilith.Judged) (int, error) {
	tenant := truth.TenantOf(s)
	known, err := fs.truth.RecordsOf(ctx, tenant, role.RecordJudged, j.ID)
	if err != nil || len(known) > 0 {
		return 0, err
	}
	salt, err := fs.StoreSalt(ctx, tenant, j.Salt)
	if err != nil {
		return 0, err
	}
	present := trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate})
	judged, err := fs.FactsByValueHash(ctx, s, present, salt, j.Hashes, j.At)
	if err != nil {
		return 0, err
	}
	if err := fs.truth.InBatches(ctx, s, "judged", judged, func(m *trilith.Memory) {
		fact := *m.Fact
		fact.Verification = trilith.Verification{Status: trilith.Rejected, By: "ledger", At: &j.At,
			Note: "rejected or corrected after this backup was made"}
		m.Fact, m.State, m.SupersededAt = &fact, trilith.StateRetracted, &j.At
	}); err != nil {
		return 0, err
	}
	if err := fs.Replay(ctx, s, judged); err != nil {
		return 0, err
	}
	var b role.Batch
	if err := b.Put(role.RecordJudged, j.ID, j); err != nil {
		return 0, err
	}
	for _, h := range j.Hashes {
		b.Claims = append(b.Claims, truth.Tombstone(h, j.ID))
	}
	_, err = fs.truth.Commit(ctx, tenant, b)
	return 1, err
}

// StoreSalt stores the salt of tombstones that were made elsewhere, and returns it.
func (fs *Facts) StoreSalt(ctx context.Context, tenant trilith.Scope, text string) ([]byte, error) {
	salt, err := hex.DecodeString(text)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "salt: is not hexadecimal")
	}
	_, salts, err := fs.truth.Salts(ctx, tenant)
	if err != nil || slices.ContainsFunc(salts, func(have []byte) bool { return slices.Equal(have, salt) }) {
		return salt, err
	}
	return salt, fs.truth.PutSalt(ctx, tenant, salt, true)
}

// FactsByValueHash returns the facts that a filter accepts, whose values match one of the hashes, and that are not
// newer than at.
func (fs *Facts) FactsByValueHash(ctx context.Context, s trilith.Scope, filter trilith.Filter, salt []byte, hashes []string,
	at time.Time) ([]trilith.Memory, error) {
	facts, err := fs.truth.ListFacts(ctx, s, filter)
	if err != nil {
		return nil, err
	}
	var out []trilith.Memory
	for _, id := range truth.EntitiesOf(facts) {
		entity, err := fs.entities.Read(ctx, s, id)
		if err != nil {
			return nil, err
		}
		for _, m := range facts {
			if m.Fact.EntityID == id && !m.EventTime.After(at) &&
				slices.ContainsFunc(ValueHashes(salt, entity, m.Fact),
					func(h string) bool { return slices.Contains(hashes, h) }) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// ValueHashes returns the tombstones of a value of an owner: one for each identifier of the fact's entity. They contain
// neither the value nor the identifier.
func ValueHashes(salt []byte, entity trilith.Entity, x *trilith.Fact) []string {
	var out []string
	for _, id := range entity.Identifiers {
		out = append(out, truth.SaltedHash(salt, "owned value", string(x.Owner), entities.IdentifierKey(id).Value,
			x.Verb, strings.ToLower(x.FactID), string(x.Polarity)))
	}
	return out
}
