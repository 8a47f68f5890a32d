package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Content counts the content of a store for a tenant, without the parts that are not copied.
type Content struct {
	Memories int `json:"memories"`
	Records  int `json:"records"`
	Claims   int `json:"claims"`
	Jobs     int `json:"jobs"`
	Audit    int `json:"audit"` // entries, and the number of the last one
	// Hash is SHA-256, in hex, over every item as canonical JSON on a line of its own: memories by id, records by kind
	// and id, claims by key, jobs by id, the newest first, entries of the audit by number. Two stores that hold the
	// same have the same.
	Hash string `json:"hash"`
}

func (c Content) items() int { return c.Memories + c.Records + c.Claims + c.Jobs + c.Audit }

// contentOf reads everything that a store holds of a tenant.
func (r *run) contentOf(ctx context.Context, p Endpoint, name string) (c Content, err error) {
	s, sum := trilith.Scope{Tenant: name}, sha256.New()
	// Encoding a memory is canonical already: its members have an order, and so have the keys of maps.
	memory := func(m trilith.Memory) ([]byte, error) {
		if (c.Memories+1)%r.batch == 0 && p.Name == r.from.Name {
			r.report(Progress{StageCompare, name, c.Memories + 1})
		}
		return json.Marshal(m)
	}
	if err := hashAll(sum, &c.Memories, p.List(ctx, s, role.Listing{}), memory); err != nil {
		return c, err
	}
	for _, kind := range kinds {
		if err := hashAll(sum, &c.Records, r.records(ctx, p, s, kind), canonical[role.Record]); err != nil {
			return c, err
		}
	}
	claim := func(c role.Claim) ([]byte, error) {
		return json.Marshal([...][]byte{[]byte(c.Key.Space), []byte(c.Key.Value), []byte(c.Owner)})
	}
	if err := hashAll(sum, &c.Claims, r.claims(ctx, p, s), claim); err != nil {
		return c, err
	}
	if err := hashAll(sum, &c.Jobs, r.jobs(ctx, p, s), canonical[trilith.Job]); err != nil {
		return c, err
	}
	entry := func(a trilith.AuditEntry) ([]byte, error) { return json.Marshal(a) }
	if err := hashAll(sum, &c.Audit, r.entries(ctx, p, s), entry); err != nil {
		return c, err
	}
	c.Hash = hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// hashAll adds every item to a hash, as a line, and counts it.
func hashAll[T any](sum hash.Hash, n *int, all iter.Seq2[T, error], encode func(T) ([]byte, error)) error {
	for item, err := range all {
		if err != nil {
			return err
		}
		body, err := encode(item)
		if err != nil {
			return err
		}
		if _, err := sum.Write(append(body, '\n')); err != nil {
			return err
		}
		*n++
	}
	return nil
}
