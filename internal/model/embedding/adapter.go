package embedding

import (
	"context"
	"fmt"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// adapted is an embedder whose vectors are given another number of dimensions.
type adapted struct {
	role.Embedder
	generation trilith.Generation
	adapt      func(trilith.Vector) (trilith.Vector, bool)
}

// Generation describes the vectors as they are afterwards.
func (a *adapted) Generation() trilith.Generation { return a.generation }

// Embed adapts the vectors of the embedder.
func (a *adapted) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	es, err := a.Embedder.Embed(ctx, use, texts)
	if err != nil {
		return nil, err
	}
	for i, e := range es {
		if e.Vector == nil {
			continue
		}
		v, ok := a.adapt(e.Vector)
		if !ok {
			return nil, trilith.Errorf(trilith.Internal, "embedder %s: the first %d dimensions of a vector are all 0",
				a.generation, a.generation.Dims)
		}
		es[i].Vector = v
	}
	return es, nil
}

// At returns an embedder whose generation has an address.
func At(e role.Embedder, address string) role.Embedder {
	g := e.Generation()
	g.Address = address
	return &adapted{e, g, func(v trilith.Vector) (trilith.Vector, bool) { return v, true }}
}

// Padded returns an embedder whose vectors have zeros added until they have dims dimensions: cosines do not change.
// It is for indexes whose number of dimensions is settled; an embedder that has it already is returned as it is.
func Padded(e role.Embedder, dims int) (role.Embedder, error) {
	switch have := e.Generation().Dims; {
	case dims < have:
		return nil, trilith.Errorf(trilith.Invalid, "embedder: pad must not be below the %d dimensions that %s has", have,
			e.Generation())
	case dims == have:
		return e, nil
	}
	return adapt(e, "pad", dims, func(v trilith.Vector) (trilith.Vector, bool) {
		return append(make(trilith.Vector, 0, dims), v...)[:dims], true
	}), nil
}

// Shortened returns an embedder whose vectors are cut after dims dimensions and made of unit length again. That is
// for models that are trained so that the beginning of a vector is a vector too (Matryoshka representation learning,
// Kusupati et al. 2022); the vectors of others would lose meaning, so those models are refused.
func Shortened(e role.Embedder, dims int) (role.Embedder, error) {
	smallest := 0
	if m, ok := e.(interface{ Smallest() int }); ok {
		smallest = m.Smallest()
	}
	switch g := e.Generation(); {
	case smallest == 0:
		return nil, trilith.Errorf(
			trilith.Invalid, "embedder: mrl cuts vectors, and %s is not known to be trained for that", g)
	case dims < smallest || dims >= g.Dims:
		return nil, trilith.Errorf(
			trilith.Invalid, "embedder: mrl must be at least %d and below the %d dimensions that %s has",
			smallest, g.Dims, g)
	}
	return adapt(e, "mrl", dims, func(v trilith.Vector) (trilith.Vector, bool) { return unit(v[:dims]) }), nil
}

func adapt(e role.Embedder, name string, dims int, f func(trilith.Vector) (trilith.Vector, bool)) role.Embedder {
	g := e.Generation()
	if g.Variant != "" {
		g.Variant += ", "
	}
	g.Variant += fmt.Sprintf("%s=%d", name, dims)
	g.Dims = dims
	return &adapted{e, g, f}
}
