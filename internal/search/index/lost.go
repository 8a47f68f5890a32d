package index

import (
	"context"
	"encoding/json"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// lostEvery is how often a location is checked for the loss of its data.
const lostEvery = 10 * time.Second

// resetIfLost begins a generation again if its location was replaced by an empty one. The stored positions cannot show
// that a server is new and empty. If the location does not answer, nothing changes.
func (x *vectorIndexer) resetIfLost(ctx context.Context, gs *generationState) error {
	v, ok := x.cfg.Vectors.(role.RemoteVectors)
	if !ok || gs.checkpoint == nil || x.cfg.ReadOnly || !gs.minded.IsZero() && x.cfg.Now().Sub(gs.minded) < lostEvery {
		return nil
	}
	made, err := v.Made(ctx, gs.gen)
	if err != nil {
		return err
	}
	ref := role.Ref{Kind: role.RecordPosition, ID: trilith.DeriveID("position", gs.gen.Key(), "made", v.Location())}
	was, known, err := x.making(ctx, ref)
	done := known && was == made
	if err == nil && !done {
		done, err = x.inTurn(ctx, &gs.applier, func(ctx context.Context) error { return x.beginIf(ctx, gs, ref, made) })
	}
	if done && err == nil {
		gs.minded = x.cfg.Now()
	}
	return err
}

// beginIf records to which instance of the collection or table the positions belong. If they belong to another one, it
// resets them first. The caller holds the turn.
func (x *vectorIndexer) beginIf(ctx context.Context, gs *generationState, ref role.Ref, made string) error {
	was, known, err := x.making(ctx, ref)
	if err != nil || known && was == made { // another process has just done it
		return err
	}
	applied := false
	shards := make([]int, len(gs.checkpoint.refs))
	for shard := range shards {
		shards[shard] = shard
		applied = applied || gs.position(shard) != ""
	}
	if applied {
		x.cfg.Logger.WarnContext(ctx, "index: the vectors were lost because their collection or table was created again; they are rebuilt",
			"generation", gs.gen.Key())
		if err := x.save(ctx, &gs.applier, shards, position{}); err != nil {
			return err
		}
		if err := x.look(ctx, &gs.applier); err != nil {
			return err
		}
	}
	var b role.Batch
	if err := b.Put(ref.Kind, ref.ID, position{Form: made}); err != nil {
		return err
	}
	_, err = x.cfg.Store.Commit(ctx, systemScope, b)
	return err
}

// making reads which instance of a location the positions of a generation belong to.
func (x *follower) making(ctx context.Context, ref role.Ref) (made string, known bool, err error) {
	rs, err := x.cfg.Store.Records(ctx, systemScope, role.RecordListing{Kind: ref.Kind, IDs: []trilith.ID{ref.ID}})
	if err != nil || len(rs) == 0 {
		return "", false, err
	}
	var p position
	err = json.Unmarshal(rs[0].Body, &p)
	return p.Form, true, err
}
