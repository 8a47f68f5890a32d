package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// parent is a program that has started the service for itself alone.
type parent struct {
	*service
	said  ready
	cmd   *exec.Cmd
	input io.Closer
}

// key is a transport that sends a key with every request.
type key string

func (k key) RoundTrip(r *http.Request) (*http.Response, error) {
	if k != "" {
		r.Header.Set("Authorization", "Bearer "+string(k))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (s *shell) embed(t *testing.T) *parent {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), built(t), "serve", "--embedded", "--addr", "0.0.0.0:1")
	cmd.Dir, cmd.Env = s.home, s.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &parent{cmd: cmd, input: input}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.said)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("trilith serve --embedded begins with %q: %v: %s", line, err, stderr.String())
	}
	p.service = newService(t, "trilith serves on "+p.said.URL)
	p.client.Transport = key(p.said.Key)
	return p
}

// TestEmbedded: the service of one program says in one line where it is, answers nobody without its key, and ends
// with that program. Two of them work on one file.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	one, two := s.embed(t), s.embed(t)
	if one.said.PID != one.cmd.Process.Pid || one.said.Version == "" || one.said.Key == two.said.Key ||
		!strings.HasPrefix(one.said.URL, "http://127.0.0.1:") {
		t.Errorf("the services say %+v and %+v, want the own address, number, version and a key of each", one.said, two.said)
	}
	var stored, found struct {
		Memories []struct{ ID string }
		Items    []struct{ ID string }
	}
	if status := one.call(t, "/api/v1/memories", `{"text": "The kettle is red."}`, &stored); status != 200 {
		t.Fatalf("POST /memories = %d, want 200", status)
	}
	if status := two.call(t, "/api/v1/memories", "", &found); status != 200 || len(found.Items) != 1 ||
		found.Items[0].ID != stored.Memories[0].ID {
		t.Errorf("GET /memories of the other service = %d %+v, want the memory %+v", status, found, stored)
	}
	if status := two.call(t, "/api/v1/admin?view=doctor", "", nil); status != 200 {
		t.Errorf("GET /admin?view=doctor = %d, want 200: the program owns the file", status)
	}
	for _, secret := range []string{"", one.said.Key, "embedded_"} {
		two.client.Transport = key(secret)
		if status := two.call(t, "/api/v1/memories", "", nil); status != 401 {
			t.Errorf("GET /memories with the key %q = %d, want 401", secret, status)
		}
	}
	for _, p := range []*parent{one, two} {
		if err := p.input.Close(); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("the service ends with %v when standard input has ended, want no error", err)
		}
	}
	s.ok(t, "doctor")
}
