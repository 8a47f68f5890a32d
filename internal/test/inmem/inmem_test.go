package inmem_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

var harness = storetest.Harness{
	New: func(_ testing.TB, now func() time.Time) storetest.Backend { return inmem.New(now) },
}

func TestStore(t *testing.T) { storetest.Run(t, harness) }

func TestStoreOfSeveralShards(t *testing.T) {
	h := harness
	h.New = func(_ testing.TB, now func() time.Time) storetest.Backend { return inmem.New(now, inmem.Shards(3)) }
	storetest.Run(t, h)
}

func TestCache(t *testing.T) { storetest.RunCache(t, harness) }

func BenchmarkStore(b *testing.B) { storetest.Bench(b, harness) }
