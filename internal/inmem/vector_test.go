package inmem_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/inmem"
)

func TestVector(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{New: func(testing.TB) cairn.VectorIndex { return inmem.NewVector() }})
}
