package truth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/ingest"
)

// Target is something that a request changes, with the version that it had before; 0 if there was nothing.
type Target struct {
	ID      cairn.ID `json:"id"`
	Version int64    `json:"version"`
}

// answer is the body of a [cairn.RecordAnswer]: what a repetition of a request is answered by.
type answer struct {
	Hash  string   `json:"hash"`  // of the request, which another one under the key has not
	Scope string   `json:"scope"` // as of [ScopeText]
	About []Target `json:"about"`
}

// Named is a request that changes what is stored, under an idempotency key. Without a key nothing is remembered of it.
// With one, what it is about is written down before anything is done, or in the commit that does it. A repetition reads
// that: it does what was left undone, leaves alone what was changed since, and answers as the first time.
type Named struct {
	t     *Truth
	scope cairn.Scope
	key   string
	hash  string
}

func (t *Truth) Named(s cairn.Scope, key, action string, request any) (Named, error) {
	n := Named{t: t, scope: s, key: key}
	if key == "" {
		return n, nil
	}
	if err := ingest.RequestKey(key); err != nil {
		return n, err
	}
	n.key = RequestKey(s, key)
	body, err := json.Marshal([]any{action, ScopeText(s), request})
	if err != nil {
		return n, cairn.WrapError(cairn.Invalid, "engine."+action, err)
	}
	sum := sha256.Sum256(body)
	n.hash = hex.EncodeToString(sum[:])
	return n, nil
}

func (n Named) claim() cairn.Claim {
	return cairn.Claim{Key: cairn.Key{Space: cairn.KeyRequest, Value: n.key},
		Owner: cairn.DeriveID("answer", n.scope.Tenant, n.key)}
}

// Before returns what the request was about when it was made before; made is false when it was not.
func (n Named) Before(ctx context.Context) (about []Target, made bool, err error) {
	if n.key == "" {
		return nil, false, nil
	}
	a, made, err := n.t.answer(ctx, n.scope, n.claim())
	if err == nil && made && a.Hash != n.hash {
		err = ErrKeyTaken
	}
	return a.About, made, err
}

var ErrKeyTaken = cairn.Errorf(cairn.Conflict, "idempotency key: was used for a different request; use a new key")

// answer reads what is remembered of a request that has made a claim. A key that was used for remembering is taken.
func (t *Truth) answer(ctx context.Context, s cairn.Scope, c cairn.Claim) (a answer, made bool, err error) {
	owners, err := t.Store.Find(ctx, TenantOf(s), []cairn.Key{c.Key})
	if err != nil || owners[c.Key] == "" {
		return a, false, err
	}
	rs, err := t.Store.Records(
		ctx, TenantOf(s), cairn.RecordListing{Kind: cairn.RecordAnswer, IDs: []cairn.ID{c.Owner}})
	if err != nil {
		return a, false, err
	}
	if len(rs) == 0 {
		return a, true, ErrKeyTaken
	}
	a, err = Decode[answer](rs[0])
	return a, true, err
}

// Note adds to a batch that the request is made.
func (n Named) Note(b *cairn.Batch, about ...Target) error {
	if n.key == "" {
		return nil
	}
	body, err := json.Marshal(answer{n.hash, ScopeText(n.scope), about})
	if err != nil {
		return cairn.WrapError(cairn.Internal, "engine.note", err)
	}
	c := n.claim()
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordAnswer, ID: c.Owner})
	b.Claims = append(b.Claims, c)
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordAnswer, ID: c.Owner, Body: body})
	return nil
}

// Begin writes down what the request is about, which choose says. Of a request that was made before it returns what it
// was about then.
func (n Named) Begin(ctx context.Context, choose func() ([]Target, error)) (about []Target, made bool, err error) {
	err = Retry(ctx, func() (bool, error) {
		if about, made, err = n.Before(ctx); err != nil || made {
			return false, err
		}
		if about, err = choose(); err != nil || n.key == "" || len(about) == 0 {
			return false, err
		}
		var b cairn.Batch
		if err := n.Note(&b, about...); err != nil {
			return false, err
		}
		_, err := n.t.Commit(ctx, n.scope, b)
		return true, err
	})
	return about, made, err
}

// Made returns the ids of what a request under an idempotency key was about that was made in this very scope: one that
// forgets, decides about or updates memories. It returns none if there was no such request.
func (t *Truth) Made(ctx context.Context, s cairn.Scope, key string) ([]cairn.ID, error) {
	if err := CheckScope(s); err != nil {
		return nil, err
	}
	if err := ingest.RequestKey(key); err != nil || key == "" {
		return nil, err
	}
	a, made, err := t.answer(ctx, s, Named{scope: s, key: RequestKey(s, key)}.claim())
	switch {
	case cairn.KindOf(err) == cairn.Conflict && err != nil:
		return nil, nil
	case err != nil || !made || a.Scope != ScopeText(s):
		return nil, err
	}
	return TargetIDs(a.About), nil
}

// TargetsOf are ids whose versions nobody asks for.
func TargetsOf(ids []cairn.ID) []Target {
	out := make([]Target, len(ids))
	for i, id := range ids {
		out[i].ID = id
	}
	return out
}

func TargetIDs(about []Target) []cairn.ID {
	out := make([]cairn.ID, len(about))
	for i, t := range about {
		out[i] = t.ID
	}
	return out
}
