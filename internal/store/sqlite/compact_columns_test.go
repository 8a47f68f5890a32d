package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var someHash = strings.Repeat("0123456789abcdef", 4)

// someClaims are in the order of their keys.
var someClaims = []role.Claim{
	{Key: role.Key{Space: role.KeyExternal, Value: someHash}, Owner: id1},
	{Key: role.Key{Space: role.KeyExternal, Value: "x-1"}, Owner: "ABCDEF00-0000-7000-8000-000000000001"},
	{Key: role.Key{Space: role.KeySaid, Value: someHash}, Owner: id1},
	{Key: role.Key{Space: role.KeySaid, Value: "f" + someHash[1:]}, Owner: id2},
}

// TestClaimsAreShort: claims are listed, found, moved and released by their texts, in the order of these.
func TestClaimsAreShort(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acme := trilith.Scope{Tenant: "acme"}
	if _, err := s.Commit(t.Context(), acme, role.Batch{Claims: someClaims}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Claims(t.Context(), acme, role.ClaimListing{})
	if diff := cmp.Diff(someClaims, got); err != nil || diff != "" {
		t.Errorf("Claims = %v (-claimed +found):\n%s", err, diff)
	}
	for i, c := range someClaims {
		if owners, err := s.Find(t.Context(), acme, []role.Key{c.Key}); err != nil || owners[c.Key] != c.Owner {
			t.Errorf("Find(%v) = %v, %v; want %s", c.Key, owners, err, c.Owner)
		}
		after, err := s.Claims(t.Context(), acme, role.ClaimListing{After: c.Key})
		if err != nil || len(after) != len(someClaims)-i-1 {
			t.Errorf("Claims after %v = %v, %v; want the %d behind it", c.Key, after, err, len(someClaims)-i-1)
		}
	}
	others := role.Batch{Claims: []role.Claim{{Key: someClaims[2].Key, Owner: id2}}}
	if _, err := s.Commit(t.Context(), acme, others); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Commit of a claim that another owns = %v, want %s", err, trilith.Conflict)
	}
	if _, err := s.Commit(t.Context(), acme, role.Batch{Release: []role.Key{someClaims[2].Key}}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Claims(t.Context(), acme, role.ClaimListing{}); err != nil || len(got) != len(someClaims)-1 {
		t.Errorf("Claims after a release = %v, %v; want one fewer", got, err)
	}
}

func TestLongBodiesArePackedAndRead(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acme := trilith.Scope{Tenant: "acme"}
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("01a215a2-b7ab-7aa9-93c1-8f48620000%02d", i))
	}
	long, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	want := []role.Record{{Kind: role.RecordSource, ID: id1, Version: 1, Body: long},
		{Kind: role.RecordSource, ID: id2, Version: 1, Body: []byte(`{"a":1}`)}}
	if _, err := s.Commit(t.Context(), acme, role.Batch{Records: want}); err != nil {
		t.Fatal(err)
	}
	for _, l := range []role.RecordListing{{Kind: role.RecordSource},
		{Kind: role.RecordSource, IDs: []trilith.ID{id1, id2}}} {
		got, err := s.Records(t.Context(), acme, l)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Records(%+v) = %v (-put +got):\n%s", l, err, diff)
		}
	}
	var stored []byte
	read := func() error {
		return s.readers.QueryRow("SELECT body FROM records WHERE id = ?", string(id1)).Scan(&stored)
	}
	if err := read(); err != nil || len(stored) > len(long)/2 {
		t.Errorf("a body of %d bytes is stored in %d, %v; want half at most", len(long), len(stored), err)
	}
	if sums, err := s.Sums(t.Context()); err != nil || len(sums.Named) > 0 {
		t.Errorf("Sums = %+v, %v; want nothing damaged", sums, err)
	}
	for _, at := range []int{0, 1, len(stored) / 2, len(stored) - 1} {
		damaged := bytes.Clone(stored)
		damaged[at] ^= 0x10
		if err := s.write(t.Context(), "test", 1, func(tx *tx) error {
			return tx.exec("UPDATE records SET body = ? WHERE id = ?", damaged, string(id1))
		}); err != nil {
			t.Fatal(err)
		}
		l := role.RecordListing{Kind: role.RecordSource, IDs: []trilith.ID{id1}}
		if got, err := s.Records(t.Context(), acme, l); err == nil {
			t.Errorf("Records of a body whose byte %d is damaged = %s", at, got[0].Body)
		}
	}
}

func TestShortColumnsAreReadAsTheirTexts(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "x", string(id1), strings.ToUpper("abcdef00-0000-7000-8000-000000000001"),
		"00000000_0000-7000-8000-000000000001", someHash} {
		if got := longText(shortID(id)); got != id {
			t.Errorf("longText(shortID(%q)) = %q", id, got)
		}
		if got := longText(shortValue(role.KeySaid, id)); got != id {
			t.Errorf("longText(shortValue(%q)) = %q", id, got)
		}
	}
	if b, ok := shortID(string(id1)).([]byte); !ok || len(b) != 16 {
		t.Errorf("shortID of an id = %v, want 16 bytes", b)
	}
	if b, ok := shortValue(role.KeySaid, someHash).([]byte); !ok || len(b) != 32 {
		t.Errorf("shortValue of a hash = %v, want 32 bytes", b)
	}
	for _, damaged := range []any{nil, int64(3), []byte("short")} {
		if got := longText(damaged); got != "" {
			t.Errorf("longText(%v) = %q, want nothing", damaged, got)
		}
	}
}

func TestKeysAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+findKeys, pairs([]role.Key{someClaims[2].Key}), "acme")
	if plan := strings.Join(stepsOf(t, rows, err), "\n"); !strings.Contains(plan, "tenant=? AND space=? AND value=?") {
		t.Errorf("keys are looked for with the plan\n%s", plan)
	}
}
