package engine

import (
	"context"
	"reflect"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/truth"
)

// PutEntry stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
// stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose wording ends
// now and stays in the history. A key whose entry was forgotten or has expired gets it back with the new value; a key
// whose entry was erased is refused.
//
// Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match Version and
// IfAbsent. As with [Engine.Remember], a timeout may be returned along with the stored entry.
func (e *Engine) PutEntry(ctx context.Context, s cairn.Scope, key string, r cairn.PutRequest) (cairn.Memory, error) {
	if err := checkKey(key); err != nil {
		return cairn.Memory{}, err
	}
	if r.Version == 0 {
		m, stored, err := e.addEntry(ctx, s, cairn.EntryRequest{Entry: r.Entry, ExternalID: key, Metadata: r.Metadata,
			Tags: r.Tags, ValidUntil: r.ValidUntil, Wait: r.Wait, Imported: r.Imported})
		if err != nil || stored {
			return m, err
		}
	}
	return e.replaceEntry(ctx, s, key, r)
}

// replaceEntry changes the value of the entry with a key.
func (e *Engine) replaceEntry(ctx context.Context, s cairn.Scope, key string, r cairn.PutRequest) (
	cairn.Memory, error) {
	want, err := e.entryDraft(s, key, r)
	if err != nil {
		return cairn.Memory{}, err
	}
	var m cairn.Memory
	var done cairn.Commit
	if err := truth.Retry(ctx, func() (bool, error) {
		old, err := e.keyed(ctx, s, key)
		if err != nil {
			return false, err
		}
		if err := mayReplace(s, &old, r); err != nil {
			return false, err
		}
		b := cairn.Batch{Expect: []cairn.Expect{{ID: old.ID, Version: old.Version}}}
		m = old
		if m.State != cairn.StateActive {
			if err := e.setState(&m, cairn.StateActive, &b); err != nil {
				return false, err
			}
		}
		m.Metadata, m.Tags, m.ValidUntil = want.Metadata, want.Tags, want.ValidUntil
		if m.State != cairn.StateQuarantined {
			m.State = cairn.StateActive
		}
		if !sameEntry(&want, &old) {
			m.Text, m.Entry, m.Trust = want.Text, want.Entry, want.Trust
			m.State, m.EventTime = want.State, e.truth.Now()
			e.keepWording(&m, old, truth.Later(m.EventTime, old.EventTime), &b)
		} else if same(&m, &old) {
			return false, nil
		}
		b.Memories = append(b.Memories, m)
		b.Audit = e.truth.Audit(s, "put", old.ID, nil)
		if done, err = e.truth.Commit(ctx, s, b); err == nil {
			m.Version = done.Versions[len(done.Versions)-1]
		}
		return true, err
	}); err != nil {
		return cairn.Memory{}, err
	}
	m.Masking = want.Masking
	if done.Versions == nil {
		return m, nil
	}
	e.truth.Index.Notify()
	if err := e.reviseAfter(ctx, s, []cairn.Memory{m}); err != nil {
		return m, err
	}
	m.Pending, m.JobID, err = e.await(ctx, s, r.Wait, done, []cairn.ID{m.ID})
	return m, err
}

// entryDraft returns the memory for a request, after the gate.
func (e *Engine) entryDraft(s cairn.Scope, key string, r cairn.PutRequest) (cairn.Memory, error) {
	w := write{e: e, scope: s, req: cairn.RememberRequest{Entry: &r.Entry, ExternalID: key, Metadata: r.Metadata,
		Tags: r.Tags, ValidUntil: r.ValidUntil, Wait: r.Wait, Imported: r.Imported}}
	var err error
	if w.plan, err = ingest.Read(w.req, e.truth.Now()); err != nil {
		return cairn.Memory{}, err
	}
	w.checkDrafts()
	if len(w.kept) == 0 {
		return cairn.Memory{}, refused(cairn.RememberResult{Rejected: w.rejected})
	}
	m := w.kept[0].Memory
	m.Masking = cairn.Masking{Masked: w.masked, MaskedIn: w.maskedIn}
	return m, nil
}

// mayReplace returns an error if the stored entry is not what a put expects.
func mayReplace(s cairn.Scope, old *cairn.Memory, r cairn.PutRequest) error {
	switch {
	case r.Version != 0 && r.Version != old.Version:
		return cairn.Errorf(cairn.Conflict, "version: the entry has version %d, not %d; read it again", old.Version,
			r.Version)
	case r.IfAbsent && old.State == cairn.StateActive:
		return cairn.Errorf(cairn.Conflict, "if_absent: the key has entry %s", old.ID)
	case old.SupersededBy != "":
		return cairn.Errorf(cairn.Conflict, "key: its entry was replaced by %s; change that one instead", old.SupersededBy)
	}
	return facts.CheckChange(s, old)
}

func sameEntry(a, b *cairn.Memory) bool {
	return a.Text == b.Text && reflect.DeepEqual(a.Entry, b.Entry)
}

func same(a, b *cairn.Memory) bool { return reflect.DeepEqual(a.Bare(), b.Bare()) }

// EntryByKey returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
func (e *Engine) EntryByKey(ctx context.Context, s cairn.Scope, key string) (cairn.Memory, error) {
	if err := checkKey(key); err != nil {
		return cairn.Memory{}, err
	}
	m, err := e.keyed(ctx, s, key)
	if err == nil && m.StateAt(e.truth.Now()) != cairn.StateActive {
		return cairn.Memory{}, noSuchKey(key)
	}
	return m, err
}

// ForgetByKey forgets the entry with a key in exactly this scope.
func (e *Engine) ForgetByKey(ctx context.Context, s cairn.Scope, key string) (cairn.ForgetResult, error) {
	m, err := e.EntryByKey(ctx, s, key)
	if err != nil {
		return cairn.ForgetResult{}, err
	}
	return e.Forget(ctx, s, cairn.ForgetRequest{IDs: []cairn.ID{m.ID}})
}

// EraseByKey erases the entry with a key in exactly this scope, in any state.
func (e *Engine) EraseByKey(ctx context.Context, s cairn.Scope, key string) (cairn.EraseReceipt, error) {
	if err := checkKey(key); err != nil {
		return cairn.EraseReceipt{}, err
	}
	m, err := e.keyed(ctx, s, key)
	if err != nil {
		return cairn.EraseReceipt{}, err
	}
	return e.Erase(ctx, s, cairn.EraseRequest{IDs: []cairn.ID{m.ID}})
}

// KeyedEntries lists the active entries of exactly this scope with a key prefix, oldest first.
func (e *Engine) KeyedEntries(ctx context.Context, s cairn.Scope, r cairn.KeyedRequest) (cairn.Page, error) {
	var f cairn.Filter
	if r.Prefix != "" {
		if err := checkKey(r.Prefix); err != nil {
			return cairn.Page{}, err
		}
		f = cairn.WherePrefix("external_id", r.Prefix)
	}
	conditions := []cairn.Filter{f, cairn.Where("kind", cairn.OpEq, cairn.KindEntry),
		cairn.Where("external_id", cairn.OpNe, nil)}
	for field, value := range map[string]string{"project": s.Project, "domain": s.Domain, "user": s.User,
		"agent": s.Agent, "session": s.Session, "channel": s.Channel} {
		if value == "" {
			conditions = append(conditions, cairn.Where(field, cairn.OpEq, nil))
		}
	}
	return e.List(ctx, s, cairn.ListRequest{Filter: cairn.AllOf(conditions...), Limit: r.Limit, Cursor: r.Cursor})
}

// keyed returns the entry with a key in exactly this scope, in any state. NotFound: there is none; Conflict: the memory
// with the key is not an entry.
func (e *Engine) keyed(ctx context.Context, s cairn.Scope, key string) (cairn.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Memory{}, err
	}
	claim := truth.ExternalKey(truth.ScopeText(s), key)
	owners, err := e.truth.Store.Find(ctx, truth.TenantOf(s), []cairn.Key{claim})
	if err != nil {
		return cairn.Memory{}, err
	}
	if owners[claim] == "" {
		return cairn.Memory{}, noSuchKey(key)
	}
	m, err := e.Get(ctx, s, owners[claim])
	if err == nil && m.Entry == nil {
		return cairn.Memory{}, cairn.Errorf(
			cairn.Conflict, "external_id: belongs to memory %s, which is of kind %s", m.ID, m.Kind)
	}
	return m, err
}

func noSuchKey(key string) error {
	return cairn.Errorf(cairn.NotFound, "key: no entry of this scope has the key %.64q", key)
}

func checkKey(key string) error {
	if key == "" {
		return cairn.Errorf(cairn.Invalid, "key: is empty")
	}
	return ingest.ExternalID("key", key)
}
