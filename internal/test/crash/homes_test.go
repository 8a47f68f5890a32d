package crash_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

var homeKills = flag.Int("crash.homes", 6, "how often the writer of a memory on a server is killed, for each kind of home")

// store is a store in all the roles that are needed here.
type store interface {
	role.Store
	role.Log
	role.Queue
}

const (
	inFirestore = "firestore://" // HOST:PORT/PREFIX, a place on a server of Firestore's routes
	withQdrant  = "+qdrant="     // URL/COLLECTION behind the path of a file: where its vectors lie
)

// openPlace opens a store and its vectors: those of a file that place is the path of, or of a place on servers.
func (m *memory) openPlace(ctx context.Context, place string, now func() time.Time) (role.VectorIndex, error) {
	if where, ok := strings.CutPrefix(place, inFirestore); ok {
		host, prefix, _ := strings.Cut(where, "/")
		s, err := firestore.Open(ctx, firestore.Options{Project: "test-project", Prefix: prefix, Emulator: host,
			Now: now})
		if err != nil {
			return nil, err
		}
		m.store = s
		return s.Vectors(), nil
	}
	path, where, ok := strings.Cut(place, withQdrant)
	file, err := sqlite.Open(ctx, sqlite.Options{Path: path, Now: now})
	if err != nil {
		return nil, err
	}
	m.store, m.file = file, file
	if !ok {
		return embedded.NewVector(file), nil
	}
	at := strings.LastIndexByte(where, '/')
	return qdrant.New(qdrant.Options{Options: qdrantapi.Options{Addresses: []string{where[:at]}, PlainHTTP: true},
		Collection: where[at+1:]})
}

// ahead is a clock that is some minutes ahead; none if it is not said how many.
func ahead(minutes string) func() time.Time {
	n, _ := strconv.Atoi(minutes)
	return func() time.Time { return time.Now().Add(time.Duration(n) * time.Minute) }
}

// TestKillHomes kills a writer whose memory, or whose vectors, are on a server that outlives it: in Firestore, or in a
// file with Qdrant. The next process finds every acknowledged write once, and an unbroken audit, without help.
func TestKillHomes(t *testing.T) {
	t.Parallel()
	for name, home := range map[string]func(t *testing.T) func(n int) string{
		"firestore": func(t *testing.T) func(int) string {
			h := httptest.NewServer(firestoretest.New())
			t.Cleanup(h.Close)
			return func(n int) string {
				return fmt.Sprintf("%s%s/kill%d", inFirestore, strings.TrimPrefix(h.URL, "http://"), n)
			}
		},
		"sqlite and qdrant": func(t *testing.T) func(int) string {
			dir, address := t.TempDir(), os.Getenv("TRILITH_TEST_QDRANT")
			if address == "" {
				address = qdranttest.Start(t, qdranttest.New())
			}
			return func(n int) string {
				return fmt.Sprintf("%s%s%s/kill%d", filepath.Join(dir, fmt.Sprintf("crash%d.db", n)), withQdrant, address, n)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places, r := home(t), rand.New(rand.NewPCG(*seed, 2))
			var w witness
			acknowledged := 0
			for n := range rounds(*homeKills) {
				if n%killsPerFile == 0 {
					acknowledged += len(w.remembered)
					w = witness{remembered: map[string]event{}, erasing: map[string]bool{}, erased: map[string]event{}}
				}
				// The clock moves on between two processes, so that none waits for the turn of one that is dead.
				w.environ = []string{envAhead + "=" + strconv.Itoa(2*n)}
				w.ahead = time.Duration(2*n+1) * time.Minute
				after := 0
				if r.IntN(5) > 0 {
					after = 1 + r.IntN(60)
				}
				place := places(n / killsPerFile)
				w.watch(t, place, *seed*1_000_000+uint64(n), after)
				w.examine(t, place)
				if t.Failed() {
					t.Fatalf("kill %d of seed %d, after %d lines", n+1, *seed, after)
				}
			}
			t.Logf("%d kills, %d requests acknowledged", rounds(*homeKills), acknowledged+len(w.remembered))
		})
	}
}

// auditAndLog sees to it that the audit has no gap and no broken link, that every memory was written as often as its
// version says, which is once, and that the log of changes names all of them and nothing else.
func auditAndLog(t *testing.T, m *memory, stored map[trilith.ID]trilith.Memory) {
	t.Helper()
	entries, err := m.store.Audit(t.Context(), trilith.Scope{Tenant: tenant}, 0, 0)
	if err == nil {
		err = trilith.VerifyAudit(trilith.AuditEntry{}, entries)
	}
	if err != nil {
		t.Errorf("Audit: %v", err)
	}
	for i, e := range entries {
		if e.Seq != int64(i+1) {
			t.Errorf("entry %d of the audit has the number %d", i+1, e.Seq)
			break
		}
	}
	for id, mem := range stored {
		if mem.Version != 1 {
			t.Errorf("memory %s has version %d, and was written once", id, mem.Version)
		}
	}
	changed := map[trilith.ID]int64{}
	for shard := range m.store.Shards() {
		for after := trilith.Cursor(""); ; {
			changes, next, err := m.store.Changes(t.Context(), trilith.AsSystem("crash"), shard, after, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				if c.Version < changed[c.ID] {
					t.Errorf("the log names version %d of memory %s after version %d", c.Version, c.ID, changed[c.ID])
				}
				if changed[c.ID] = c.Version; c.Deleted {
					delete(changed, c.ID)
				}
			}
			if len(changes) == 0 {
				break
			}
			after = next
		}
	}
	for id, mem := range stored {
		if changed[id] != mem.Version {
			t.Errorf("the log names version %d of memory %s, and %d is stored", changed[id], id, mem.Version)
		}
	}
	if len(changed) != len(stored) {
		t.Errorf("the log names %d memories, and %d are stored", len(changed), len(stored))
	}
}
