//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// replica is a service that shares its memory with others: a process of its own, at an address that it keeps when it is
// restarted.
type replica struct {
	*service
	addr string
	cmd  *exec.Cmd
	log  bytes.Buffer // what it complained of; to be read when it has ended
}

// replica starts a service. It ends with the test.
func (s *shell) replica(t testing.TB, addr string) *replica {
	t.Helper()
	r := &replica{addr: addr, cmd: exec.Command(built(t), "serve", "--addr", addr)}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = s.home, s.environ(), &r.log
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.end(t, os.Kill) })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		_ = r.cmd.Wait()
		t.Fatalf("trilith serve said nothing: %v: %s", err, r.log.String())
	}
	go io.Copy(io.Discard, lines)
	r.service = newService(t, line)
	return r
}

// end sends the process a signal and waits until it has ended. It does nothing if the process has ended before.
func (r *replica) end(t testing.TB, how os.Signal) {
	t.Helper()
	if r.cmd.ProcessState != nil {
		return
	}
	if err := r.cmd.Process.Signal(how); err != nil {
		t.Errorf("ending %s: %v", r.addr, err)
	}
	if err := r.cmd.Wait(); err != nil && how != os.Kill {
		t.Errorf("%s ended with %v: %s", r.addr, err, r.log.String())
	}
}

// fleet is services on one database, and a balancer before them.
type fleet struct {
	*shell
	each     []*replica
	front    *service
	balancer *balancer
}

// newFleet returns a fleet without services yet.
func newFleet(t testing.TB, database string) *fleet {
	t.Helper()
	f := &fleet{shell: newShell(t), balancer: &balancer{}}
	f.env["TRILITH_STORE"] = database
	front := httptest.NewServer(f.balancer)
	t.Cleanup(front.Close)
	t.Cleanup(f.balancer.transport.CloseIdleConnections)
	f.front = newService(t, "trilith serves a fleet on "+front.URL)
	return f
}

// join adds services, with the settings that the shell has now. Nobody may use the balancer meanwhile.
func (f *fleet) join(t testing.TB, services int) {
	t.Helper()
	for range services {
		r := f.replica(t, freeAddr(t))
		f.each = append(f.each, r)
		f.balancer.addrs = append(f.balancer.addrs, r.addr)
	}
}

// freeAddr returns an address of loopback that nobody listened on a moment ago.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// balancer hands requests to services in turn, and to the next one where a service refuses the connection or breaks it
// before it has answered. Callers send only requests that may be repeated.
type balancer struct {
	addrs     []string
	turn      atomic.Uint64
	transport http.Transport
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	first := int(b.turn.Add(1) % uint64(len(b.addrs)))
	for i := range b.addrs {
		out := r.Clone(r.Context())
		out.URL.Scheme, out.URL.Host, out.RequestURI = "http", b.addrs[(first+i)%len(b.addrs)], ""
		out.Body = io.NopCloser(bytes.NewReader(body))
		res, failed := b.transport.RoundTrip(out)
		if err = failed; err != nil {
			continue
		}
		defer res.Body.Close()
		for name, values := range res.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(res.StatusCode)
		_, _ = io.Copy(w, res.Body) // an answer that is cut off is the client's to notice
		return
	}
	http.Error(w, err.Error(), http.StatusBadGateway)
}

// finds sees to it that the first hit of a question is a text.
func (c *service) finds(ctx context.Context, query, want, more string) error {
	var res trilith.RecallResult
	a, err := c.ask(ctx, "POST", "/api/v1/search", fmt.Sprintf(`{"query": %q, "user": "ana", "k": 3%s}`, query, more))
	if err == nil {
		err = a.decode(&res)
	}
	if err == nil && (len(res.Hits) == 0 || res.Hits[0].Memory.Text != want) {
		err = fmt.Errorf("a search for %q answers %s, want %q first", query, a, want)
	}
	return err
}

// listed lists the stored memories of a kind, in any state: the ids of each text.
func (c *service) listed(t testing.TB, kind string) map[string][]trilith.ID {
	t.Helper()
	ids := map[string][]trilith.ID{}
	query := url.Values{"limit": {"1000"}, "states": {"active,superseded"},
		"filter": {fmt.Sprintf(`{"kind": %q}`, kind)}}
	for {
		var page trilith.Page
		if status := c.call(t, "/api/v1/memories?"+query.Encode(), "", &page); status != http.StatusOK {
			t.Fatalf("GET /memories = %d", status)
		}
		for _, m := range page.Items {
			ids[m.Text] = append(ids[m.Text], m.ID)
		}
		if page.NextCursor == "" {
			return ids
		}
		query.Set("cursor", page.NextCursor)
	}
}

// newKey is the answer of the service to a request for a key.
type newKey struct {
	Key    trilith.APIKey
	Secret string
}

// TestReplicas: three services on one database are one memory, at once.
func TestReplicas(t *testing.T) {
	t.Parallel()
	f := newFleet(t, pgtest.Database(t, "vector"))
	f.join(t, 3)
	ctx := t.Context()

	t.Run("one key at once is one memory", func(t *testing.T) {
		for n := range 20 {
			var g errgroup.Group
			ids := make([]trilith.ID, len(f.each))
			for i, r := range f.each {
				g.Go(func() error {
					res, err := r.keep(ctx, fmt.Sprintf("same-%d", n), fmt.Sprintf("Drawer d%d holds spoons.", n), "")
					if err == nil {
						ids[i] = res.Memories[0].ID
					}
					return err
				})
			}
			if err := g.Wait(); err != nil {
				t.Fatalf("key %d: %v", n, err)
			}
			if ids[0] != ids[1] || ids[1] != ids[2] {
				t.Errorf("key %d made the memories %v", n, ids)
			}
		}
		for text, ids := range f.front.listed(t, "episode") {
			if len(ids) != 1 {
				t.Errorf("%q is stored as %v", text, ids)
			}
		}
	})
	t.Run("what is written is found by the next", func(t *testing.T) {
		for n := range 30 {
			text := fmt.Sprintf("Shelf s%d carries %d jars of plums.", n, n)
			if _, err := f.front.keep(ctx, fmt.Sprintf("text-%d", n), text, ""); err != nil {
				t.Fatal(err)
			}
			if err := f.front.finds(ctx, fmt.Sprintf("What is on shelf s%d?", n), text, ""); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("vectors are found by the next once they are there", func(t *testing.T) {
		for n, word := range []string{"accommodation", "parliament", "restaurant", "maintenance", "millennium",
			"questionnaire"} {
			text := fmt.Sprintf("The %s opens in the spring.", word)
			res, err := f.front.keep(ctx, fmt.Sprintf("vector-%d", n), text, `, "wait": "indexed"`)
			if err != nil || !res.Indexed {
				t.Fatalf("remember %q = indexed %t, %v", text, res.Indexed, err)
			}
			if err := f.front.finds(ctx, word+" in the spring", text, `, "arms": ["dense"]`); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("what is forgotten is gone for all", func(t *testing.T) {
		for n := range 10 {
			text := fmt.Sprintf("The spare key k%d lies under the mat.", n)
			res, err := f.front.keep(ctx, fmt.Sprintf("gone-%d", n), text, "")
			if err != nil {
				t.Fatal(err)
			}
			if a, err := f.front.ask(ctx, "DELETE", "/api/v1/memories/"+string(res.Memories[0].ID), ""); err != nil ||
				a.status != http.StatusOK {
				t.Fatalf("DELETE = %v, %v", a, err)
			}
			for _, r := range f.each {
				if err := r.finds(ctx, fmt.Sprintf("spare key k%d", n), text, ""); err == nil {
					t.Errorf("%s still finds %q", r.addr, text)
				}
			}
		}
	})
	t.Run("a key counts and ends everywhere at once", func(t *testing.T) {
		var admin newKey
		if status := f.each[0].call(t, "/api/v1/admin/keys", `{"name": "admin", "access": "admin"}`,
			&admin); status != http.StatusOK {
			t.Fatalf("POST /admin/keys = %d", status)
		}
		bearer := func(secret string) []string { return []string{"Authorization", "Bearer " + secret} }
		for i, r := range f.each {
			if a, err := r.ask(ctx, "GET", "/api/v1/memories", ""); err != nil || a.status != http.StatusUnauthorized {
				t.Errorf("%d without a key, after the first was made elsewhere: %v, %v, want 401", i, a, err)
			}
			var key newKey
			a, err := r.ask(ctx, "POST", "/api/v1/admin/keys", `{"name": "phone", "access": "reader"}`,
				bearer(admin.Secret)...)
			if err == nil {
				err = a.decode(&key)
			}
			if err != nil {
				t.Fatal(err)
			}
			read := func(want int) {
				t.Helper()
				for j, other := range f.each {
					if a, err := other.ask(ctx, "GET", "/api/v1/memories?limit=1", "",
						bearer(key.Secret)...); err != nil || a.status != want {
						t.Errorf("%d with a key of %d: %v, %v, want %d", j, i, a.status, err, want)
					}
				}
			}
			read(http.StatusOK)
			a, err = f.each[(i+1)%len(f.each)].ask(ctx, "DELETE", "/api/v1/admin/keys/"+string(key.Key.ID), "",
				bearer(admin.Secret)...)
			if err != nil || a.status != http.StatusOK {
				t.Fatalf("DELETE /admin/keys = %v, %v", a, err)
			}
			read(http.StatusUnauthorized)
		}
	})
	for _, r := range f.each {
		if r.end(t, syscall.SIGTERM); r.log.Len() > 0 {
			t.Errorf("%s complains:\n%s", r.addr, r.log.String())
		}
	}
}

// TestRollingRestart: while services are replaced one by one, no request fails, and nothing is lost.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	const writers = 4
	f := newFleet(t, pgtest.Database(t, "vector"))
	f.join(t, 3)
	acks, stop := make(chan struct{}), make(chan struct{})
	g, ctx := errgroup.WithContext(t.Context())
	stored := make([]int, writers)
	for w := range writers {
		g.Go(func() error {
			for n := 1; ; n++ {
				text := fmt.Sprintf("Barrel b%dn%d holds %d litres.", w, n, n)
				if _, err := f.front.keep(ctx, fmt.Sprintf("b%dn%d", w, n), text, ""); err != nil {
					return err
				}
				stored[w] = n
				if err := f.front.finds(ctx, fmt.Sprintf("What does barrel b%dn%d hold?", w, n), text, ""); err != nil {
					return err
				}
				select {
				case acks <- struct{}{}:
				case <-stop:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		})
	}
	under := func(load int) { // lets that many writes and searches through
		for range load {
			select {
			case <-acks:
			case <-ctx.Done():
				t.Fatal(g.Wait())
			}
		}
	}
	for i, r := range f.each {
		under(20)
		r.end(t, syscall.SIGTERM)
		under(20)
		f.each[i] = f.replica(t, r.addr)
	}
	under(20)
	close(stop)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	ids := f.front.listed(t, "episode")
	for w, last := range stored {
		for n := 1; n <= last; n++ {
			if text := fmt.Sprintf("Barrel b%dn%d holds %d litres.", w, n, n); len(ids[text]) != 1 {
				t.Errorf("%q was acknowledged and is stored as %v", text, ids[text])
			}
		}
	}
}
