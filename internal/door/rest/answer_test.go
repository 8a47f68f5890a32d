package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// pipes is a listener whose connections have no buffer between their ends: what is sent waits until it is read.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	end   func()
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.end(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// standing serves the edge through pipes.
func standing(t *testing.T, h http.Handler) *pipes {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	p.end = sync.OnceFunc(func() { close(p.done) })
	srv := &http.Server{Handler: h}
	t.Cleanup(func() { srv.Close() })
	go srv.Serve(p)
	return p
}

// ask sends a request and reads no more of the answer than its head.
func (p *pipes) ask(t *testing.T, target string) *http.Response {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close() })
	p.conns <- far
	if _, err := fmt.Fprintf(near, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(near, 16), nil)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return resp
}

// fill stores n notes of 200 kB.
func fill(t *testing.T, e *edge, n int) {
	t.Helper()
	for i := range n {
		note := &trilith.Note{Content: fmt.Sprintf("Number %d: %s.", i, strings.Repeat("a word ", 30_000))}
		if _, err := e.engine.Remember(t.Context(), trilith.Scope{Tenant: rest.LocalTenant},
			trilith.RememberRequest{Note: note}); err != nil {
			t.Fatal(err)
		}
	}
}

// Time stands still in these tests until everybody waits.

func TestReadersWhoDoNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := open(t, rest.Config{Local: true})
		fill(t, e, 24)
		p := standing(t, e)
		for target, most := range map[string]int{"/api/v1/memories?limit=1000": 4, "/api/v1/export": 4} {
			var held []*http.Response
			size, refused := int64(0), 0
			for range 50 {
				resp := p.ask(t, target)
				switch {
				case resp.StatusCode == 200:
					held, size = append(held, resp), size+max(0, resp.ContentLength)
				case resp.StatusCode == 503 && resp.Header.Get("Retry-After") != "":
					refused++
				default:
					t.Fatalf("%s = %d, Retry-After %q", target, resp.StatusCode, resp.Header.Get("Retry-After"))
				}
			}
			if len(held) == 0 || len(held) > most || size > 12<<20 || refused != 50-len(held) {
				t.Errorf("%s: of 50 readers who do not read %d hold %d bytes, want at most %d and 12 MiB", target,
					len(held), size, most)
			}
			if resp := p.ask(t, "/readyz"); resp.StatusCode != 200 {
				t.Errorf("a small answer beside them = %d, want 200", resp.StatusCode)
			}
			if n, err := io.Copy(io.Discard, held[0].Body); err != nil || n < 3<<20 {
				t.Errorf("%s: who reads after all, in time, gets %d bytes, %v", target, n, err)
			}
			synctest.Wait()
			if resp := p.ask(t, target); resp.StatusCode != 200 {
				t.Errorf("%s after another was read = %d, want 200", target, resp.StatusCode)
			}
			<-time.After(2 * rest.DefaultTimeout)
			for _, resp := range held[1:] {
				if n, err := io.Copy(io.Discard, resp.Body); err == nil {
					t.Errorf("%s: who did not read in time gets the whole, %d bytes", target, n)
				}
			}
		}
	})
}

func TestEveryAnswerHasADeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := open(t, rest.Config{Local: true})
		fill(t, e, 3)
		p := standing(t, e)
		for _, target := range []string{"/api/v1/memories", "/api/v1/export", "/openapi.json", "/docs", "/metrics",
			"/readyz", "/nowhere"} {
			resp := p.ask(t, target)
			<-time.After(rest.DefaultTimeout + time.Second)
			if n, err := io.Copy(io.Discard, resp.Body); err == nil {
				t.Errorf("%s was read to its end, %d bytes, after its deadline", target, n)
			}
		}
		resp, size := p.ask(t, "/api/v1/export"), int64(0)
		for begun := time.Now(); ; { // slowly, but it is read
			<-time.After(rest.DefaultTimeout / 4)
			n, err := io.CopyN(io.Discard, resp.Body, 32<<10)
			if size += n; err == io.EOF && time.Since(begun) > 3*rest.DefaultTimeout {
				break
			}
			if err != nil {
				t.Fatalf("an export that is read slowly ends after %d bytes and %v: %v", size, time.Since(begun), err)
			}
		}
	})
}
