package alerts_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/alerts"
)

const secret = "0123456789abcdef"

func at() time.Time { return time.Unix(1_700_000_000, 0) }

func TestSend(t *testing.T) {
	t.Parallel()
	id := trilith.DeriveID("an alert")
	var seen *http.Request
	var body string
	answer := http.StatusNoContent
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		seen, body = r, string(data)
		if r.URL.Path == "/elsewhere" {
			t.Error("a redirect was followed")
		}
		if answer >= 300 && answer < 400 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(answer)
	}))
	defer srv.Close()
	h, err := alerts.NewWebhook("site", srv.URL+"/in?token=hidden", secret, at)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Send(t.Context(), id, []byte(`{"a": 1}`)); err != nil {
		t.Fatal(err)
	}
	// printf '1700000000.{"a": 1}' | openssl dgst -sha256 -hmac 0123456789abcdef
	const want = "t=1700000000,v1=09f4bb04e8cba11aeb0d90ffdd73e38a83be1c59cd0408c683d80645ea8dd3d1"
	if got := seen.Header.Get(alerts.HeaderSignature); got != want {
		t.Errorf("signature = %s, want %s", got, want)
	}
	if body != `{"a": 1}` || seen.Header.Get(alerts.HeaderID) != string(id) || seen.Method != http.MethodPost {
		t.Errorf("received %s %q under %q", seen.Method, body, seen.Header.Get(alerts.HeaderID))
	}
	for _, answer = range []int{302, 400, 404, 500} {
		err := h.Send(t.Context(), id, nil)
		if trilith.KindOf(err) != trilith.Unavailable || strings.Contains(err.Error(), "hidden") {
			t.Errorf("Send to a receiver that answers %d = %v; want unavailable, without the address", answer, err)
		}
	}
	srv.Close()
	if err := h.Send(t.Context(), id, nil); trilith.KindOf(err) != trilith.Unavailable ||
		strings.Contains(err.Error(), "hidden") {
		t.Errorf("Send to nobody = %v; want unavailable, without the address", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "example.com", "http://example.com/in", "ftp://example.com", "https://a:b@example.com",
		"https://", "http://127.0.0.1.example.com"} {
		if _, err := alerts.NewWebhook("site", address, secret, at); trilith.KindOf(err) != trilith.Invalid || err == nil {
			t.Errorf("New(%q) = %v, want invalid", address, err)
		}
	}
	if _, err := alerts.NewWebhook("site", "https://example.com/", "short", at); err == nil {
		t.Error("a short secret was taken")
	}
}
