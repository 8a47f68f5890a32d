package engine_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/engine"
)

func TestRegenerateEmbeddings(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for range 30 {
		e.note(t, ben, "A note like others.")
	}
	e.putFacts(t, ana, "tea", "rain", "chess")
	e.settle(t)
	regenerate := func(s cairn.Scope, limit int, want cairn.RegenerateResult) {
		t.Helper()
		if got, err := e.RegenerateEmbeddings(t.Context(), s, limit); err != nil || got != want {
			t.Errorf("RegenerateEmbeddings(%+v, %d) = %+v, %v; want %+v", s, limit, got, err, want)
		}
	}
	regenerate(acme, 0, cairn.RegenerateResult{})
	if err := e.parts.Vectors.Reset(t.Context(), cairn.AsSystem("test")); err != nil {
		t.Fatal(err)
	}
	regenerate(ana, 2, cairn.RegenerateResult{Embedded: 2, Left: 1})
	regenerate(acme, 2, cairn.RegenerateResult{Embedded: 2, Left: 29})
	regenerate(acme, 0, cairn.RegenerateResult{Embedded: 29})
	_, err := e.RegenerateEmbeddings(t.Context(), acme, 1001)
	wantError(t, "RegenerateEmbeddings(1001)", err, cairn.Invalid, "limit")
	none := inMemory(t, func(c *engine.Config) { c.Vectors, c.Embedder = nil, nil })
	_, err = none.RegenerateEmbeddings(t.Context(), acme, 0)
	wantError(t, "RegenerateEmbeddings without an embedder", err, cairn.Unsupported, "embedder")
}
