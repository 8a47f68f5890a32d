package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/compose"
)

// closedDoor refuses every request and notes it.
type closedDoor struct{ t testing.TB }

func (d closedDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	d.t.Errorf("a request left for %s", r.URL.Host)
	return nil, errors.New("no network")
}

// TestNothingLeavesTheMachine: without settings the program contacts nobody, even with keys of providers in the
// environment: no request over HTTP, no look-up of a name. The test replaces global state and so runs alone.
func TestNothingLeavesTheMachine(t *testing.T) {
	transport, client, resolver := http.DefaultTransport, http.DefaultClient, net.DefaultResolver
	t.Cleanup(func() { http.DefaultTransport, http.DefaultClient, net.DefaultResolver = transport, client, resolver })
	http.DefaultTransport = closedDoor{t}
	http.DefaultClient = &http.Client{Transport: closedDoor{t}}
	net.DefaultResolver = &net.Resolver{PreferGo: true, StrictErrors: true,
		Dial: func(_ context.Context, network, address string) (net.Conn, error) {
			t.Errorf("a name was looked up over %s at %s", network, address)
			return nil, errors.New("no network")
		}}
	s := newShell(t)
	for _, name := range compose.Outside {
		s.env[name] = "provider.example"
	}
	s.ok(t, "demo")
	s.ok(t, "remember", "See https://example.com/plan and write to ana@example.com.", "--user", "ana")
	if out := s.ok(t, "recall", "ana@example.com", "--user", "ana"); !strings.Contains(out, "example.com/plan") {
		t.Errorf("recall = %q, want what was remembered", out)
	}
	s.ok(t, "reindex")
	s.ok(t, "model", "list")
	s.ok(t, "doctor")
}

// TestDemoWithoutNetwork runs the built program where there is no network at all, not even a loopback that is up.
func TestDemoWithoutNetwork(t *testing.T) {
	t.Parallel()
	if err := exec.CommandContext(t.Context(), "unshare", "-rn", "true").Run(); err != nil {
		t.Skipf("this machine does not let us make an empty network namespace: %v", err)
	}
	s := newShell(t)
	for _, args := range [][]string{{"demo"}, {"remember", "The kettle whistles in B flat."},
		{"recall", "kettle"}, {"doctor"}} {
		cmd := exec.CommandContext(
			t.Context(), "unshare", append([]string{"-rn", "--", filepath.ToSlash(built(t))}, args...)...)
		cmd.Dir, cmd.Env = s.home, s.environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("trilith %s in an empty network namespace: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
