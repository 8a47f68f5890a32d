package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// change is the body of a [role.RecordUndo] under the id of a change, without any text: it lists the touched memories
// and records. The states before are stored under ids derived from theirs. So a commit outside any change finds at once
// the states that it makes impossible to restore, and removes them; an erasure leaves nothing behind.
type change struct {
	Action  string        `json:"action"`
	At      time.Time     `json:"at"`
	Scope   trilith.Scope `json:"scope"`
	Touched []role.Ref    `json:"touched,omitempty"`
	Keys    []formerKey   `json:"keys,omitempty"`
	Undone  bool          `json:"undone,omitempty"`
	Closed  bool          `json:"closed,omitempty"` // something else has changed since
}

// formerKey is the owner of a key before a change; empty: the key had none.
type formerKey struct {
	Key   role.Key   `json:"key"`
	Owner trilith.ID `json:"owner,omitempty"`
}

// former is the state of a memory or record before a change; without either it did not exist.
type former struct {
	Change trilith.ID      `json:"change"`
	Memory *trilith.Memory `json:"memory,omitempty"`
	Record json.RawMessage `json:"record,omitempty"`
	Gone   bool            `json:"gone,omitempty"` // the change has deleted it
}

// formers are the bodies of [role.RecordUndo] for touched memories and records, with their versions.
type formers map[role.Ref]formerStates

type formerStates struct {
	list    []former // the latest change last
	version int64
}

const (
	mostFormer = 16                // changes of one memory that can be undone one after the other
	undoStep   = role.MaxBatch / 4 // of one commit of an undo, not counting changes that come with it
)

// undoKinds are the kinds of records whose states before a change are kept. Others are derived, or count.
var undoKinds = []role.RecordKind{role.RecordEntity, role.RecordChange, role.RecordMerge,
	role.RecordReview, role.RecordJudged, role.RecordShares, role.RecordSource}

// Undos keeps the states before changes, and restores them.
type Undos struct{ truth *Truth }

// UndosOf returns the undos of a truth.
func UndosOf(t *Truth) Undos { return Undos{t} }

// withFormer adds to a batch the states before it, if it is part of a change. Otherwise it removes the states before
// earlier changes, because the memories and records that it touches can no longer be restored.
func (t Undos) withFormer(ctx context.Context, s trilith.Scope, b *role.Batch) error {
	touched := touchedBy(b)
	for _, x := range b.Expect {
		if x.Version == 0 && s.Change == "" { // a new memory or record has no states before
			delete(touched, role.Ref{Kind: x.Kind, ID: x.ID})
		}
	}
	maps.DeleteFunc(touched, func(r role.Ref, _ bool) bool { return undoes(b, formerID(r)) })
	if len(touched) == 0 {
		return nil
	}
	known, err := t.formers(ctx, s, slices.Collect(maps.Keys(touched)))
	if err != nil || s.Change == "" && len(known) == 0 {
		return err
	}
	now, err := t.present(ctx, s, touched)
	if err != nil {
		return err
	}
	for _, r := range b.Records { // an entity is put unchanged to detect conflicts
		ref := role.Ref{Kind: r.Kind, ID: r.ID}
		if is, ok := now[ref]; ok && sameBody(is.Record, r.Body) {
			delete(touched, ref)
		}
	}
	if s.Change == "" {
		return t.closeChanges(ctx, s, b, touched, known)
	}
	return t.addFormer(ctx, s, b, touched, known, now)
}

// touchedBy returns the memories and records that a batch touches: true if it deletes them, false if it puts them.
func touchedBy(b *role.Batch) map[role.Ref]bool {
	out := map[role.Ref]bool{}
	for i := range b.Memories { // summaries are made again from their sources
		if m := &b.Memories[i]; m.Kind != trilith.KindSummary && m.Kind != trilith.KindWindow {
			out[role.Ref{ID: m.ID}] = false
		}
	}
	for _, r := range b.Records {
		if slices.Contains(undoKinds, r.Kind) {
			out[role.Ref{Kind: r.Kind, ID: r.ID}] = false
		}
	}
	for _, r := range b.Delete {
		if r.Kind == "" || slices.Contains(undoKinds, r.Kind) {
			out[r] = true
		}
	}
	return out
}

// undoes reports whether a batch is an undo's that changes the states before under an id.
func undoes(b *role.Batch, id trilith.ID) bool {
	return slices.Contains(b.Delete, role.Ref{Kind: role.RecordUndo, ID: id}) ||
		slices.ContainsFunc(b.Records, func(r role.Record) bool { return r.Kind == role.RecordUndo && r.ID == id })
}

// present returns the states of memories and records now.
func (t Undos) present(ctx context.Context, s trilith.Scope, touched map[role.Ref]bool) (
	map[role.Ref]former, error) {
	byKind := map[role.RecordKind][]trilith.ID{}
	for r := range touched {
		byKind[r.Kind] = append(byKind[r.Kind], r.ID)
	}
	out := map[role.Ref]former{}
	for kind, ids := range byKind {
		if kind == "" {
			ms, err := t.truth.Memories(ctx, TenantOf(s), ids)
			if err != nil {
				return nil, err
			}
			for _, m := range ms {
				out[role.Ref{ID: m.ID}] = former{Change: s.Change, Memory: new(m.Bare())}
			}
			continue
		}
		rs, err := t.truth.RecordsOf(ctx, s, kind, ids...)
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			out[role.Ref{Kind: kind, ID: r.ID}] = former{Change: s.Change, Record: r.Body}
		}
	}
	return out, nil
}

// sameBody reports whether two bodies differ in their version at most.
func sameBody(a, b json.RawMessage) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	delete(x, "version")
	delete(y, "version")
	return reflect.DeepEqual(x, y)
}

// closeChanges makes a batch close the earlier changes to the memories and records that it touches, and the changes
// below those: their states before are removed, and they can no longer be undone.
func (t Undos) closeChanges(ctx context.Context, s trilith.Scope, b *role.Batch, touched map[role.Ref]bool,
	known formers) error {
	lost, closed := map[role.Ref]int{}, map[trilith.ID]bool{} // how many of the first states are lost
	var pending []trilith.ID
	lose := func(ref role.Ref, n int) {
		for i := lost[ref]; i < n; i++ {
			if id := known[ref].list[i].Change; !closed[id] {
				closed[id] = true
				pending = append(pending, id)
			}
		}
		lost[ref] = max(lost[ref], n)
	}
	for ref := range touched {
		lose(ref, len(known[ref].list))
	}
	for len(pending) > 0 {
		id := pending[0]
		pending = pending[1:]
		c, version, err := t.change(ctx, s, id)
		if err != nil {
			return err
		}
		if version == 0 {
			continue
		}
		more, err := t.formers(ctx, s, slices.DeleteFunc(slices.Clone(c.Touched), func(r role.Ref) bool {
			_, read := known[r]
			return read
		}))
		if err != nil {
			return err
		}
		maps.Copy(known, more)
		for _, ref := range c.Touched {
			lose(ref, 1+slices.IndexFunc(known[ref].list, func(f former) bool { return f.Change == id }))
		}
		c.Touched, c.Keys, c.Closed = nil, nil, !c.Undone
		if err := putChange(b, id, c, version); err != nil {
			return err
		}
	}
	for ref, n := range lost {
		if n > 0 {
			if err := known.put(b, ref, known[ref].list[n:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// addFormer adds the states before a commit of a change to its batch.
func (t Undos) addFormer(ctx context.Context, s trilith.Scope, b *role.Batch, touched map[role.Ref]bool,
	known formers, now map[role.Ref]former) error {
	c, version, err := t.change(ctx, s, s.Change)
	if err != nil {
		return err
	}
	if version == 0 {
		c = change{At: t.truth.Now(), Scope: s.Bare()}
	}
	for i := range b.Audit {
		detail := map[string]string{"change": string(s.Change)}
		maps.Copy(detail, b.Audit[i].Detail)
		b.Audit[i].Detail = detail
		if c.Action == "" {
			c.Action = b.Audit[i].Action
		}
	}
	for ref, gone := range touched {
		list := known[ref].list
		if n := len(list); n == 0 || list[n-1].Change != s.Change {
			was := now[ref]
			was.Change = s.Change
			list = append(list, was)
			c.Touched = append(c.Touched, ref)
		}
		list[len(list)-1].Gone = gone
		if err := known.put(b, ref, list[max(0, len(list)-mostFormer):]); err != nil {
			return err
		}
	}
	if err := t.addFormerKeys(ctx, s, b, &c); err != nil {
		return err
	}
	slices.SortFunc(c.Touched, func(x, y role.Ref) int {
		return bytes.Compare([]byte(x.Kind+"/"+role.RecordKind(x.ID)), []byte(y.Kind+"/"+role.RecordKind(y.ID)))
	})
	return putChange(b, s.Change, c, version)
}

func (t Undos) addFormerKeys(ctx context.Context, s trilith.Scope, b *role.Batch, c *change) error {
	keys := slices.Clone(b.Release)
	for _, k := range b.Claims {
		keys = append(keys, k.Key)
	}
	keys = slices.DeleteFunc(keys, func(k role.Key) bool {
		return k.Space == role.KeyRequest || k.Space == role.KeyErased ||
			slices.ContainsFunc(c.Keys, func(have formerKey) bool { return have.Key == k })
	})
	if len(keys) == 0 {
		return nil
	}
	owners, err := t.truth.Find(ctx, s, keys)
	for _, k := range keys {
		c.Keys = append(c.Keys, formerKey{k, owners[k]})
	}
	return err
}

// IsChange returns the id if anything was committed under it, so that there is something to undo.
func (t Undos) IsChange(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ID, error) {
	if _, version, err := t.change(ctx, s, id); err != nil || version == 0 {
		return "", err
	}
	return id, nil
}

// Undo restores the state before a change; see [trilith.Undone]. It returns the judgements that no longer stand, too.
func (t Undos) Undo(ctx context.Context, s trilith.Scope, id trilith.ID) (
	out trilith.Undone, judged []trilith.Judged, err error) {
	if err := id.Validate(); err != nil {
		return out, nil, err
	}
	s.Change = ""
	for first := true; ; first = false {
		left := 0
		err := Retry(ctx, func() (bool, error) {
			c, version, err := t.undoable(ctx, s, id, first)
			if err != nil {
				return false, err
			}
			some := c.Touched[:min(len(c.Touched), undoStep)]
			known, err := t.formers(ctx, s, c.Touched)
			if err != nil {
				return false, err
			}
			if err := checkUntouched(id, c, known); err != nil {
				return false, err
			}
			var b role.Batch
			if judged, err = t.restore(ctx, s, &b, some, known); err != nil {
				return false, err
			}
			if left = len(c.Touched) - len(some); left == 0 {
				if err := t.restoreKeys(ctx, s, &b, c.Keys); err != nil {
					return false, err
				}
				c.Keys, c.Undone = nil, true
			}
			out = trilith.Undone{Change: id, Action: c.Action, At: c.At}
			c.Touched = c.Touched[len(some):]
			if err := putChange(&b, id, c, version); err != nil {
				return false, err
			}
			b.Audit = t.truth.Audit(s, "undo", id, map[string]string{"action": c.Action})
			_, err = t.truth.Commit(ctx, s, b)
			return true, err
		})
		if err != nil || left == 0 {
			t.truth.Index.Notify()
			return out, judged, err
		}
	}
}

// undoable reads a change that a scope may undo.
func (t Undos) undoable(ctx context.Context, s trilith.Scope, id trilith.ID, first bool) (change, int64, error) {
	c, version, err := t.change(ctx, s, id)
	at := WithTenant(c.Scope, s.Tenant)
	at.Bound = s.Bound
	switch {
	case err != nil:
	case version == 0 || !s.Covers(at) || at.Validate() != nil:
		err = trilith.Errorf(trilith.NotFound, "change %s does not exist", id)
	case c.Undone && first:
		err = trilith.Errorf(trilith.Conflict, "change: %s was undone already", id)
	case c.Closed:
		err = trilith.Errorf(trilith.Conflict,
			"change: what %s has changed was changed again since, or erased; decide about it again", id)
	}
	return c, version, err
}

// change reads a change; version 0 if there is none.
func (t Undos) change(ctx context.Context, s trilith.Scope, id trilith.ID) (c change, version int64, err error) {
	rs, err := t.truth.RecordsOf(ctx, s, role.RecordUndo, id)
	if err != nil || len(rs) == 0 || !bytes.HasPrefix(bytes.TrimSpace(rs[0].Body), []byte("{")) {
		return c, 0, err
	}
	c, err = Decode[change](rs[0])
	return c, rs[0].Version, err
}

func (t Undos) formers(ctx context.Context, s trilith.Scope, refs []role.Ref) (formers, error) {
	if len(refs) == 0 {
		return formers{}, nil
	}
	of := map[trilith.ID]role.Ref{}
	for _, r := range refs {
		of[formerID(r)] = r
	}
	rs, err := t.truth.RecordsOf(ctx, s, role.RecordUndo, slices.Sorted(maps.Keys(of))...)
	out := formers{}
	for _, r := range rs {
		list, err := Decode[[]former](r)
		if err != nil {
			return nil, err
		}
		out[of[r.ID]] = formerStates{list, r.Version}
	}
	return out, err
}

// checkUntouched returns Conflict if a later change rests on one.
func checkUntouched(id trilith.ID, c change, known formers) error {
	for _, ref := range c.Touched {
		list := known[ref].list
		if n := len(list); n == 0 {
			return trilith.Errorf(trilith.Conflict, "change: %s was changed again since; decide about it again", ref.ID)
		} else if by := list[n-1].Change; by != id {
			return trilith.Errorf(trilith.Conflict, "change: %s was changed again since, by %s; undo that one first",
				ref.ID, by)
		}
	}
	return nil
}

// restore adds to a batch the former states of some memories and records that a change touched. It returns the
// judgements that thereby cease to exist.
func (t Undos) restore(ctx context.Context, s trilith.Scope, b *role.Batch, some []role.Ref, known formers) (
	judged []trilith.Judged, err error) {
	for _, ref := range some {
		list := known[ref].list
		was := list[len(list)-1]
		version, body, err := t.versionOf(ctx, s, ref)
		if err != nil {
			return nil, err
		}
		if was.Gone != (version == 0) {
			return nil, trilith.Errorf(trilith.Conflict, "change: %s was changed again since; decide about it again", ref.ID)
		}
		b.Expect = append(b.Expect, role.Expect{Kind: ref.Kind, ID: ref.ID, Version: version})
		switch {
		case was.Memory != nil:
			was.Memory.Scope.Tenant = s.Tenant
			b.Memories = append(b.Memories, *was.Memory)
		case was.Record != nil:
			b.Records = append(b.Records, role.Record{Kind: ref.Kind, ID: ref.ID, Body: was.Record})
		default:
			b.Delete = append(b.Delete, ref)
			if ref.Kind == role.RecordJudged {
				var j trilith.Judged
				if err := json.Unmarshal(body, &j); err != nil {
					return nil, trilith.WrapError(trilith.Internal, "truth.Undo", err)
				}
				judged = append(judged, j)
			}
		}
		if err := known.put(b, ref, list[:len(list)-1]); err != nil {
			return nil, err
		}
	}
	return judged, nil
}

// versionOf returns the version of a memory or record, and the body of a record; 0 if it does not exist.
func (t Undos) versionOf(ctx context.Context, s trilith.Scope, ref role.Ref) (int64, json.RawMessage, error) {
	if ref.Kind == "" {
		ms, err := t.truth.Memories(ctx, TenantOf(s), []trilith.ID{ref.ID})
		if err != nil || len(ms) == 0 {
			return 0, nil, err
		}
		return ms[0].Version, nil, nil
	}
	rs, err := t.truth.RecordsOf(ctx, s, ref.Kind, ref.ID)
	if err != nil || len(rs) == 0 {
		return 0, nil, err
	}
	return rs[0].Version, rs[0].Body, nil
}

// put adds the states before of something to a batch, or removes them if there are none.
func (f formers) put(b *role.Batch, ref role.Ref, list []former) error {
	id := formerID(ref)
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordUndo, ID: id, Version: f[ref].version})
	if len(list) == 0 {
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordUndo, ID: id})
		return nil
	}
	return b.Put(role.RecordUndo, id, list)
}

func formerID(r role.Ref) trilith.ID {
	return trilith.DeriveID("undo", string(r.Kind), string(r.ID))
}

// restoreKeys makes a batch give keys back to their former owners.
func (t Undos) restoreKeys(ctx context.Context, s trilith.Scope, b *role.Batch, keys []formerKey) error {
	all := make([]role.Key, len(keys))
	for i, k := range keys {
		all[i] = k.Key
	}
	now, err := t.truth.Find(ctx, s, all)
	for _, k := range keys {
		switch {
		case now[k.Key] == k.Owner:
		case k.Owner == "":
			b.Release = append(b.Release, k.Key)
		default:
			b.Claims = append(b.Claims, role.Claim{Key: k.Key, Owner: k.Owner, Move: true})
		}
	}
	return err
}

func putChange(b *role.Batch, id trilith.ID, c change, version int64) error {
	return b.Replace(role.RecordUndo, id, version, c)
}
