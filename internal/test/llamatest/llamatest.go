// Package llamatest starts a real llama-server for a test, with a model that the test writes itself. So drivers for
// servers with OpenAI's API are tested against an independent implementation, without a download and without a key.
//
// llama-server is part of llama.cpp (Debian: llama.cpp-tools). Without it tests are skipped with a message, unless
// TRILITH_REQUIRE names llama: then they fail.
package llamatest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is the name that the server knows its model by.
const Model = "toy"

// Program is the name that is looked for in PATH.
const Program = "llama-server"

// startTimeout is how long a server may take to start. It reads a model of a megabyte, which takes long on a busy
// machine.
const startTimeout = 2 * time.Minute

// Options of a server; the zero value is one for chat that anybody on this machine may ask.
type Options struct {
	Embeddings bool   // for embeddings and nothing else, as the program wants it
	Key        string // the bearer token that callers have to send; empty: nothing
}

// Server is a llama-server on loopback.
type Server struct {
	URL string // without a path: http://127.0.0.1:PORT
}

// Start starts a server and waits until it answers. It ends with the test.
func Start(t testing.TB, getenv func(string) string, o Options) *Server {
	t.Helper()
	program, err := exec.LookPath(Program)
	if err != nil {
		if slices.Contains(strings.Split(getenv("TRILITH_REQUIRE"), ","), "llama") {
			t.Fatalf("TRILITH_REQUIRE names llama, and there is no %s: %v", Program, err)
		}
		t.Skipf("NOT TESTED against a real server: there is no %s in PATH (Debian: apt-get install llama.cpp-tools)",
			Program)
	}
	model := filepath.Join(t.TempDir(), Model+".gguf")
	if err := os.WriteFile(model, toy(), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	args := []string{"--model", model, "--alias", Model, "--host", "127.0.0.1", "--port",
		strconv.Itoa(port), "--offline",
		"--ctx-size", strconv.Itoa(window), "--threads", "1", "--no-warmup"}
	if o.Embeddings {
		args = append(args, "--embeddings", "--pooling", "mean")
	}
	if o.Key != "" {
		args = append(args, "--api-key", o.Key)
	}
	var said tail
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", Program, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		if t.Failed() {
			t.Logf("%s said last:\n%s", Program, said.String())
		}
	})
	s := &Server{URL: fmt.Sprintf("http://127.0.0.1:%d", port)}
	if err := s.await(t.Context(), ended); err != nil {
		t.Fatalf("%s does not begin: %v", Program, err)
	}
	return s
}

// await asks until the server says that it is ready.
func (s *Server) await(ctx context.Context, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if s.ready(ctx) {
			return nil
		}
		select {
		case err := <-ended:
			ended <- err // for a goroutine that waits for the end
			return fmt.Errorf("it ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}

func (s *Server) ready(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/health", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode == http.StatusOK
}

// freePort returns a port of loopback that was free a moment ago.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// tail keeps the last that a program said.
type tail struct {
	mu   sync.Mutex
	said []byte
}

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, p...)
	w.said = w.said[max(0, len(w.said)-4000):]
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.said)
}
