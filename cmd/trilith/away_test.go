package main

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// front is a proxy of a server of PostgreSQL. While code is set it refuses everybody with that SQLSTATE, as a server
// does that starts; then it lets them through.
type front struct {
	code    atomic.Pointer[string]
	refused atomic.Int64
}

// before starts a front and returns the URL of a database through it.
func (f *front) before(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	server := u.Host
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go f.meet(conn, server)
		}
	}()
	u.Host = ln.Addr().String()
	return u.String()
}

func (f *front) meet(conn net.Conn, server string) {
	defer conn.Close()
	if code := f.code.Load(); code != nil {
		f.refused.Add(1)
		var length [4]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(length[:]))-4); err != nil {
			return
		}
		body := "SFATAL\x00VFATAL\x00C" + *code + "\x00Mnot now\x00\x00"
		_, _ = conn.Write(append(binary.BigEndian.AppendUint32([]byte("E"), uint32(len(body)+4)), body...))
		return
	}
	to, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, conn)
		to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

func (f *front) refuse(code string) { f.code.Store(&code) }

// A service that starts while PostgreSQL recovers says that it is not ready, and comes in when the database does.
func TestServeBeforeDatabase(t *testing.T) {
	t.Parallel()
	var f front
	f.refuse("57P03")
	store := f.before(t, pgtest.Database(t))
	s := storedIn(t, store)
	srv, stop := s.serve(t)
	ctx := t.Context()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/api/v1/memories": 503, "/mcp": 503,
		"/nowhere": 503} {
		a, err := srv.ask(ctx, "GET", path, "")
		if err != nil || a.status != want {
			t.Errorf("GET %s while the database starts = %v, %v; want %d", path, a, err, want)
		}
		if want == 503 && (a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "waits for it") ||
			!strings.Contains(string(a.body), `"unavailable"`)) {
			t.Errorf("GET %s while the database starts = %s, want when to repeat and why", path, a)
		}
	}
	f.code.Store(nil)
	for status := 0; status != http.StatusOK; {
		a, err := srv.ask(ctx, "GET", "/readyz", "")
		if err != nil {
			t.Fatal(err)
		}
		if status = a.status; status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Fatalf("GET /readyz = %s, want 503 and then 200", a)
		}
	}
	if _, err := srv.keep(ctx, "k", "The mill stands by the river.", ""); err != nil {
		t.Errorf("remember once the database serves = %v", err)
	}
	if code := stop(); code != 0 {
		t.Errorf("serve ended with %d, want 0", code)
	}
}

// An error that waiting cannot fix ends the service at once, even after it has waited. A service that waits ends when
// it is told to.
func TestServeWithoutDatabase(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"28P01": "refuses the login", "3D000": "no such database"} {
		var f front
		f.refuse(code)
		_, out, got := storedIn(t, f.before(t, "postgres://ana:hunter2@127.0.0.1:1/x?sslmode=disable")).run(
			t.Context(), "serve", "--addr", "127.0.0.1:0")
		if got != 75 || !strings.Contains(out, want) || strings.Contains(out, "hunter2") {
			t.Errorf("serve with %s = %d %q, want 75 and %q", code, got, out, want)
		}
	}
	var f front
	f.refuse("57P03")
	s := storedIn(t, f.before(t, "postgres://ana@127.0.0.1:1/x?sslmode=disable"))
	if _, stop := s.serve(t); stop() != 0 {
		t.Error("serve that was told to end while it waited did not end with 0")
	}
	srv, _ := s.serve(t)
	f.refuse("28P01")
	for up := true; up; { // until it has ended by itself
		_, err := srv.ask(t.Context(), "GET", "/healthz", "")
		up = err == nil
	}
}

func storedIn(t *testing.T, store string) *shell {
	t.Helper()
	s := newShell(t)
	s.env["TRILITH_STORE"], s.env["TRILITH_EMBEDDER"] = store, "none"
	return s
}

// A command waits a while, and says so.
func TestCommandBeforeDatabase(t *testing.T) {
	t.Parallel()
	var f front
	f.refuse("57P03")
	var said strings.Builder
	a := &app{globals: globals{Store: f.before(t, pgtest.Database(t)), Embedder: "none"}, stderr: &said,
		waits: commandWaits}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for f.refused.Load() < 2 && ctx.Err() == nil { // the second attempt has come
		}
		f.code.Store(nil)
	}()
	truth, err := compose.OpenTruth(ctx, *a.composed(), a.Store)
	if err != nil || !strings.Contains(said.String(), "Waiting for it, 10s at most") {
		t.Fatalf("OpenTruth = %v, and it says %q", err, said.String())
	}
	if err := truth.Close(); err != nil {
		t.Error(err)
	}
	f.refuse("57P03")
	a.waits.database = 2 * compose.StorePause
	if _, err := compose.OpenTruth(ctx, *a.composed(), a.Store); err == nil ||
		!strings.Contains(err.Error(), "does not answer now") {
		t.Errorf("OpenTruth of a database that stays away = %v, want that it does not answer", err)
	}
}
