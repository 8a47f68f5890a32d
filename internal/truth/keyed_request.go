package truth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// Target is something that a request changes, with its version before; 0 if it did not exist.
type Target struct {
	ID      trilith.ID `json:"id"`
	Version int64      `json:"version"`
}

// answer is the body of a [role.RecordAnswer]: the data for answering a repetition of a request.
type answer struct {
	Hash  string   `json:"hash"`  // of the request: another request must not use the same key
	Scope string   `json:"scope"` // as of [ScopeText]
	About []Target `json:"about"`
}

// KeyedRequest is a request that changes the store and may have an idempotency key. Without a key nothing is recorded.
// With one, its targets are recorded before anything is done, or in the commit that does it. A repetition reads that
// record: it finishes the remaining work, does not touch later changes, and gives the first answer.
type KeyedRequest struct {
	t     *Truth
	scope trilith.Scope
	key   string
	hash  string
}

func (t *Truth) KeyedRequest(s trilith.Scope, key, action string, request any) (KeyedRequest, error) {
	n := KeyedRequest{t: t, scope: s, key: key}
	if key == "" {
		return n, nil
	}
	if err := ingest.RequestKey(key); err != nil {
		return n, err
	}
	n.key = RequestKey(s, key)
	body, err := json.Marshal([]any{action, ScopeText(s), request})
	if err != nil {
		return n, trilith.WrapError(trilith.Invalid, "engine."+action, err)
	}
	sum := sha256.Sum256(body)
	n.hash = hex.EncodeToString(sum[:])
	return n, nil
}

// Note adds the record of the request to a batch.
func (n KeyedRequest) Note(b *role.Batch, about ...Target) error {
	if n.key == "" {
		return nil
	}
	c := n.claim()
	b.Claims = append(b.Claims, c)
	return b.Replace(role.RecordAnswer, c.Owner, 0, answer{n.hash, ScopeText(n.scope), about})
}

// Begin records the targets of the request, which choose selects. For a repetition it returns the recorded targets.
func (n KeyedRequest) Begin(ctx context.Context, choose func() ([]Target, error)) (
	about []Target, made bool, err error) {
	err = Retry(ctx, func() (bool, error) {
		if about, made, err = n.Before(ctx); err != nil || made {
			return false, err
		}
		if about, err = choose(); err != nil || n.key == "" || len(about) == 0 {
			return false, err
		}
		var b role.Batch
		if err := n.Note(&b, about...); err != nil {
			return false, err
		}
		_, err := n.t.Commit(ctx, n.scope, b)
		return true, err
	})
	return about, made, err
}

var ErrKeyTaken = trilith.Errorf(trilith.Conflict, "idempotency key: was used for a different request; use a new key")

// Before returns the recorded targets of the request; made is false if the request is new.
func (n KeyedRequest) Before(ctx context.Context) (about []Target, made bool, err error) {
	if n.key == "" {
		return nil, false, nil
	}
	a, made, err := n.t.answer(ctx, n.scope, n.claim())
	if err == nil && made && a.Hash != n.hash {
		err = ErrKeyTaken
	}
	return a.About, made, err
}

// Made returns the ids that an earlier request with this idempotency key, in exactly this scope, was about: a request
// that forgets, decides about or updates memories. It returns none if there was no such request.
func (t *Truth) Made(ctx context.Context, s trilith.Scope, key string) ([]trilith.ID, error) {
	if err := CheckScope(s); err != nil {
		return nil, err
	}
	if err := ingest.RequestKey(key); err != nil || key == "" {
		return nil, err
	}
	a, made, err := t.answer(ctx, s, KeyedRequest{scope: s, key: RequestKey(s, key)}.claim())
	switch {
	case trilith.Is(err, trilith.Conflict):
		return nil, nil
	case err != nil || !made || a.Scope != ScopeText(s):
		return nil, err
	}
	return TargetIDs(a.About), nil
}

// answer reads the record of a request that has taken a claim. A key that was used for remembering is a Conflict.
func (t *Truth) answer(ctx context.Context, s trilith.Scope, c role.Claim) (a answer, made bool, err error) {
	owners, err := t.Find(ctx, s, []role.Key{c.Key})
	if err != nil || owners[c.Key] == "" {
		return a, false, err
	}
	a, version, err := ReadRecord[answer](ctx, t, s, role.RecordAnswer, c.Owner)
	if err == nil && version == 0 {
		err = ErrKeyTaken
	}
	return a, true, err
}

func (n KeyedRequest) claim() role.Claim {
	return role.Claim{Key: role.Key{Space: role.KeyRequest, Value: n.key},
		Owner: trilith.DeriveID("answer", n.scope.Tenant, n.key)}
}

func TargetIDs(about []Target) []trilith.ID {
	out := make([]trilith.ID, len(about))
	for i, t := range about {
		out[i] = t.ID
	}
	return out
}

// TargetsOf makes targets without versions.
func TargetsOf(ids []trilith.ID) []Target {
	out := make([]Target, len(ids))
	for i, id := range ids {
		out[i].ID = id
	}
	return out
}
