package words_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
)

// TestDeriveIDIsStable: these values are stored in databases of users. A change here is a change of every derived id.
func TestDeriveIDIsStable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parts []string
		want  trilith.ID
	}{
		{nil, "66402466-47ac-5f1f-818e-c1ad98bc6624"},
		{[]string{""}, "5f414edb-afa2-5f5f-83fe-0b5f1d2dfb02"},
		{[]string{"default", "memory"}, "80d12fba-c720-5679-9d86-778923c37e58"},
		{[]string{"default", "Ana lives in Bergen. 山"}, "482cb18c-edcf-54ab-bb64-133f20a8f928"},
	} {
		got := trilith.DeriveID(c.parts...)
		if got != c.want {
			t.Errorf("DeriveID(%q) = %q, want %q", c.parts, got, c.want)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("DeriveID(%q).Validate() = %v", c.parts, err)
		}
		if got[14] != '5' || !strings.ContainsRune("89ab", rune(got[19])) {
			t.Errorf("DeriveID(%q) = %s, want version 5 and the RFC 9562 variant", c.parts, got)
		}
	}
}

// TestDeriveIDKeepsPartsApart: the same letters cut at another place are other parts.
func TestDeriveIDKeepsPartsApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringN(0, 6, -1), 0, 4)
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if rapid.Bool().Draw(t, "recut") && len(a) > 0 {
			all := strings.Join(a, "")
			cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
			b = []string{all[:cut], all[cut:]}
		}
		if same := trilith.DeriveID(a...) == trilith.DeriveID(b...); same != slices.Equal(a, b) {
			t.Fatalf("DeriveID(%q) and DeriveID(%q): equal ids %v, want equal parts and equal ids to agree", a, b, same)
		}
	})
}

func TestNewID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	seen := make(map[trilith.ID]bool)
	last := trilith.ID("")
	for range 100 {
		id := trilith.NewID(at)
		if err := id.Validate(); err != nil || id[14] != '7' || seen[id] {
			t.Fatalf("NewID(%v) = %s (valid: %v, seen before: %v), want a fresh UUIDv7", at, id, err, seen[id])
		}
		if id <= last {
			t.Fatalf("NewID(%v) = %s sorts before %s of an earlier millisecond", at, id, last)
		}
		seen[id], last = true, id
		at = at.Add(time.Millisecond)
	}
	if got, want := string(trilith.NewID(time.UnixMilli(0x0123456789ab)))[:13], "01234567-89ab"; got != want {
		t.Errorf("NewID begins with %s, want the milliseconds %s", got, want)
	}
}

func TestIDValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		id   trilith.ID
		ok   bool
	}{
		{"canonical", "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4", true},
		{"empty", "", false},
		{"upper case", "7C41CA18-9A1E-5B0D-8F63-3D205E0B71A4", false},
		{"without hyphens", "7c41ca189a1e5b0d8f633d205e0b71a4", false},
		{"hyphen at the wrong place", "7c41ca1-89a1e-5b0d-8f63-3d205e0b71a4", false},
		{"one short", "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a", false},
		{"one long", "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a44", false},
		{"not hexadecimal", "7c41ca18-9a1e-5b0d-8f63-3d205e0b71ag", false},
		{"braces", "{7c41ca18-9a1e-5b0d-8f63-3d205e0b71}", false},
	} {
		err := c.id.Validate()
		if (err == nil) != c.ok {
			t.Errorf("ID(%s: %q).Validate() = %v, want ok %v", c.name, c.id, err, c.ok)
		}
		if err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("ID(%q).Validate() has kind %v, want %v", c.id, trilith.KindOf(err), trilith.Invalid)
		}
	}
}

// TestIDInCapitals: a UUID in capitals is the same id wherever text is read; other text is not changed.
func TestIDInCapitals(t *testing.T) {
	t.Parallel()
	id := trilith.DeriveID("heron")
	shout := strings.ToUpper(string(id))
	if got := trilith.IDOf(shout); got != id {
		t.Errorf("IDOf(%s) = %s", shout, got)
	}
	if got := trilith.IDOf("Heron-7"); got != "Heron-7" {
		t.Errorf("IDOf(Heron-7) = %s", got)
	}
	var r trilith.ForgetRequest
	if err := json.Unmarshal([]byte(`{"ids":["`+shout+`"],"filter":{"source_id":"`+shout+`"}}`), &r); err != nil ||
		len(r.IDs) != 1 || r.IDs[0] != id {
		t.Errorf("Unmarshal = %+v, %v", r, err)
	}
	match, err := r.Filter.Compile()
	if err != nil || !match(&trilith.Facets{SourceID: id}) {
		t.Errorf("the filter %+v does not accept %s (%v)", r.Filter, id, err)
	}
	match, err = trilith.Where("session", trilith.OpEq, shout).Compile()
	if err != nil || match(&trilith.Facets{Scope: trilith.Scope{Session: string(id)}}) {
		t.Errorf("a session in capitals is another session (%v)", err)
	}
}
