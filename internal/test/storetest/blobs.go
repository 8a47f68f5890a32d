package storetest

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Functions with which a change of blobs reads and writes.
type (
	blobGet = func(space, id string) ([]byte, error)
	blobPut = func(space, id string, data []byte) error
)

// lister is a store of blobs that can list them.
type lister interface {
	role.Blobs
}

var blobCases = []abilityCase{
	ability("blobs/rows", "rows are stored by space, tenant and id; a change of several rows is atomic and leaves nothing in the log", testBlobs),
}

func testBlobs(t *testing.T, f *fixture, s lister) {
	put := func(space, tenant string, rows map[string][]byte) {
		t.Helper()
		if err := s.PutBlobs(t.Context(), space, tenant, maps.All(rows)); err != nil {
			t.Fatalf("PutBlobs(%s, %s) = %v, want nil", space, tenant, err)
		}
	}
	want := func(after, space, tenant string, rows ...string) {
		t.Helper()
		if got := blobs(t, s, space, tenant); !cmp.Equal(got, rows) {
			t.Errorf("Blobs(%s, %s) after %s = %q, want %q", space, tenant, after, got, rows)
		}
	}
	put("vectors", "acme", map[string][]byte{"b": []byte("2"), "a": []byte("1"), "c": nil})
	put("vectors", "acme", map[string][]byte{"b": {0, 255}})
	put("vectors", "beta", map[string][]byte{"a": []byte("theirs")})
	put("texts", "acme", map[string][]byte{"a": []byte("text"), "d": []byte("text")})
	want("puts", "vectors", "acme", "a=1", "b=\x00\xff", "c=")
	want("puts", "vectors", "beta", "a=theirs")
	want("puts", "vectors", "nobody")
	testReadBlobs(t, s)
	if err := s.DeleteBlobs(t.Context(), "vectors", "acme", []string{"c", "unknown"}); err != nil {
		t.Errorf("DeleteBlobs = %v, want nil", err)
	}
	want("DeleteBlobs", "vectors", "acme", "a=1", "b=\x00\xff")
	testChangeBlobs(t, s)
	want("ChangeBlobs", "vectors", "acme", "b=\x00\xff")
	want("ChangeBlobs", "vectors", "beta", "a=theirs")
	want("ChangeBlobs", "texts", "acme", "a=text", "d=", "e=text")
	if spaces, err := s.BlobSpaces(t.Context()); err != nil || !cmp.Equal(spaces, []string{"texts", "vectors"}) {
		t.Errorf("BlobSpaces = %q, %v; want texts and vectors", spaces, err)
	}
	if err := s.DropBlobs(t.Context(), "vectors"); err != nil {
		t.Errorf("DropBlobs = %v, want nil", err)
	}
	want("DropBlobs", "vectors", "beta")
	want("DropBlobs", "texts", "acme", "a=text", "d=", "e=text")
	if err := s.DropBlobs(t.Context(), ""); err != nil {
		t.Errorf("DropBlobs of all = %v, want nil", err)
	}
	want("DropBlobs of all", "texts", "acme")
	if cs, _, err := f.Changes(t.Context(), system, 0, "", 10); err != nil || len(cs) != 0 {
		t.Errorf("Changes after writing derived data = %v, %v; want none", cs, err)
	}
	wantKind(t, "ChangeBlobs without a tenant",
		s.ChangeBlobs(t.Context(), "", func(blobGet, blobPut) error { return nil }), trilith.Invalid)
	wantKind(t, "PutBlobs without a tenant",
		s.PutBlobs(t.Context(), "vectors", "", maps.All(map[string][]byte{"a": nil})), trilith.Invalid)
}

// errStop ends a reading early.
var errStop = errors.New("stop")

// testReadBlobs reads the blobs of testBlobs, and lists their tenants.
func testReadBlobs(t *testing.T, s lister) {
	if err := s.Blobs(t.Context(), "vectors", "acme", func(string, []byte) error { return errStop }); err != errStop {
		t.Errorf("Blobs broken off = %v, want %v", err, errStop)
	}
	var some []string
	if err := s.BlobsOf(t.Context(), "vectors", "acme", []string{"unknown", "c", "a", "d"},
		func(id string, data []byte) error {
			some = append(some, id+"="+string(data))
			return nil
		}); err != nil || !cmp.Equal(some, []string{"a=1", "c="}) {
		t.Errorf("BlobsOf(unknown, c, a, d) = %q, %v; want a and c", some, err)
	}
	if err := s.BlobsOf(t.Context(), "vectors", "acme", []string{"a"},
		func(string, []byte) error { return errStop }); err != errStop {
		t.Errorf("BlobsOf broken off = %v, want %v", err, errStop)
	}
	if ids, err := s.BlobIDs(t.Context(), "texts", "acme"); err != nil || !cmp.Equal(ids, []string{"a", "d"}) {
		t.Errorf("BlobIDs(texts) = %q, %v; want a and d", ids, err)
	}
	tenants, err := s.BlobTenants(t.Context(), "vectors")
	if err != nil || !cmp.Equal(tenants, []string{"acme", "beta"}) {
		t.Errorf("BlobTenants(vectors) = %v, %v; want acme and beta", tenants, err)
	}
}

// testChangeBlobs: the writes and deletions of one change take effect together, in every space; a failed one has no
// effect.
func testChangeBlobs(t *testing.T, s lister) {
	if err := s.ChangeBlobs(t.Context(), "acme", func(get blobGet, put blobPut) error {
		was, err := get("texts", "a")
		if none, e := get("texts", "unknown"); none != nil || e != nil {
			t.Errorf("get of an unknown id = %q, %v; want nil", none, e)
		}
		return errors.Join(err, put("texts", "e", was), put("vectors", "a", nil), put("vectors", "unknown", nil),
			put("texts", "d", []byte{}))
	}); err != nil {
		t.Errorf("ChangeBlobs = %v, want nil", err)
	}
	if err := s.ChangeBlobs(t.Context(), "acme", func(_ blobGet, put blobPut) error {
		return errors.Join(put("texts", "a", []byte("lost")), put("vectors", "b", nil), errStop)
	}); !errors.Is(err, errStop) {
		t.Errorf("ChangeBlobs that fails = %v, want %v", err, errStop)
	}
}

func blobs(t *testing.T, s role.Blobs, space, tenant string) (out []string) {
	t.Helper()
	err := s.Blobs(t.Context(), space, tenant, func(id string, data []byte) error {
		out = append(out, fmt.Sprintf("%s=%s", id, data))
		return nil
	})
	if err != nil {
		t.Errorf("Blobs(%s, %s) = %v, want nil", space, tenant, err)
	}
	return out
}
