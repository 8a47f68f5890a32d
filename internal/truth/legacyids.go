package truth

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// LegacyCounter is the id of the record with the highest legacy id of the tenant. Legacy ids are assigned on first
// request. Writing a fact does not touch the counter, so writers do not wait for each other.
var LegacyCounter = trilith.DeriveID("legacy", "counter")

// LegacyNumber is the body of a [role.RecordLegacy].
type LegacyNumber struct {
	N int64 `json:"n"`
}

func CheckLegacyID(field string, n int64) error {
	if n < 0 || n > trilith.MaxLegacyID {
		return trilith.Errorf(trilith.Invalid, "%s: is %d, must be 0 to %d", field, n, int64(trilith.MaxLegacyID))
	}
	return nil
}

// LegacyStep is how many facts get a legacy id in one commit: each needs a record, a claim and an expectation.
const LegacyStep = 200

// counter is the record with the highest legacy id assigned so far.
type counter struct {
	Last    int64
	version int64 // 0: there is no record yet
}

// Raise adds a higher value of the counter to a batch, on condition that no one else changes it.
func (c counter) Raise(b *role.Batch, last int64) error {
	return b.Replace(role.RecordLegacy, LegacyCounter, c.version, LegacyNumber{last})
}

// AddLegacyID adds the legacy id of a fact to a batch.
func AddLegacyID(b *role.Batch, id trilith.ID, n int64) error {
	body, err := json.Marshal(LegacyNumber{n})
	b.Records = append(b.Records, role.Record{Kind: role.RecordLegacy, ID: id, Body: body})
	b.Claims = append(b.Claims, role.Claim{Key: LegacyKey(n), Owner: id})
	return err
}

// retireLegacyIDs retires the legacy ids of facts that a batch deletes: the counter takes over their claims, so that no
// other fact ever gets them.
func (t *Truth) retireLegacyIDs(ctx context.Context, tenant trilith.Scope, b *role.Batch) error {
	var gone []trilith.ID
	for _, r := range b.Delete {
		// otherwise the number has moved to another fact
		if r.Kind == "" && !slices.Contains(b.Delete, role.Ref{Kind: role.RecordLegacy, ID: r.ID}) {
			gone = append(gone, r.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	known, _, err := t.LegacyRecords(ctx, tenant, gone)
	if err != nil {
		return err
	}
	for _, id := range gone {
		n, numbered := known[id]
		if !numbered { // and none has been numbered meanwhile
			b.Expect = append(b.Expect, role.Expect{Kind: role.RecordLegacy, ID: id})
			continue
		}
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordLegacy, ID: id})
		b.Claims = append(b.Claims, role.Claim{Key: LegacyKey(n), Owner: LegacyCounter, Move: true})
	}
	return nil
}

// LegacyRecords reads the legacy ids of facts, and the counter.
func (t *Truth) LegacyRecords(ctx context.Context, tenant trilith.Scope, facts []trilith.ID) (
	map[trilith.ID]int64, counter, error) {
	rs, err := t.RecordsOf(ctx, tenant, role.RecordLegacy, append([]trilith.ID{LegacyCounter}, facts...)...)
	if err != nil {
		return nil, counter{}, err
	}
	known, c := map[trilith.ID]int64{}, counter{}
	for _, r := range rs {
		n, err := Decode[LegacyNumber](r)
		if err != nil {
			return nil, c, err
		}
		if r.ID == LegacyCounter {
			c = counter{n.N, r.Version}
		} else {
			known[r.ID] = n.N
		}
	}
	return known, c, nil
}

func LegacyKey(n int64) role.Key {
	return role.Key{Space: role.KeyLegacy, Value: strconv.FormatInt(n, 10)}
}
