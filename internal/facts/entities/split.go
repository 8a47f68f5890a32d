package entities

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Split moves a part of an entity to a new one; see [trilith.SplitRequest]. The new entity gets the identifiers and
// aliases named in the request, the facts named there, each with its former periods, and the facts of other entities
// whose node uses its names. Facts that the moved ones had closed are active again.
//
// With Merged, Split undoes the last merge: both sides get their parts back. Later statements go to the side that
// they were made about, by the identifier or name in them. Later manual changes stay with the entity, but decisions
// about facts that both assert apply to both. Parts that were erased, or removed from the entity, since then do not
// come back.
func (mr Merger) Split(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	if err := truth.CheckWhole(s); err != nil {
		return trilith.SplitResult{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.SplitResult{}, err
	}
	if err := checkSplit(r); err != nil {
		return trilith.SplitResult{}, err
	}
	var out trilith.SplitResult
	err := truth.Retry(ctx, func() (bool, error) {
		v, err := mr.entities.changeable(ctx, s, id, "", r.Version)
		if err != nil {
			return false, err
		}
		var b role.Batch
		if r.Merged != "" {
			out, err = mr.undoMerge(ctx, s, &b, v, r.Merged)
		} else {
			out, err = mr.takeOut(ctx, s, &b, v, r)
		}
		if err != nil {
			return false, err
		}
		if err := checkFits(&b, "take out fewer, or erase what is not needed"); err != nil {
			return false, err
		}
		b.Audit = mr.truth.Audit(
			s, "entity.split", id, map[string]string{"out": string(out.Out.ID), "facts": strconv.Itoa(len(b.Memories))})
		_, err = mr.truth.Commit(ctx, s, b)
		return true, err
	})
	if err != nil {
		return trilith.SplitResult{}, err
	}
	mr.truth.Index.Notify()
	return out, nil
}

func checkSplit(r trilith.SplitRequest) error {
	if r.Merged != "" {
		if len(r.Identifiers) > 0 || len(r.Aliases) > 0 || r.Name != "" || len(r.Facts) > 0 {
			return trilith.Errorf(trilith.Invalid,
				"merged: undoes a whole merge; leave identifiers, aliases, name and facts out")
		}
		return r.Merged.Validate()
	}
	if len(r.Identifiers) == 0 {
		return trilith.Errorf(trilith.Invalid,
			"identifiers: name at least one of the new entity, or give merged")
	}
	for _, i := range r.Identifiers {
		if err := CheckIdentifier(i); err != nil {
			return err
		}
	}
	if r.Name != "" {
		if err := truth.CheckName("name", r.Name); err != nil {
			return err
		}
		if err := truth.RefuseSecretIDs(map[string]string{"name": r.Name}); err != nil {
			return err
		}
	}
	if len(r.Facts) > role.MaxBatch {
		return trilith.Errorf(trilith.Exhausted, "facts: %d given, at most %d at once", len(r.Facts), role.MaxBatch)
	}
	return truth.CheckIDs("facts", r.Facts)
}

// takeOut adds the new entity, and the parts moved to it, to a batch.
func (mr Merger) takeOut(ctx context.Context, s trilith.Scope, b *role.Batch, v trilith.Entity, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	none := trilith.SplitResult{}
	now := mr.truth.Now()
	before := NameKeys(&v)
	out := trilith.Entity{ID: trilith.NewID(now), Type: v.Type, CreatedAt: now}
	for _, i := range r.Identifiers {
		if i = own(&v, i); !Has(&v, i) {
			return none, trilith.Errorf(trilith.Invalid, "identifiers: the entity has no %s %q", i.Type, i.Value)
		}
		if !Has(&out, i) {
			out.Identifiers = append(out.Identifiers, i)
			b.Claims = append(b.Claims, moved(i, out.ID))
		}
		v.Identifiers = Without(v.Identifiers, i)
	}
	if len(v.Identifiers) == 0 {
		return none, trilith.Errorf(trilith.Invalid, "identifiers: the entity would have none left; leave it one")
	}
	for _, alias := range r.Aliases {
		if !slices.Contains(v.Aliases, alias) {
			return none, trilith.Errorf(trilith.Invalid, "aliases: the entity has no alias %q", alias)
		}
		if !slices.Contains(out.Aliases, alias) {
			out.Aliases = append(out.Aliases, alias)
		}
	}
	v.Aliases = slices.DeleteFunc(
		slices.Clone(v.Aliases), func(a string) bool { return slices.Contains(out.Aliases, a) })
	out.Name, out.Owner = cmp.Or(r.Name, calledBy(&out)), OwnerOf(out.Identifiers[0])
	known, err := mr.divideNames(ctx, s, b, &v, &out, before)
	if err != nil {
		return none, err
	}
	for _, id := range r.Facts {
		if !slices.ContainsFunc(known, func(m trilith.Memory) bool { return m.ID == id }) {
			return none, trilith.Errorf(trilith.NotFound, "facts: the entity has no fact %s", id)
		}
	}
	if err := mr.part(ctx, s, b, known, reconcile.Split(known, r.Facts, out.ID, out.Owner, now), &v, &out,
		nil); err != nil {
		return none, err
	}
	parts := trilith.EntityParts{Identifiers: out.Identifiers, Aliases: out.Aliases}
	if err := mr.entities.PutEntity(s, b, &v,
		trilith.EntityChange{Action: trilith.EntitySplit, Other: out.ID, Removed: parts}); err != nil {
		return none, err
	}
	parts.Name, parts.Type = out.Name, out.Type
	err = mr.entities.PutEntity(s, b, &out, trilith.EntityChange{Action: trilith.EntityOut, Other: v.ID, Added: parts})
	return trilith.SplitResult{Kept: v, Out: out}, err
}

// calledBy picks a display name for an unnamed entity: an identifier that is a name, an alias, or any identifier.
func calledBy(v *trilith.Entity) string {
	name := v.Identifiers[0].Value
	if at := slices.IndexFunc(v.Identifiers, func(i trilith.Identifier) bool { return i.Type == "name" }); at >= 0 {
		name = v.Identifiers[at].Value
	} else if len(v.Aliases) > 0 {
		name = v.Aliases[0]
	}
	return strings.Join(strings.Fields(name), " ")
}

// undoMerge adds the undoing of a merge to a batch: the merged entity exists by itself again.
func (mr Merger) undoMerge(ctx context.Context, s trilith.Scope, b *role.Batch, v trilith.Entity, merged trilith.ID) (
	trilith.SplitResult, error) {
	none := trilith.SplitResult{}
	if !slices.Contains(v.Merged, merged) {
		return none, trilith.Errorf(trilith.NotFound, "merged: no entity %s was merged into this one", merged)
	}
	if last := v.Merged[len(v.Merged)-1]; last != merged {
		return none, trilith.Errorf(trilith.Conflict, "merged: %s was merged in after it; undo that first", last)
	}
	out, err := mr.entities.Read(ctx, s, merged)
	if err != nil {
		return none, err
	}
	mg, version, err := mr.merge(ctx, s, merged)
	if err != nil {
		return none, err
	}
	if version == 0 {
		return none, trilith.Errorf(
			trilith.Unsupported, "merged: the state before the merge is not stored; split by identifiers and facts instead")
	}
	before := NameKeys(&v)
	release(&v, &out, mg.Came)
	if len(v.Identifiers) == 0 || len(out.Identifiers) == 0 {
		return none, trilith.Errorf(
			trilith.Invalid, "merged: one of the two would have no identifier left; add one of its own first")
	}
	for _, i := range out.Identifiers {
		b.Claims = append(b.Claims, moved(i, out.ID))
	}
	known, err := mr.divideNames(ctx, s, b, &v, &out, before)
	if err != nil {
		return none, err
	}
	family, err := mr.entities.Families(ctx, s, []trilith.ID{out.ID})
	if err != nil {
		return none, err
	}
	theirs := map[trilith.ID]bool{}
	for _, m := range family {
		theirs[m.ID] = true
	}
	if err := mr.part(ctx, s, b, known, reconcile.Unmerge(known, mg, out.Owner, theirs, mr.truth.Now()), &v, &out,
		mg.Named); err != nil {
		return none, err
	}
	b.Expect = append(b.Expect, role.Expect{Kind: role.RecordMerge, ID: MergeID(out.ID), Version: version})
	b.Delete = append(b.Delete, role.Ref{Kind: role.RecordMerge, ID: MergeID(out.ID)})
	parts := mg.Came
	if err := mr.entities.PutEntity(s, b, &v,
		trilith.EntityChange{Action: trilith.EntitySplit, Other: out.ID, Removed: parts}); err != nil {
		return none, err
	}
	err = mr.entities.PutEntity(s, b, &out, trilith.EntityChange{Action: trilith.EntityOut, Other: v.ID})
	return trilith.SplitResult{Kept: v, Out: out}, err
}

// divideNames adds to a batch which of the two entities claims each former name. It returns the facts of the entity.
func (mr Merger) divideNames(ctx context.Context, s trilith.Scope, b *role.Batch, v, out *trilith.Entity,
	before []string) ([]trilith.Memory, error) {
	taken, err := mr.entities.TakenNames(ctx, s, slices.Concat(before, NameKeys(out)))
	if err != nil {
		return nil, err
	}
	ClaimNames(b, taken, v.ID, before, NameKeys(v))
	ClaimNames(b, taken, out.ID, nil, NameKeys(out))
	return mr.truth.FactsOf(ctx, s, v.ID)
}

// part adds to a batch the changes of an entity's facts, and of facts of others whose node names it: they name the
// new entity if named says so, or if only the new entity has the node's name.
func (mr Merger) part(ctx context.Context, s trilith.Scope, b *role.Batch, known []trilith.Memory,
	parted reconcile.Parted, kept, out *trilith.Entity, named []trilith.ID) error {
	naming, err := mr.truth.FactsNaming(ctx, s, kept.ID)
	if err != nil {
		return err
	}
	for _, m := range naming {
		meant := slices.Contains(named, m.ID) || calls(out, m.Fact.Node.Name) && !calls(kept, m.Fact.Node.Name)
		if !meant || slices.Contains(parted.Gone, m.ID) {
			continue
		}
		m.Fact.Node.EntityRef = out.ID
		at := slices.IndexFunc(parted.Put, func(p trilith.Memory) bool { return p.ID == m.ID })
		if at < 0 {
			parted.Put = append(parted.Put, m)
		} else {
			parted.Put[at].Fact.Node.EntityRef = out.ID
		}
	}
	truth.ExpectFacts(b, slices.Concat(known, naming), parted.Put, parted.Gone)
	return mr.moveShares(ctx, s, b, known)
}

// calls reports whether a name is one of the entity's.
func calls(v *trilith.Entity, name string) bool {
	meant := names.Parse(name)
	return slices.ContainsFunc(NamesOf(v), func(n string) bool { return names.Parse(n).Equal(meant) })
}
