package scenario_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

func TestStories(t *testing.T) {
	t.Parallel()
	scenario.Run(t, "testdata/stories", open)
}

func TestSuites(t *testing.T) {
	t.Parallel()
	scenario.Suites(t, open)
}

// open makes an engine that keeps everything in memory.
func open(t *testing.T) scenario.Memory {
	t.Helper()
	store := inmem.New(time.Now)
	embedder, err := hashembed.New(128)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: store, Queue: store,
		Text: indextest.NewText(), Graph: walk.OverStore(store), Vectors: indextest.NewVector(), Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestDays(t *testing.T) {
	t.Parallel()
	scenario.Days(t, open(t), nil)
}
