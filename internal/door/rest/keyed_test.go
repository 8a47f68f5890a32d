package rest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestByKey puts, reads, lists and deletes under keys over the wire; a key may hold what a path may not.
func TestByKey(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c, s := client.New(srv.URL), trilith.Scope{User: "ana"}
	for _, key := range []string{"history", "notes/roof?.md", "../etc", "ü ö", "%2F"} {
		m, err := c.PutEntry(t.Context(), s, key, trilith.PutRequest{Entry: trilith.Entry{Content: "First."}})
		if err != nil || m.ExternalID != key {
			t.Fatalf("PutEntry(%q) = %q, %v", key, m.ExternalID, err)
		}
		if _, err := c.PutEntry(t.Context(), s, key, trilith.PutRequest{
			Entry: trilith.Entry{Content: "Second."}, Version: m.Version}); err != nil {
			t.Errorf("PutEntry(%q) with its version = %v", key, err)
		}
		if got, err := c.EntryByKey(t.Context(), s, key); err != nil || got.ID != m.ID || got.Text != "Second." {
			t.Errorf("EntryByKey(%q) = %s %q, %v; want %s with the second value", key, got.ID, got.Text, err, m.ID)
		}
	}
	page, err := c.KeyedEntries(t.Context(), s, trilith.KeyedRequest{Prefix: "notes/", Limit: 1})
	if err != nil || len(page.Items) != 1 || page.Items[0].ExternalID != "notes/roof?.md" {
		t.Errorf("KeyedEntries = %+v, %v; want the note", page, err)
	}
	if res, err := c.DeleteByKey(t.Context(), s, "ü ö", trilith.KeyedDelete{}); err != nil || len(res.IDs) != 1 {
		t.Errorf("ForgetByKey = %+v, %v; want one forgotten", res, err)
	}
	_, err = c.EntryByKey(t.Context(), s, "ü ö")
	if trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("EntryByKey of what was forgotten = %v, want not found", err)
	}
	out, err := c.DeleteByKey(t.Context(), s, "ü ö", trilith.KeyedDelete{Erase: true})
	if err != nil || out.Receipt.Memories == 0 {
		t.Errorf("DeleteByKey with erase = %+v, %v; want a receipt", out, err)
	}
	_, err = c.PutEntry(t.Context(), s, "", trilith.PutRequest{Entry: trilith.Entry{Content: "x"}})
	if trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("PutEntry without a key = %v, want invalid", err)
	}
}

// TestByKeyRefuses: an unknown operation below by-key and a wrong method give different errors, and a writer may not
// erase.
func TestByKeyRefuses(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for path, want := range map[string]int{"/api/v1/memories/by-key/a": 405, "/api/v1/memories/by-key/a/b": 404,
		"/api/v1/memories/by-keys": 405} {
		if got := e.do("POST", path, `{}`); got.status != want {
			t.Errorf("POST %s = %d, want %d: %s", path, got.status, want, got.body)
		}
	}
}
