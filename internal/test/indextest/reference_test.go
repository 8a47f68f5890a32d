package indextest_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(testing.TB) role.TextIndex { return indextest.NewText() }})
}

func TestVector(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(testing.TB) role.VectorIndex { return indextest.NewVector() }})
}
