package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
)

// legacyCounter is the id of the record that holds the highest number given to a fact of the tenant. Numbers are given when
// somebody asks for them: writing a fact takes part in no count, so no two writers wait for each other.
var legacyCounter = cairn.DeriveID("legacy", "counter")

// legacyNumber is the body of a [cairn.RecordLegacy].
type legacyNumber struct {
	N int64 `json:"n"`
}

func legacyKey(n int64) cairn.Key {
	return cairn.Key{Space: cairn.KeyLegacy, Value: strconv.FormatInt(n, 10)}
}

func checkLegacyID(field string, n int64) error {
	if n < 0 || n > cairn.MaxLegacyID {
		return cairn.Errorf(cairn.Invalid, "%s: is %d, must be 0 to %d", field, n, int64(cairn.MaxLegacyID))
	}
	return nil
}

// LegacyIDs returns the [cairn.Fact.LegacyID] of those ids, at most [cairn.MaxBatch], that are facts of the scope, and gives
// numbers to those that have none yet: the longest recorded first, ties by id.
func (e *Engine) LegacyIDs(ctx context.Context, s cairn.Scope, ids []cairn.ID) (map[cairn.ID]int64, error) {
	if err := checkScope(s); err != nil {
		return nil, err
	}
	if len(ids) > cairn.MaxBatch {
		return nil, cairn.Errorf(cairn.Exhausted, "ids: %d given, at most %d at once", len(ids), cairn.MaxBatch)
	}
	if err := checkIDs("ids", ids); err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make(map[cairn.ID]int64, len(ids))
	for chunk := range slices.Chunk(ids, legacyStep) {
		if err := retry(ctx, func() (bool, error) { return true, e.numberFacts(ctx, s, chunk, out) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// legacyStep is how many facts are numbered in one commit: each is a record, a claim and a precondition.
const legacyStep = 200

// numberFacts adds the numbers of facts to out. A share has that of its origin.
func (e *Engine) numberFacts(ctx context.Context, s cairn.Scope, ids []cairn.ID, out map[cairn.ID]int64) error {
	seen, err := e.cfg.Store.Get(ctx, s, ids)
	if err != nil {
		return err
	}
	seen = slices.DeleteFunc(seen, func(m cairn.Memory) bool { return m.Fact == nil })
	origins := make([]cairn.ID, len(seen))
	for i := range seen {
		origins[i] = originOf(&seen[i])
	}
	slices.Sort(origins)
	origins = slices.Compact(origins)
	facts, err := e.cfg.Store.Get(ctx, tenantOf(s), origins)
	if err != nil || len(facts) == 0 {
		return err
	}
	known, counter, err := e.legacyRecords(ctx, tenantOf(s), origins)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(facts, func(m cairn.Memory) bool { return known[m.ID] != 0 })
	slices.SortFunc(fresh, func(a, b cairn.Memory) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.ID, b.ID))
	})
	if len(fresh) > 0 {
		b := cairn.Batch{}
		last := counter.last
		for _, m := range fresh {
			last++
			known[m.ID] = last
			if err := addLegacyID(&b, m.ID, last); err != nil {
				return err
			}
			b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: m.Version}) // it still exists
		}
		if last > cairn.MaxLegacyID {
			return cairn.Errorf(cairn.Exhausted, "legacy_id: all %d numbers of facts are given", int64(cairn.MaxLegacyID))
		}
		if err := counter.raise(&b, last); err != nil {
			return err
		}
		if _, err := e.cfg.Store.Commit(ctx, tenantOf(s), b); err != nil {
			return err
		}
	}
	for i := range seen {
		if n := known[originOf(&seen[i])]; n != 0 {
			out[seen[i].ID] = n
		}
	}
	return nil
}

// LegacyFact returns the id of the fact of the scope that has a number; NotFound also for one of another scope.
func (e *Engine) LegacyFact(ctx context.Context, s cairn.Scope, n int64) (cairn.ID, error) {
	if err := checkScope(s); err != nil {
		return "", err
	}
	key := legacyKey(n)
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), []cairn.Key{key})
	if err != nil {
		return "", err
	}
	if owner, ok := owners[key]; ok {
		if ms, err := e.cfg.Store.Get(ctx, s, []cairn.ID{owner}); err != nil || len(ms) == 1 {
			return owner, err
		}
	}
	return "", cairn.Errorf(cairn.NotFound, "fact %d does not exist", n)
}

// counter is the record of the highest number given.
type counter struct {
	last    int64
	version int64 // 0: there is no record yet
}

// raise puts a higher number into the record, unless somebody else does meanwhile.
func (c counter) raise(b *cairn.Batch, last int64) error {
	body, err := json.Marshal(legacyNumber{last})
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordLegacy, ID: legacyCounter, Version: c.version})
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordLegacy, ID: legacyCounter, Body: body})
	return err
}

// addLegacyID makes the number that of the fact.
func addLegacyID(b *cairn.Batch, id cairn.ID, n int64) error {
	body, err := json.Marshal(legacyNumber{n})
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordLegacy, ID: id, Body: body})
	b.Claims = append(b.Claims, cairn.Claim{Key: legacyKey(n), Owner: id})
	return err
}

// legacyRecords reads the numbers of facts, and the counter.
func (e *Engine) legacyRecords(ctx context.Context, tenant cairn.Scope, facts []cairn.ID) (map[cairn.ID]int64, counter, error) {
	rs, err := e.cfg.Store.Records(ctx, tenant, cairn.RecordListing{Kind: cairn.RecordLegacy, IDs: append([]cairn.ID{legacyCounter}, facts...)})
	if err != nil {
		return nil, counter{}, err
	}
	known, c := map[cairn.ID]int64{}, counter{}
	for _, r := range rs {
		n, err := decode[legacyNumber](r)
		if err != nil {
			return nil, c, err
		}
		if r.ID == legacyCounter {
			c = counter{n.N, r.Version}
		} else {
			known[r.ID] = n.N
		}
	}
	return known, c, nil
}

// retireLegacyIDs takes the numbers of facts that a batch deletes out of use: the counter owns them from here on, so that no
// other fact is ever found under them.
func (e *Engine) retireLegacyIDs(ctx context.Context, tenant cairn.Scope, b *cairn.Batch) error {
	var gone []cairn.ID
	for _, r := range b.Delete {
		if r.Kind == "" && !slices.Contains(b.Delete, cairn.Ref{Kind: cairn.RecordLegacy, ID: r.ID}) { // else it has moved
			gone = append(gone, r.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	known, _, err := e.legacyRecords(ctx, tenant, gone)
	if err != nil {
		return err
	}
	for _, id := range gone {
		n, numbered := known[id]
		if !numbered { // nor meanwhile
			b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordLegacy, ID: id})
			continue
		}
		b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordLegacy, ID: id})
		b.Claims = append(b.Claims, cairn.Claim{Key: legacyKey(n), Owner: legacyCounter, Move: true})
	}
	return nil
}

// allLegacyIDs reads the numbers of all facts of the tenant; under [legacyCounter] the highest one given.
func (e *Engine) allLegacyIDs(ctx context.Context, tenant cairn.Scope) (map[cairn.ID]int64, error) {
	out := map[cairn.ID]int64{}
	var damaged damages
	for r, err := range sound(e.records(ctx, tenant, cairn.RecordLegacy), damaged.note) {
		n, err := decodeIf[legacyNumber](r, err)
		if err != nil {
			return nil, err
		}
		out[r.ID] = n.N
	}
	return out, damaged.err()
}

// legacyIDs are the numbers that an import brings along.
type legacyIDs struct {
	last int64 // the highest that was given where it comes from
	of   map[cairn.ID]int64
}

// strip takes the number out of a fact, which is stored without it.
func (l *legacyIDs) strip(m cairn.Memory) cairn.Memory {
	if m.Fact == nil || m.Fact.LegacyID == 0 {
		return m
	}
	if l.of == nil {
		l.of = map[cairn.ID]int64{}
	}
	fact := *m.Fact
	l.of[m.ID] = fact.LegacyID
	l.last = max(l.last, fact.LegacyID)
	fact.LegacyID = 0
	m.Fact = &fact
	return m
}

// restoreLegacyIDs gives the facts of a batch the numbers that they had, where no other fact has them, and reports whether
// numbers that this tenant has not given yet are given from here on: those of the import are never given again.
func (e *Engine) restoreLegacyIDs(ctx context.Context, tenant cairn.Scope, l legacyIDs, b *cairn.Batch) (raised bool, err error) {
	if l.last == 0 {
		return false, nil
	}
	_, c, err := e.legacyRecords(ctx, tenant, nil)
	if err != nil {
		return false, err
	}
	var keys []cairn.Key
	for _, n := range l.of {
		keys = append(keys, legacyKey(n))
	}
	owners, err := e.cfg.Store.Find(ctx, tenant, keys)
	if err != nil {
		return false, err
	}
	for _, m := range b.Memories {
		n, numbered := l.of[m.ID]
		if _, taken := owners[legacyKey(n)]; !numbered || taken {
			continue
		}
		owners[legacyKey(n)] = m.ID
		if err := addLegacyID(b, m.ID, n); err != nil {
			return false, err
		}
	}
	if l.last <= c.last {
		return false, nil
	}
	return true, c.raise(b, l.last)
}

// NumberFacts gives numbers to all facts of the scope that have none, as [Engine.LegacyIDs] does, and returns how many have one
// then.
func (e *Engine) NumberFacts(ctx context.Context, s cairn.Scope) (n int, err error) {
	if err := checkScope(s); err != nil {
		return 0, err
	}
	var ids []cairn.ID
	number := func() error {
		numbers, err := e.LegacyIDs(ctx, s, ids)
		n, ids = n+len(numbers), ids[:0]
		return err
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: anyFact}) {
		if err != nil {
			return n, err
		}
		if ids = append(ids, m.ID); len(ids) == cairn.MaxBatch {
			if err := number(); err != nil {
				return n, err
			}
		}
	}
	return n, number()
}
