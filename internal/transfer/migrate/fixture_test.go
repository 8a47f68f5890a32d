package migrate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/transfer/migrate"
)

var (
	acme   = trilith.Scope{Tenant: "acme", Actor: "tester"}
	globex = trilith.Scope{Tenant: "globex", Actor: "tester"}
	own    = trilith.Scope{Tenant: trilith.SystemTenant}
	system = trilith.AsSystem("test")
	epoch  = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

// store is what all drivers of the truth play.
type store interface {
	migrate.Truth
	role.EmbeddingCache
}

// place is a store that can be opened again and again.
type place struct {
	name string
	open func(testing.TB) store
}

// at opens the place for a migration.
func (p place) at(tb testing.TB) migrate.Endpoint {
	return migrate.Endpoint{Name: p.name, Truth: p.open(tb)}
}

// lasting is a store in memory that outlives those who close it.
type lasting struct{ *inmem.Store }

func (lasting) Close() error { return nil }

func inMemory(name string) (place, lasting) {
	s := lasting{inmem.New(time.Now)}
	return place{name, func(testing.TB) store { return s }}, s
}

// drivers make empty places.
var drivers = map[string]func(tb testing.TB) place{
	"inmem": func(testing.TB) place {
		p, _ := inMemory("inmem:" + string(trilith.NewID(time.Now())))
		return p
	},
	"sqlite": func(tb testing.TB) place {
		path := filepath.Join(tb.TempDir(), "trilith.db")
		return place{"sqlite:" + path, func(tb testing.TB) store {
			s, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path})
			if err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(func() { s.Close() })
			return s
		}}
	},
}

// run migrates and wants both sides to be equal then.
func run(tb testing.TB, from, to migrate.Endpoint) migrate.Report {
	tb.Helper()
	return runWith(tb, from, to, migrate.Options{}.Small())
}

func runWith(tb testing.TB, from, to migrate.Endpoint, o migrate.Options) migrate.Report {
	tb.Helper()
	r, err := migrate.Run(tb.Context(), from, to, o)
	if err != nil {
		tb.Fatalf("Run = %v", err)
	}
	if !r.Equal {
		tb.Fatalf("Run = %+v, want both sides equal", r)
	}
	wantSame(tb, from, to)
	return r
}

// wantSame compares what two stores hold with eyes of its own.
func wantSame(tb testing.TB, from, to migrate.Truth) {
	tb.Helper()
	a, b := holding(tb, from), holding(tb, to)
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if err := errors.Join(errX, errY); err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(x, y) { // which is found out much sooner than what the differences are
		if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" {
			tb.Errorf("the stores differ (-from +to):\n%s", diff)
		}
	}
	names, _ := to.Tenants(tb.Context(), system)
	for _, name := range append(names, trilith.SystemTenant) {
		es, err := to.Audit(tb.Context(), trilith.Scope{Tenant: name}, 0, everything)
		if err != nil {
			tb.Fatal(err)
		}
		if err := trilith.VerifyAudit(trilith.AuditEntry{}, es); err != nil {
			tb.Errorf("the audit of %s: %v", name, err)
		}
	}
}

const everything = 1 << 20

// held is what a store holds of a tenant.
type held struct {
	Memories []trilith.Memory
	Records  map[role.RecordKind][]role.Record
	Claims   []role.Claim
	Jobs     []trilith.Job
	Audit    []trilith.AuditEntry
}

// holding reads everything that is to be copied, and that nothing else is there.
func holding(tb testing.TB, s migrate.Truth) map[string]held {
	tb.Helper()
	names, err := s.Tenants(tb.Context(), system)
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]held{}
	for _, name := range append(names, trilith.SystemTenant) {
		sc := trilith.Scope{Tenant: name}
		h := held{Records: map[role.RecordKind][]role.Record{}}
		for m, err := range s.List(tb.Context(), sc, role.Listing{}) {
			if err != nil {
				tb.Fatal(err)
			}
			h.Memories = append(h.Memories, m)
		}
		for _, kind := range role.RecordKinds() {
			rs, err := s.Records(tb.Context(), sc, role.RecordListing{Kind: kind})
			if err != nil {
				tb.Fatal(err)
			}
			switch {
			case kind == role.RecordPosition:
			case kind == role.RecordMigration:
				for _, r := range rs {
					if r.ID != trilith.MigrationID() {
						tb.Errorf("%s holds %s of a migration that is over", name, r.ID)
					}
				}
			case len(rs) > 0:
				h.Records[kind] = rs
			}
		}
		if h.Claims, err = s.Claims(tb.Context(), sc, role.ClaimListing{}); err != nil {
			tb.Fatal(err)
		}
		if h.Jobs, err = s.Jobs(tb.Context(), sc, trilith.JobListing{}); err != nil {
			tb.Fatal(err)
		}
		if h.Audit, err = s.Audit(tb.Context(), sc, 0, everything); err != nil {
			tb.Fatal(err)
		}
		out[name] = h
	}
	return out
}

func commit(tb testing.TB, s role.Store, sc trilith.Scope, bs ...role.Batch) {
	tb.Helper()
	for _, b := range bs {
		if _, err := s.Commit(tb.Context(), sc, b); err != nil {
			tb.Fatalf("Commit(%s) = %v", sc.Tenant, err)
		}
	}
}

// id returns the nth of a row of ids in ascending order.
func id(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func note(n int, s trilith.Scope, text string) trilith.Memory {
	return trilith.Memory{ID: id(n), Version: int64(1 + n%5), Kind: trilith.KindNote, Text: text,
		Scope: trilith.Scope{Tenant: s.Tenant, User: "ana"}, Role: trilith.RoleUser,
		EventTime: epoch, RecordedAt: epoch.Add(time.Duration(n) * time.Second), State: trilith.StateActive,
		Trust: trilith.TrustUserStated}
}

func job(n int, state trilith.JobState) trilith.Job {
	at := epoch.Add(time.Duration(n) * time.Millisecond)
	return trilith.Job{ID: id(n), Kind: "extract", Payload: json.RawMessage(`{"source":"x"}`), State: state,
		RunAt: at.Add(time.Hour), Attempts: n % 3, MaxAttempts: 3,
		Error: "why", RequestID: "request", CreatedAt: at, UpdatedAt: at.Add(time.Minute)}
}

func entry(n int) trilith.AuditEntry {
	return trilith.AuditEntry{At: epoch.Add(time.Duration(n) * time.Microsecond), Actor: "tester", Action: "remember",
		Target: id(n), Detail: map[string]string{"n": fmt.Sprint(n)}}
}

// fill writes something of every sort, with memories enough for several batches, into two tenants and the system's own.
func fill(tb testing.TB, s role.Store) { fillWith(tb, s, notes) }

// notes are how many memories acme has after fill.
const notes = 2*role.MaxBatch + 100

func fillWith(tb testing.TB, s role.Store, notes int) {
	tb.Helper()
	until := epoch.Add(time.Hour)
	for _, sc := range []trilith.Scope{acme, globex, own} {
		var b role.Batch
		for i, kind := range role.RecordKinds() {
			if kind != role.RecordMigration {
				b.Records = append(b.Records,
					role.Record{Kind: kind, ID: id(i), Version: int64(i + 1),
						Body: json.RawMessage(`{"z":[1,2.5,1e-7,12345678901234567],"a":{"ö":"<&>"},"n":null}`)})
			}
		}
		leased := job(4, trilith.JobReady)
		leased.LeasedUntil, leased.Worker = &until, "worker"
		b.Jobs = []trilith.Job{job(1, trilith.JobReady), job(2, trilith.JobDone), job(3, trilith.JobDead), leased}
		for i, space := range []string{role.KeyRequest, role.KeyExternal, role.KeyIdentifier, role.KeyName,
			role.KeyErased, role.KeyCredential} {
			b.Claims = append(b.Claims,
				role.Claim{Key: role.Key{Space: space, Value: "type\x00é " + sc.Tenant}, Owner: id(i)})
		}
		for n := range 3 {
			b.Audit = append(b.Audit, entry(n))
		}
		commit(tb, s, sc, b)
	}
	many := make([]trilith.Memory, notes)
	for n := range many {
		many[n] = note(n, acme, fmt.Sprintf("This is note %d.", n))
	}
	many[7].Metadata = map[string]any{"n": 12.5, "list": []any{"a", nil, true}}
	many[7].Tags, many[7].ValidUntil = []string{"b", "a"}, &until
	many[8].Entry = &trilith.Entry{Category: "c", Title: "t", Content: "x", Structured: map[string]any{"k": "v"},
		Confidence: 0.5}
	for part := range slices.Chunk(many, role.MaxBatch) {
		commit(tb, s, acme, role.Batch{Memories: part})
	}
	commit(tb, s, globex, role.Batch{Memories: []trilith.Memory{note(1, globex, "Somebody else's.")}})
	commit(tb, s, acme, role.Batch{
		Claims: []role.Claim{{Key: role.Key{Space: role.KeyExternal, Value: "of note 9"}, Owner: id(9)}}})
}

// change does to a filled store what may happen while it is copied and afterwards.
func change(tb testing.TB, s role.Store) {
	tb.Helper()
	changed, again := note(9, acme, "This note says something else."),
		note(12, acme, "This note is new under an old id.")
	again.Version = 40
	commit(tb, s, acme,
		// its version grows, its claim stays
		role.Batch{Memories: []trilith.Memory{changed}, Audit: []trilith.AuditEntry{entry(10)}},
		role.Batch{Delete: []role.Ref{{ID: id(10)}, {ID: id(12)}, {Kind: role.RecordEntity, ID: id(2)}}},
		role.Batch{Memories: []trilith.Memory{again, note(99_999, acme, "This note is new.")},
			Audit: []trilith.AuditEntry{entry(11), entry(12)},
			Records: []role.Record{{Kind: role.RecordSource, ID: id(0), Body: json.RawMessage(`{"changed":true}`)},
				{Kind: role.RecordReceipt, ID: id(77), Body: json.RawMessage(`[]`)}},
			Claims: []role.Claim{{Key: role.Key{Space: role.KeyErased, Value: "gone"}, Owner: id(77)},
				{Key: role.Key{Space: role.KeyErased, Value: "type\x00é acme"}, Owner: id(77), Move: true}},
			Release:  []role.Key{{Space: role.KeyRequest, Value: "type\x00é acme"}},
			DropJobs: []trilith.ID{id(1), id(2)}, Jobs: []trilith.Job{job(1, trilith.JobDead), job(9, trilith.JobReady)}})
	commit(tb, s, trilith.Scope{Tenant: "initech"},
		role.Batch{Memories: []trilith.Memory{note(1, trilith.Scope{Tenant: "initech"}, "A tenant that is new.")}})
	var gone []role.Ref
	for i, kind := range role.RecordKinds() {
		gone = append(gone, role.Ref{Kind: kind, ID: id(i)})
	}
	commit(tb, s, globex, role.Batch{Delete: append(gone, role.Ref{ID: id(1)})})
}

// faulty makes a store in memory fail at its nth commit from now on: before anything is written, or after everything
// is written and without an answer.
func faulty(s lasting, n int, after bool) {
	f := func(_ context.Context, op string) error {
		if op != "Commit" {
			return nil
		}
		if n--; n == 0 {
			return trilith.Errorf(trilith.Unavailable, "the test has cut it off")
		}
		return nil
	}
	if after {
		s.Inject(inmem.Fault{After: f})
	} else {
		s.Inject(inmem.Fault{Before: f})
	}
}

func decode(tb testing.TB, body []byte, into any) {
	tb.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		tb.Fatal(err)
	}
}
