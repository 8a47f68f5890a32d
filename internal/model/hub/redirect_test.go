package hub_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/test/hubtest"
)

// abroad is a transport in whose world the hub is https://hub.example and sends its files from elsewhere.
type abroad struct {
	hub       *hubtest.Hub
	elsewhere string // scheme and host
	tokens    map[string]string
}

func (a *abroad) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.URL.Scheme + "://" + r.URL.Host
	a.tokens[at] = r.Header.Get("Authorization")
	to, err := url.Parse(map[bool]string{true: a.hub.CDN(), false: a.hub.URL}[at == a.elsewhere])
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Location", "Link"} {
		v := strings.ReplaceAll(res.Header.Get(name), a.hub.CDN(), a.elsewhere)
		res.Header.Set(name, strings.ReplaceAll(v, a.hub.URL, "https://hub.example"))
	}
	return res, nil
}

// A file may come from any host over a safe connection. Only the hub gets the token, not even a host below it.
func TestWhereFilesComeFrom(t *testing.T) {
	t.Parallel()
	for elsewhere, ok := range map[string]bool{"https://cdn.hub.example": true, "https://elsewhere.example": true,
		"http://cdn.hub.example": false, "http://127.0.0.1:1": false} {
		h := hubtest.Start(weightBytes)
		t.Cleanup(h.Close)
		world := &abroad{hub: h, elsewhere: elsewhere, tokens: map[string]string{}}
		c, err := hub.NewClient(hub.Options{Address: "https://hub.example", Token: "hf_secret", Transport: world})
		if err != nil {
			t.Fatal(err)
		}
		p := &hub.Puller{Dir: filepath.Join(t.TempDir(), "models")}
		_, _, err = pull(t.Context(), c, p, "", "")
		if ok && err != nil {
			t.Errorf("files from %s: %v", elsewhere, err)
		}
		token, asked := world.tokens[elsewhere]
		if !ok {
			refused(t, err, trilith.Unavailable, "which is not safe")
			nothingLoads(t, p)
		}
		if asked != ok || token != "" || world.tokens["https://hub.example"] != "Bearer hf_secret" {
			t.Errorf("%s was asked: %t, with the token %q; want %t, without", elsewhere, asked, token, ok)
		}
	}
}
