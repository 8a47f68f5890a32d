package engine

import (
	"context"
	"reflect"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// PutEntry stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
// stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends
// now and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
// whose entry was erased is refused.
//
// Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match Version and
// IfAbsent. As with [Engine.Remember], a timeout may be returned along with the stored entry.
func (c Changes) PutEntry(ctx context.Context, s trilith.Scope, r trilith.PutRequest) (trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	out := make([]trilith.OperationResult, 1)
	err := c.e.together(ctx, s, []trilith.Operation{{Put: &trilith.KeyedPut{Key: r.Key, PutRequest: r}}}, out)
	if err != nil && !waits(out[0]) {
		return trilith.Memory{}, err
	}
	return *out[0].Memory, err
}

// replacement adds to a batch what gives the entry with a key the value that is wanted, and returns it; nothing if it has
// that value.
func (e *Engine) replacement(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest, want *trilith.Memory,
	b *role.Batch) (trilith.Memory, error) {
	old, err := e.keyed(ctx, s, key)
	if err != nil {
		return old, err
	}
	if err := mayReplace(s, &old, r); err != nil {
		return old, err
	}
	m := old
	if m.State != trilith.StateActive {
		if err := e.setState(&m, trilith.StateActive, b); err != nil {
			return old, err
		}
	}
	m.Metadata, m.Tags, m.ValidUntil = want.Metadata, want.Tags, want.ValidUntil
	if m.State != trilith.StateQuarantined {
		m.State = trilith.StateActive
	}
	if !sameEntry(want, &old) {
		m.Text, m.Entry, m.Trust = want.Text, want.Entry, want.Trust
		m.State, m.EventTime = want.State, e.truth.Now()
		e.keepWording(&m, old, truth.Later(m.EventTime, old.EventTime), b)
	} else if same(&m, &old) {
		return old, nil
	}
	b.Expect = append(b.Expect, role.Expect{ID: old.ID, Version: old.Version})
	b.Memories = append(b.Memories, m)
	b.Audit = append(b.Audit, e.truth.Audit(s, "put", old.ID, nil)...)
	return m, nil
}

// mayReplace returns an error if the stored entry does not meet the conditions of a put.
func mayReplace(s trilith.Scope, old *trilith.Memory, r trilith.PutRequest) error {
	switch {
	case r.Version != 0 && r.Version != old.Version:
		return trilith.Errorf(trilith.Conflict, "version: the entry has version %d, not %d; read it again", old.Version,
			r.Version)
	case r.IfAbsent && old.State == trilith.StateActive:
		return trilith.Errorf(trilith.Conflict, "if_absent: the key has entry %s", old.ID)
	case old.SupersededBy != "":
		return trilith.Errorf(trilith.Conflict, "key: its entry was replaced by %s; change that one instead", old.SupersededBy)
	}
	return facts.CheckChange(s, old)
}

func sameEntry(a, b *trilith.Memory) bool {
	return a.Text == b.Text && reflect.DeepEqual(a.Entry, b.Entry)
}

func same(a, b *trilith.Memory) bool { return reflect.DeepEqual(a.Bare(), b.Bare()) }

// entryWrite returns the write of an entry, after the gate.
func (e *Engine) entryWrite(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (*write, error) {
	w := &write{e: e, scope: s, req: trilith.RememberRequest{Entry: &r.Entry, ExternalID: key, Metadata: r.Metadata,
		Tags: r.Tags, ValidUntil: r.ValidUntil, Wait: r.Wait, Imported: r.Imported}}
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	if len(w.kept) == 0 {
		return nil, refused(trilith.RememberResult{Rejected: w.rejected})
	}
	return w, nil
}

// entry returns the memory of the write of an entry.
func (w *write) entry() trilith.Memory {
	m := w.kept[0].Memory
	m.Masking = trilith.Masking{Masked: w.masked, MaskedIn: w.maskedIn}
	return m
}

// DeleteByKey forgets the entry with a key in exactly this scope, or erases it in any state. Erasing needs the right
// admin.
func (c Changes) DeleteByKey(ctx context.Context, s trilith.Scope, r trilith.KeyedDelete) (trilith.Deletion, error) {
	if r.Erase {
		receipt, err := c.e.EraseByKey(ctx, s, r.Key)
		return trilith.Deletion{Receipt: &receipt}, err
	}
	res, err := c.e.ForgetByKey(ctx, s, r.Key)
	return trilith.Deletion{IDs: res.IDs}, err
}

// EraseByKey erases the entry with a key in exactly this scope, in any state.
func (e *Engine) EraseByKey(ctx context.Context, s trilith.Scope, key string) (trilith.EraseReceipt, error) {
	if err := checkKey(key); err != nil {
		return trilith.EraseReceipt{}, err
	}
	m, err := e.keyed(ctx, s, key)
	if err != nil {
		return trilith.EraseReceipt{}, err
	}
	return e.Erase(ctx, s, trilith.EraseRequest{IDs: []trilith.ID{m.ID}})
}

// ForgetByKey forgets the entry with a key in exactly this scope.
func (e *Engine) ForgetByKey(ctx context.Context, s trilith.Scope, key string) (trilith.ForgetResult, error) {
	m, err := e.EntryByKey(ctx, s, key)
	if err != nil {
		return trilith.ForgetResult{}, err
	}
	return e.Forget(ctx, s, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}})
}

// EntryByKey returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
func (e *Engine) EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	if err := checkKey(key); err != nil {
		return trilith.Memory{}, err
	}
	m, err := e.keyed(ctx, s, key)
	if err == nil && m.StateAt(e.truth.Now()) != trilith.StateActive {
		return trilith.Memory{}, noSuchKey(key)
	}
	return m, err
}

// keyed returns the entry with a key in exactly this scope, in any state. NotFound: there is none; Conflict: the memory
// with the key is not an entry.
func (e *Engine) keyed(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	claim := truth.ExternalKey(truth.ScopeText(s), key)
	owners, err := e.truth.Find(ctx, s, []role.Key{claim})
	if err != nil {
		return trilith.Memory{}, err
	}
	if owners[claim] == "" {
		return trilith.Memory{}, noSuchKey(key)
	}
	m, err := e.Get(ctx, s, owners[claim])
	if err == nil && m.Entry == nil {
		return trilith.Memory{}, trilith.Errorf(
			trilith.Conflict, "external_id: belongs to memory %s, which is of kind %s", m.ID, m.Kind)
	}
	return m, err
}

func noSuchKey(key string) error {
	return trilith.Errorf(trilith.NotFound, "key: no entry of this scope has the key %.64q", key)
}

// KeyedEntries lists the active entries of exactly this scope with a key prefix, oldest first.
func (e *Engine) KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error) {
	var f trilith.Filter
	if r.Prefix != "" {
		if err := checkKey(r.Prefix); err != nil {
			return trilith.Page{}, err
		}
		f = trilith.WherePrefix("external_id", r.Prefix)
	}
	conditions := []trilith.Filter{f, trilith.Where("kind", trilith.OpEq, trilith.KindEntry),
		trilith.Where("external_id", trilith.OpNe, nil)}
	for _, f := range s.Fields() {
		if f.Value == "" {
			conditions = append(conditions, trilith.Where(f.Name, trilith.OpEq, nil))
		}
	}
	return e.review.List(ctx, s, trilith.ListRequest{Filter: trilith.AllOf(conditions...), Limit: r.Limit, Cursor: r.Cursor})
}

func checkKey(key string) error {
	if key == "" {
		return trilith.Errorf(trilith.Invalid, "key: is empty")
	}
	return ingest.ExternalID("key", key)
}
