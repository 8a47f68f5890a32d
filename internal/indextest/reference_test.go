package indextest_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(testing.TB) cairn.TextIndex { return indextest.NewText() }})
}

func TestVector(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(testing.TB) cairn.VectorIndex { return indextest.NewVector() }})
}
