package rest_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// The client and the service agree about files. A browser saves a file and does not show it, and a file of an
// unsupported kind is refused.
func TestMedia(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c, ana := client.New(srv.URL), trilith.Scope{User: "ana"}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	m, err := c.PutMedia(t.Context(), ana, trilith.NewMedia{Name: "Größe 1.png", Type: "image/png", Data: b.Bytes()})
	if err != nil || !m.New || m.Type != "image/png" || m.State != trilith.MediaUnread || m.Scope.User != "ana" {
		t.Fatalf("PutMedia = %+v, %v", m, err)
	}
	page, err := c.Media(t.Context(), ana, trilith.MediaQuery{Unread: true})
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != m.ID {
		t.Errorf("Media = %+v, %v, want the file", page, err)
	}
	f, err := c.MediaFile(t.Context(), ana, m.ID)
	if err != nil || !bytes.Equal(f.Data, b.Bytes()) || f.Name != "Größe 1.png" {
		t.Errorf("MediaFile = %+v, %v, want what was sent", f.Media, err)
	}
	res, err := http.Get(srv.URL + "/api/v1/media/" + string(m.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Equal(body, b.Bytes()) {
		t.Errorf("GET /media/{id} = %d bytes, %v", len(body), err)
	}
	for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Content-Disposition":     "attachment; filename*=utf-8''Gr%C3%B6%C3%9Fe%201.png",
		"Content-Security-Policy": "default-src 'none'; sandbox"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("GET /media/{id}: %s is %q, want %q", name, got, want)
		}
	}
	if _, err := c.MediaFile(t.Context(), trilith.Scope{User: "ben"}, m.ID); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("MediaFile of another = %v, want NotFound", err)
	}
	for name, bad := range map[string]trilith.NewMedia{"svg": {Type: "image/svg+xml", Data: []byte("<svg/>")},
		"nothing": {}, "another type": {Type: "audio/mpeg", Data: b.Bytes()}} {
		if _, err := c.PutMedia(t.Context(), ana, bad); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("PutMedia of %s = %v, want Invalid", name, err)
		}
	}
	huge, err := http.Post(srv.URL+"/api/v1/media", "image/png",
		io.LimitReader(strings.NewReader(strings.Repeat("x", trilith.MaxMediaBytes+1)), 100<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Body.Close()
	if huge.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("POST /media of too much = %s, want 413", huge.Status)
	}
	receipt, err := c.Erase(t.Context(), ana, trilith.EraseRequest{Media: []trilith.ID{m.ID}})
	if err != nil || receipt.Media != 1 {
		t.Errorf("Erase = %+v, %v, want the file", receipt, err)
	}
	if _, err := c.PutMedia(t.Context(), ana, trilith.NewMedia{Data: b.Bytes()}); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("PutMedia of what was erased = %v, want Conflict", err)
	}
}
