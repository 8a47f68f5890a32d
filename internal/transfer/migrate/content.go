package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"

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
	s, sum := trilith.Scope{Tenant: name}, hasher{Hash: sha256.New()}
	for m, err := range p.List(ctx, s, role.Listing{}) {
		if err != nil {
			return c, err
		}
		// Encoding a memory is canonical already: its members have an order, and so have the keys of maps.
		if err := sum.line(json.Marshal(m)); err != nil {
			return c, err
		}
		if c.Memories++; c.Memories%r.batch == 0 && p.Name == r.from.Name {
			r.report(Progress{StageCompare, name, c.Memories})
		}
	}
	for _, kind := range kinds {
		for rec, err := range r.records(ctx, p, s, kind) {
			if err != nil {
				return c, err
			}
			if err := sum.line(canonical(rec)); err != nil {
				return c, err
			}
			c.Records++
		}
	}
	for claim, err := range r.claims(ctx, p, s) {
		if err != nil {
			return c, err
		}
		if err := sum.line(json.Marshal(
			[...][]byte{[]byte(claim.Key.Space), []byte(claim.Key.Value), []byte(claim.Owner)})); err != nil {
			return c, err
		}
		c.Claims++
	}
	for job, err := range r.jobs(ctx, p, s) {
		if err != nil {
			return c, err
		}
		if err := sum.line(canonical(job)); err != nil {
			return c, err
		}
		c.Jobs++
	}
	for entry, err := range r.entries(ctx, p, s) {
		if err != nil {
			return c, err
		}
		if err := sum.line(json.Marshal(entry)); err != nil {
			return c, err
		}
		c.Audit++
	}
	c.Hash = hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// hasher adds lines to a hash.
type hasher struct{ hash.Hash }

func (h hasher) line(body []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = h.Write(append(body, '\n'))
	return err
}
