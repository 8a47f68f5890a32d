package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/proxy"
	"github.com/trilith-memory/trilith/memory"
)

// allow is a guard that lets everybody in.
type allow struct{}

func (allow) Admit(http.ResponseWriter, *http.Request, trilith.Access) (trilith.Identity, error) {
	return trilith.Identity{Tenant: "default"}, nil
}

func (allow) Failure(*http.Request, error) (int, string) { return http.StatusInternalServerError, "" }

// BenchmarkFirstByte is the time of a short answer, straight and through the proxy with 10,000 memories of one user in
// a file, with the default embedder. Each exchange is stored meanwhile.
func BenchmarkFirstByte(b *testing.B) {
	m, err := memory.Open(b.Context(), memory.Options{Store: "sqlite:" + filepath.Join(b.TempDir(), "bench.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	for i := range 10 {
		var turns []trilith.Message
		for j := range 1000 {
			turns = append(turns,
				trilith.Message{Content: fmt.Sprintf("Delivery %d of slate for roof %d came by lorry.", j, i)})
		}
		if _, err := m.Remember(b.Context(), trilith.Scope{User: "ana"},
			trilith.RememberRequest{Messages: turns, Extract: trilith.ExtractNone, Wait: trilith.WaitIndexed}); err != nil {
			b.Fatal(err)
		}
	}
	up := httptest.NewServer(says("application/json", chatAnswer))
	b.Cleanup(up.Close)
	at, err := url.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	p := proxy.New(proxy.Config{Upstream: at, Memory: m}, allow{})
	between := httptest.NewServer(p)
	b.Cleanup(func() {
		between.Close()
		p.Close()
	})
	for _, way := range []struct{ name, url string }{{"straight", up.URL}, {"proxy", between.URL}} {
		b.Run(way.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				body := fmt.Sprintf(`{"user":"ana","messages":[{"role":"user","content":"Which delivery came for roof %d?"}]}`, n)
				res, err := http.Post(way.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
}
