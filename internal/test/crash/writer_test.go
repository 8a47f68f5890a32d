package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/store/walk"
)

// The environment of the writer: the file, and the seed of what it does. With them the test binary is the writer.
const (
	envPath = "TRILITH_CRASH_PATH"
	envSeed = "TRILITH_CRASH_SEED"
	// With this one the writer changes its embedder all the time; it is how many minutes its clock is ahead.
	envBuild = "TRILITH_CRASH_BUILD"
	// With this one it leases a job and waits.
	envLease = "TRILITH_CRASH_LEASE"
	// With this one it consults a model at once, so many times.
	envConsult = "TRILITH_CRASH_CONSULT"
	// With this one it does the work of a kind in sessions, from the round on that is its seed.
	envWork = "TRILITH_CRASH_WORK"
	// With this one its clock is so many minutes ahead.
	envAhead = "TRILITH_CRASH_AHEAD"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(envPath); path != "" {
		seed, err := strconv.ParseUint(os.Getenv(envSeed), 10, 64)
		if os.Getenv(envLease) != "" {
			err = lease(context.Background(), path)
		} else if times, _ := strconv.Atoi(os.Getenv(envConsult)); times > 0 {
			err = consult(context.Background(), path, times)
		} else if kind := os.Getenv(envWork); err == nil && kind != "" {
			err = work(context.Background(), path, kind, int(seed))
		} else if ahead := os.Getenv(envBuild); err == nil && ahead != "" {
			err = change(context.Background(), path, seed, ahead)
		} else if err == nil {
			err = write(context.Background(), path, seed)
		}
		fmt.Fprintln(os.Stderr, "the writer ended before it was killed:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const tenant = "default"

// memory is an engine with its store.
type memory struct {
	*engine.Engine
	store store
	file  *sqlite.Store // nil if the store is none
}

func open(ctx context.Context, path string) (*memory, error) {
	return openAt(ctx, path, time.Now, openEmbedder)
}

// openAt opens a place, see [openPlace], with the embedder that is in force, and a clock and embedders of the caller's
// own.
func openAt(ctx context.Context, place string, now func() time.Time,
	open func(context.Context, string) (role.Embedder, error), change ...func(*engine.Config)) (*memory, error) {
	embedder, err := open(ctx, "hash:32")
	if err != nil {
		return nil, err
	}
	m := new(memory)
	vectors, err := m.openPlace(ctx, place, now)
	if err != nil {
		return nil, err
	}
	c := engine.Config{Store: m.store, Log: m.store, Queue: m.store, Graph: walk.OverStore(m.store),
		Text: embedded.NewText(nil), Vectors: vectors, Embedder: embedder, EmbedderName: "hash:32", Embedders: open,
		Named: func(name string) (string, error) { return name, nil }, AnyGeneration: true, Now: now,
		Sessions: engine.SessionConfig{Manual: true}} // what is examined must not change meanwhile
	for _, f := range change {
		f(&c)
	}
	if m.Engine, err = engine.Open(ctx, c); err != nil {
		_ = m.store.Close() // the first error is the one to report
		return nil, err
	}
	return m, nil
}

// openEmbedder opens hash:DIMS.
func openEmbedder(_ context.Context, name string) (role.Embedder, error) {
	var dims int
	if _, err := fmt.Sscanf(name, "hash:%d", &dims); err != nil {
		return nil, err
	}
	return hashembed.New(dims)
}

// event is a line of the writer: what it is about to do, or which write was acknowledged.
type event struct {
	Do  string       `json:"do"`            // opening, remembered, erasing, erased; embedding, switched
	Key string       `json:"key,omitempty"` // names the request
	Of  int          `json:"of,omitempty"`  // memories of the request
	IDs []trilith.ID `json:"ids,omitempty"` // of what was remembered, in order, or is erased
}

// parent is the process that reads the lines.
type parent struct{ mu sync.Mutex }

func (p *parent) say(e event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = os.Stdout.Write(append(line, '\n')) // unbuffered: once it is written the parent will read it
	return err
}

const writers = 4

// write opens the file and writes from several goroutines until it is killed or something fails.
func write(ctx context.Context, path string, seed uint64) error {
	var p parent
	say := p.say
	if err := say(event{Do: "opening"}); err != nil {
		return err
	}
	m, err := openAt(ctx, path, ahead(os.Getenv(envAhead)), openEmbedder)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for w := range writers {
		r := rand.New(rand.NewPCG(seed, uint64(w)))
		go func() { failed <- m.writeForEver(ctx, fmt.Sprintf("r%dw%d", seed, w), r, say) }()
	}
	return <-failed
}

// writeForEver remembers single texts and batches, in sessions that the writers share, and erases some of its own.
func (m *memory) writeForEver(ctx context.Context, name string, r *rand.Rand, say func(event) error) error {
	var single []event
	for i := 0; ; i++ {
		e := event{Do: "remembered", Key: fmt.Sprintf("%sn%d", name, i), Of: 1}
		if r.IntN(3) == 0 {
			e.Of = 2 + r.IntN(11)
		}
		res, err := m.Remember(ctx, scopeOf(e.Key), request(e.Key, e.Of))
		if err != nil {
			return err
		}
		for _, mem := range res.Memories {
			e.IDs = append(e.IDs, mem.ID)
		}
		if err := say(e); err != nil {
			return err
		}
		if e.Of == 1 {
			single = append(single, e)
		}
		switch {
		case len(single) > 0 && r.IntN(8) == 0:
			at := r.IntN(len(single))
			gone := event{Do: "erasing", Key: single[at].Key, IDs: single[at].IDs}
			single = append(single[:at], single[at+1:]...)
			if err := say(gone); err != nil {
				return err
			}
			if _, err := m.Erase(ctx, trilith.Scope{Tenant: tenant}, trilith.EraseRequest{IDs: gone.IDs}); err != nil {
				return err
			}
			gone.Do = "erased"
			if err := say(gone); err != nil {
				return err
			}
		case r.IntN(40) == 0:
			if err := m.store.Purge(ctx); err != nil {
				return err
			}
		}
	}
}

// scopeOf spreads requests over few sessions, so that every session has several writers.
func scopeOf(key string) trilith.Scope {
	return trilith.Scope{Tenant: tenant, User: "ana", Session: "session-" + strconv.Itoa(int(key[len(key)-1]-'0')%3)}
}

func request(key string, of int) trilith.RememberRequest {
	r := trilith.RememberRequest{Messages: make([]trilith.Message, of)}
	for i := range r.Messages {
		r.Messages[i] = trilith.Message{Role: trilith.RoleUser, Content: text(key, of, i),
			Metadata: map[string]any{"key": key, "of": of}}
	}
	return r
}

// text is what the request of a key says in its part i: a line that says so, and filling of a length of its own that
// spreads some of them over several pages of the file.
func text(key string, of, i int) string {
	seed := uint64(i)
	for _, c := range []byte(key) {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"boat", "lantern", "gravel", "harbour", "copper", "thistle", "ledger", "window", "salt", "maple"}
	filling := make([]string, 1<<r.IntN(10))
	for j := range filling {
		filling[j] = words[r.IntN(len(words))]
	}
	return fmt.Sprintf("Request %s says part %d of %d: %s", key, i+1, of, strings.Join(filling, " "))
}
