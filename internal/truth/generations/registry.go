package generations

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
)

// registry is the body of the only record of its kind: the generations, and the work to be done on them. Every process
// that opens the memory reads it periodically, and the holder of the lease does the work.
type registry struct {
	openable                      // the active one
	Building *building            `json:"building,omitempty"`
	Previous *openable            `json:"previous,omitempty"`
	Dropped  []trilith.Generation `json:"dropped,omitempty"` // vectors to be removed
	Worker   string               `json:"worker,omitempty"`  // the holder of the lease
	Until    time.Time            `json:"until,omitzero"`    // … and the end of the lease
}

// openable is a generation with the name by which its embedder is opened.
type openable struct {
	trilith.Generation
	Embedder string `json:"embedder,omitempty"`
}

// is reports whether g is the generation n.
func (n openable) is(g trilith.Generation) bool { return g.Key() == n.Key() }

// building is the next generation.
type building struct {
	openable
	trilith.Build
	Kept bool `json:"kept,omitempty"` // it was active before, and has vectors of the memories stored by then
}

// is reports whether two builds are the same.
func (b *building) is(other *building) bool {
	return other != nil && b.Key() == other.Key() && b.StartedAt.Equal(other.StartedAt)
}

// idle reports whether there is nothing to do.
func (g *registry) idle() bool { return g.Building == nil && len(g.Dropped) == 0 }

// openGenerations determines the active generation and whether the configured embedder can continue it. A newer builtin
// embedder replaces an older one automatically: that costs nothing and no text leaves the machine. A newer text recipe
// has to be used, and the old generation answers questions meanwhile. A person decides about everything else.
func (gs *Generations) openGenerations(ctx context.Context) error {
	own := openable{Generation: index.Generation(gs.embedder), Embedder: gs.embedderName}
	if gs.truth.ForReading {
		return gs.readGenerations(ctx, own)
	}
	var wished bool // requested by this call
	g, err := gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
		recipe := g.openable
		recipe.Recipe = own.Recipe
		wished = false
		switch {
		case g.Dims == 0: // the first start
			g.openable = own
		case g.openable.is(own.Generation):
			if g.Embedder == "" {
				g.Embedder = own.Embedder
			}
		case g.Building != nil && (g.Building.openable.is(own.Generation) || recipe.is(own.Generation)):
			// it will replace the active one
		case recipe.is(own.Generation):
			gs.truth.Logger.InfoContext(
				ctx, "embedder: the text recipe has changed, vectors are rebuilt",
				"generation", own.String())
			wished = true
			return gs.wish(g, own), nil
		// the old embedder no longer exists, so its vectors cannot be searched
		case g.Provider == "builtin" && own.Provider == "builtin":
			gs.truth.Logger.InfoContext(ctx, "embedder: another generation is activated; vectors are rebuilt",
				"old", g.String(), "new", own.String())
			wished = true
			old := g.Generation
			g.openable = own
			g.drop(old)
			return index.Positions(gs.truth.Vectors, own.Generation, gs.truth.Log.Shards()), nil
		case !gs.anyGeneration:
			return nil, mismatch(g, own)
		}
		if b := g.Building; b != nil && b.Recipe != index.RecipeVersion { // begun by a program with another text recipe
			n := b.openable
			n.Recipe = index.RecipeVersion
			return gs.wish(g, n), nil
		}
		return nil, nil
	})
	if err != nil {
		return trilith.WrapError(trilith.Internal, "engine.Open", err)
	}
	gs.Current.Store(gs.denseOf(ctx, g.openable))
	if wished { // a serving process begins the builds that others have requested
		gs.Maintain()
	}
	return nil
}

// readGenerations is openGenerations for a read-only store: the active generation answers questions.
func (gs *Generations) readGenerations(ctx context.Context, own openable) error {
	g, _, err := gs.generations(ctx)
	switch {
	case err != nil && !gs.truth.MayOpenDamaged(ctx, err):
		return trilith.WrapError(trilith.Internal, "engine.Open", err)
	case err != nil || g.Dims == 0:
		g.openable = own
	}
	gs.Current.Store(gs.denseOf(ctx, g.openable))
	return nil
}

// mismatch returns the error for an embedder other than that of the active generation.
func mismatch(g *registry, own openable) error {
	name := func(n openable, otherwise string) string {
		if n.Embedder == "" {
			return otherwise
		}
		return n.Embedder
	}
	back := ""
	if g.Previous != nil && g.Previous.is(own.Generation) {
		back = ", or go back to the configured one with: trilith reindex --rollback"
	}
	return trilith.Errorf(trilith.Conflict,
		"embedder: the memory holds vectors of %s, the configured embedder makes %s; start with --embedder %s, or replace the vectors with: trilith reindex --to %s%s",
		g.openable.String(), own.String(), name(g.openable, "the old one"), name(own, "EMBEDDER"), back)
}

// Generations lists the generations that the memory holds: the active one, the one that is building, the previous one.
// None without an embedder.
func (gs *Generations) Generations(ctx context.Context) ([]trilith.GenerationStatus, error) {
	if gs.truth.Vectors == nil {
		return nil, nil
	}
	g, _, err := gs.generations(ctx)
	if err != nil {
		return nil, err
	}
	return g.statuses(), nil
}

// SwitchTo starts building the vectors of another embedder, by a name that [engine.Config.Named] knows, and returns at
// once. The vectors are made in the background, by this process or another one that has the memory open and can open
// the embedder, and by the next one that starts if it ends. The active generation answers questions until the new one
// has all its vectors; then the new one becomes active, and the old one is kept as the previous one, replacing an
// earlier one.
//
// Switching to the active embedder cancels a build. An embedder that cannot be opened, or does not embed, changes
// nothing.
func (gs *Generations) SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error) {
	if err := gs.NeedVectors(); err != nil {
		return nil, err
	}
	setting, err := gs.named(embedder)
	if err != nil {
		return nil, err
	}
	made, err := gs.openEmbedder(ctx, setting)
	if err != nil {
		return nil, err
	}
	return gs.switchTo(ctx, openable{Generation: index.Generation(made), Embedder: setting}, made,
		func(*registry) error { return nil })
}

// Rollback switches to the previous generation, like SwitchTo, but only memories stored since it was active need new
// vectors. NotFound if there is none.
func (gs *Generations) Rollback(ctx context.Context) ([]trilith.GenerationStatus, error) {
	if err := gs.NeedVectors(); err != nil {
		return nil, err
	}
	g, _, err := gs.generations(ctx)
	if err != nil {
		return nil, err
	}
	if g.Previous == nil {
		return nil, trilith.Errorf(
			trilith.NotFound, "embedder: no previous generation is kept; name an embedder with: trilith reindex --to EMBEDDER")
	}
	want := *g.Previous
	if want.Recipe != index.RecipeVersion {
		return nil, trilith.Errorf(
			trilith.Conflict, "embedder: the previous generation was made from differently prepared texts; rebuild it with: trilith reindex --to %s", want.Embedder)
	}
	made, err := gs.embedderOf(ctx, want)
	if err != nil {
		return nil, err
	}
	return gs.switchTo(ctx, want, made, func(g *registry) error {
		switch {
		case g.Previous == nil || g.Previous.Key() != want.Key():
			return trilith.Errorf(trilith.Conflict,
				"embedder: another process has changed the generations; look at them and repeat the request")
		case g.Building != nil && g.Building.Key() != want.Key():
			return trilith.Errorf(trilith.Conflict,
				"embedder: %s is being built; cancel that first with: trilith reindex --to %s",
				g.Building.openable.String(), g.Embedder)
		}
		return nil
	})
}

// switchTo records the request for a generation, if its embedder works and allow returns no error.
func (gs *Generations) switchTo(ctx context.Context, want openable, made role.Embedder, allow func(*registry) error) (
	[]trilith.GenerationStatus, error) {
	if _, err := made.Embed(ctx, role.ForDocument, []string{"trilith"}); err != nil {
		return nil, err
	}
	g, err := gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
		if err := allow(g); err != nil {
			return nil, err
		}
		switch {
		case g.openable.is(want.Generation):
			g.Embedder = want.Embedder
			g.giveUp()
		case g.Building != nil && g.Building.openable.is(want.Generation):
			g.Building.Embedder = want.Embedder
		default:
			return gs.wish(g, want), nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	gs.Maintain()
	return g.statuses(), nil
}

// wish makes a generation the next one, and returns the records that have to be deleted for it.
func (gs *Generations) wish(g *registry, n openable) []role.Ref {
	g.giveUp()
	b := &building{openable: n, Build: trilith.Build{StartedAt: gs.truth.Now()}}
	g.Building = b
	if b.Kept = g.Previous != nil && g.Previous.is(n.Generation); b.Kept {
		b.Generation = g.Previous.Generation
		return nil
	}
	// Its remaining vectors are not trusted.
	return index.Positions(gs.truth.Vectors, n.Generation, gs.truth.Log.Shards())
}

// giveUp cancels the build.
func (g *registry) giveUp() {
	if b := g.Building; b != nil {
		g.Building = nil
		g.drop(b.Generation)
	}
}

// ForgetPrevious removes the vectors of the previous generation. It is no error if there is none.
func (gs *Generations) ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error) {
	if err := gs.NeedVectors(); err != nil {
		return nil, err
	}
	g, err := gs.changeGenerations(ctx, func(g *registry) ([]role.Ref, error) {
		p := g.Previous
		if p == nil {
			return nil, nil
		}
		if g.Building != nil && g.Building.Key() == p.Key() {
			return nil, trilith.Errorf(
				trilith.Conflict, "embedder: a rollback to the previous generation is in progress; cancel that first with: trilith reindex --to %s", g.Embedder)
		}
		g.Previous = nil
		g.drop(p.Generation)
		return nil, nil
	})
	gs.Maintain()
	return g.statuses(), err
}

func (gs *Generations) NeedVectors() error {
	if gs.truth.Vectors == nil {
		return trilith.Errorf(trilith.Unsupported, "embedder: none is configured, so there are no vectors; set --embedder")
	}
	return nil
}

var generationsRef = role.Ref{Kind: role.RecordGeneration, ID: trilith.DeriveID("generation")}

// changeGenerations changes the record and returns the new content. The same commit includes the deletions that change
// returns.
func (gs *Generations) changeGenerations(ctx context.Context, change func(g *registry) ([]role.Ref, error)) (
	registry, error) {
	var g registry
	err := truth.Retry(ctx, func() (bool, error) {
		var version int64
		var err error
		if g, version, err = gs.generations(ctx); err != nil {
			return false, err
		}
		before, err := json.Marshal(g)
		if err != nil {
			return false, err
		}
		gone, err := change(&g)
		if err != nil {
			return false, err
		}
		body, err := json.Marshal(g)
		if err != nil || version > 0 && bytes.Equal(before, body) {
			return false, err
		}
		_, err = gs.truth.Commit(ctx, truth.SystemScope, role.Batch{Delete: gone,
			Expect:  []role.Expect{{Kind: generationsRef.Kind, ID: generationsRef.ID, Version: version}},
			Records: []role.Record{{Kind: generationsRef.Kind, ID: generationsRef.ID, Body: body}}})
		return true, err
	})
	return g, err
}

// generations reads the record; version 0 means that there is none yet.
func (gs *Generations) generations(ctx context.Context) (g registry, version int64, err error) {
	return truth.ReadRecord[registry](ctx, gs.truth, truth.SystemScope, generationsRef.Kind, generationsRef.ID)
}

// drop schedules the removal of a generation's vectors, unless it is still needed.
func (g *registry) drop(d trilith.Generation) {
	key := d.Key()
	if key == g.Key() || g.Building != nil && key == g.Building.Key() || g.Previous != nil && key == g.Previous.Key() {
		return
	}
	g.Dropped = append(g.Dropped, d)
}

// statuses lists the generations: the active one, then the one that is being built, then the previous one.
func (g *registry) statuses() []trilith.GenerationStatus {
	out := []trilith.GenerationStatus{g.status(trilith.GenerationActive)}
	if b := g.Building; b != nil {
		s := b.status(trilith.GenerationBuilding)
		s.Build = &b.Build
		out = append(out, s)
	}
	if g.Previous != nil && (g.Building == nil || !g.Building.Kept) { // otherwise it is becoming active again
		out = append(out, g.Previous.status(trilith.GenerationPrevious))
	}
	return out
}

func (n openable) status(state trilith.GenerationState) trilith.GenerationStatus {
	return trilith.GenerationStatus{State: state, Key: n.Key(), Generation: n.Generation, Embedder: n.Embedder}
}
