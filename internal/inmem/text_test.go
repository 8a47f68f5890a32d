package inmem_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/inmem"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(testing.TB) cairn.TextIndex { return inmem.NewText() }})
}
