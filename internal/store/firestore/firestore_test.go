package firestore_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

// emulator is the host and port of a real emulator, on which the suites run beside the double. Without it they say
// that they skip.
var emulator = os.Getenv("FIRESTORE_EMULATOR_HOST")

// places gives every store of the tests a place of its own.
var places atomic.Int64

// server is what stores are opened on: the double, or an emulator.
type server struct{ host string }

// double starts a double that refuses queries without an index.
func double(tb testing.TB) (*firestoretest.Server, server) {
	tb.Helper()
	s := firestoretest.New()
	if err := s.RequireIndexes(firestore.IndexesJSON(2, 3, 4, 768)); err != nil {
		tb.Fatal(err)
	}
	h := httptest.NewServer(s)
	tb.Cleanup(h.Close)
	return s, server{strings.TrimPrefix(h.URL, "http://")}
}

func (s server) options(now func() time.Time) firestore.Options {
	return firestore.Options{Project: "test-project",
		Prefix: fmt.Sprintf("p%d-%d", time.Now().UnixNano(), places.Add(1)), Emulator: s.host, Now: now}
}

func open(tb testing.TB, o firestore.Options) *firestore.Store {
	tb.Helper()
	s, err := firestore.Open(tb.Context(), o)
	if err != nil {
		tb.Fatalf("Open = %v", err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// harness makes stores on a server, each at a place of its own.
func (s server) harness(shards int) storetest.Harness {
	options := map[storetest.Backend]firestore.Options{}
	var mu = make(chan struct{}, 1)
	remember := func(b storetest.Backend, o firestore.Options) storetest.Backend {
		mu <- struct{}{}
		options[b] = o
		<-mu
		return b
	}
	return storetest.Harness{
		New: func(tb testing.TB, now func() time.Time) storetest.Backend {
			o := s.options(now)
			o.Shards = shards
			return remember(open(tb, o), o)
		},
		Reopen: func(tb testing.TB, b storetest.Backend, now func() time.Time) storetest.Backend {
			if err := b.Close(); err != nil {
				tb.Fatalf("Close = %v", err)
			}
			mu <- struct{}{}
			o := options[b]
			<-mu
			return remember(open(tb, o), o)
		},
	}
}

// onBoth runs a suite on the double, and on an emulator if there is one.
func onBoth(t *testing.T, run func(t *testing.T, s server)) {
	t.Run("double", func(t *testing.T) {
		_, s := double(t)
		run(t, s)
	})
	t.Run("emulator", func(t *testing.T) {
		if emulator == "" {
			t.Skip("FIRESTORE_EMULATOR_HOST names no emulator; the double alone has run")
		}
		run(t, server{emulator})
	})
}

func TestStore(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) { storetest.Run(t, s.harness(0)) })
}

func TestStoreOfOneShard(t *testing.T) {
	_, s := double(t)
	storetest.RunCommits(t, s.harness(1))
}

func TestCache(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) { storetest.RunCache(t, s.harness(0)) })
}

func TestAbilities(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) { storetest.RunAbilities(t, s.harness(0)) })
}

func TestTurns(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) {
		storetest.RunTurns(t, func(tb testing.TB) func() storetest.Turner {
			o := s.options(time.Now)
			return func() storetest.Turner { return open(tb, o) }
		})
	})
}
