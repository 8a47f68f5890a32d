package crash_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

var damages = flag.Int("crash.damages", 24, "how many damaged copies of a file are asked")

const (
	pageSize = 4096
	flipped  = 60 // requests of the file that is damaged
)

// damageKinds are the ways to damage a file, the likeliest first.
var damageKinds = []struct {
	name  string
	share int // of 10
	do    func(r *rand.Rand, file []byte) []byte
}{
	{"one bit", 5, func(r *rand.Rand, file []byte) []byte {
		file[r.IntN(len(file))] ^= 1 << r.IntN(8)
		return file
	}},
	{"16 bytes", 2, func(r *rand.Rand, file []byte) []byte {
		at := r.IntN(len(file) - 16)
		fillRandom(r, file[at:at+16])
		return file
	}},
	{"a random page", 1, func(r *rand.Rand, file []byte) []byte {
		at := r.IntN(len(file)/pageSize) * pageSize
		fillRandom(r, file[at:at+pageSize])
		return file
	}},
	{"a zeroed page", 1, func(r *rand.Rand, file []byte) []byte {
		at := r.IntN(len(file)/pageSize) * pageSize
		clear(file[at : at+pageSize])
		return file
	}},
	{"truncated", 1, func(r *rand.Rand, file []byte) []byte { return file[:r.IntN(len(file))] }},
}

func fillRandom(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// The verdicts on a damaged file.
const (
	saidSo   = "clear error"
	same     = "same answers"
	told     = "others, doctor says BAD"
	silently = "SILENT"
)

// TestFlip damages copies of a file, in the ways that disks and memory do, and asks each the same questions. A damaged
// file may refuse to answer; it may give other answers only if the doctor says that it is not well.
func TestFlip(t *testing.T) {
	t.Parallel()
	whole, memories := fileToDamage(t)
	dir := t.TempDir()
	ask := func(n int, file []byte) (said map[string]string, well bool, err error) {
		path := filepath.Join(dir, fmt.Sprintf("%d.db", n))
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				os.Remove(path + suffix)
			}
		}()
		return interview(t.Context(), path, memories)
	}
	want, well, err := ask(0, slices.Clone(whole))
	if err != nil || !well {
		t.Fatalf("the file before it is damaged: well %v, %v", well, err)
	}
	table := map[string]map[string]int{}
	r := rand.New(rand.NewPCG(*seed, 2))
	for n := range rounds(*damages) {
		kind := damageKinds[0]
		for left, i := n%10, 0; left >= 0; i++ {
			kind = damageKinds[i]
			left -= kind.share
		}
		file := kind.do(r, slices.Clone(whole))
		got, well, err := ask(n+1, file)
		verdict := saidSo
		differs := ""
		if err == nil {
			verdict = same
			for _, question := range slices.Sorted(keys(want)) {
				if got[question] != want[question] {
					verdict, differs = told, question
					break
				}
			}
			if verdict == told && well {
				verdict = silently
				t.Errorf("damage %d of seed %d (%s at %v): %q is answered otherwise, and nobody says so:\n%s", n, *seed,
					kind.name, changedAt(whole, file), differs, firstChange(want[differs], got[differs]))
			}
		}
		if table[kind.name] == nil {
			table[kind.name] = map[string]int{}
		}
		table[kind.name][verdict]++
	}
	verdicts := []string{saidSo, same, told, silently}
	t.Logf("| damage | %s |", strings.Join(verdicts, " | "))
	for _, kind := range damageKinds {
		line := "| " + kind.name + " |"
		for _, v := range verdicts {
			line += fmt.Sprintf(" %d |", table[kind.name][v])
		}
		t.Log(line)
	}
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func changedAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func firstChange(want, got string) string {
	at := changedAt([]byte(want), []byte(got))
	cut := func(s string) string { return s[max(0, min(at-60, len(s))):min(len(s), at+60)] }
	return fmt.Sprintf("want … %s …\ngot  … %s …", cut(want), cut(got))
}

// fileToDamage makes a file of everything that there is: turns, notes, facts, entities, sources, tombstones, vectors,
// kept indexes.
func fileToDamage(t *testing.T) (file []byte, ids []trilith.ID) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.db")
	m, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	scope := trilith.Scope{Tenant: tenant, User: "ana"}
	for i := range flipped {
		key := fmt.Sprintf("f%d", i)
		res, err := m.Remember(t.Context(), scopeOf(key), request(key, 1+i%5))
		if err != nil {
			t.Fatal(err)
		}
		for _, mem := range res.Memories {
			ids = append(ids, mem.ID)
		}
	}
	for i := range 12 {
		_, err := m.Assimilate(t.Context(), scope,
			trilith.AssimilateRequest{
				Identifier: trilith.Identifier{Type: "email", Value: fmt.Sprintf("p%d@example.com", i)},
				Content: fmt.Sprintf(
					"I live in Oslo since %d. I work at Harbour %d. I like salt maple.", 2000+i, i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Erase(t.Context(), trilith.Scope{Tenant: tenant}, trilith.EraseRequest{IDs: ids[:2]}); err != nil {
		t.Fatal(err)
	}
	ids = ids[2:]
	if err := m.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// Backup makes one file of it that says of itself that it is whole.
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), path+".bak", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path + ".bak"); err != nil {
		t.Fatal(err)
	}
	return file, ids
}

// interview asks a file what its users ask, and then the doctor. An error is that of the first question that is not
// answered; answers that are marked as not whole count as one.
func interview(ctx context.Context, path string, ids []trilith.ID) (said map[string]string, well bool, err error) {
	at := time.Now().Add(time.Hour)
	m, err := openAt(ctx, path, func() time.Time { return at }, openEmbedder)
	if err != nil {
		return nil, false, err
	}
	defer m.Close()
	said = map[string]string{}
	note := func(question string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		said[question] += string(b) + "\n"
	}
	scope := trilith.Scope{Tenant: tenant}
	for item, err := range m.Export(ctx, scope) {
		if err != nil {
			return nil, false, err
		}
		if item.Header == nil {
			note("export", item)
		}
	}
	for r := (trilith.ListRequest{Limit: 100, Newest: true}); ; {
		page, err := m.List(ctx, scope, r)
		if err != nil {
			return nil, false, err
		}
		note("list", page.Items)
		if r.Cursor = page.NextCursor; r.Cursor == "" {
			break
		}
	}
	for _, q := range []string{"Which lantern hung over the copper window?", "salt maple", "gravel harbour"} {
		res, err := m.Recall(ctx, trilith.Scope{Tenant: tenant, User: "ana"}, trilith.RecallRequest{Query: q, K: 20})
		if err != nil {
			return nil, false, err
		}
		if len(res.Damaged) > 0 {
			return nil, false, &trilith.Damaged{What: "memory", IDs: res.Damaged}
		}
		note("recall "+q, res.Hits)
	}
	for i := range 12 {
		res, err := m.Lookup(ctx, trilith.Scope{Tenant: tenant, User: "ana"},
			trilith.LookupRequest{Identifier: trilith.Identifier{Type: "email", Value: fmt.Sprintf("p%d@example.com", i)}})
		if err != nil {
			return nil, false, err
		}
		note("lookup", res)
	}
	for _, id := range ids[:20] {
		mem, err := m.Get(ctx, scope, id)
		if err != nil {
			return nil, false, err
		}
		note("get", mem)
	}
	report, err := m.Doctor(ctx)
	return said, err == nil && report.OK, nil
}
