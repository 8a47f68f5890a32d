package crash_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/review/alerts"
)

// alerting is the kind of work of which alerts are raised.
const alerting = "alerting"

// deck is where that happens.
var deck = trilith.Scope{Tenant: tenant, Project: "deck"}

// postbox is a receiver of alerts that outlives its sender: it writes down what it gets beside the store.
type postbox struct{ path string }

func (p postbox) Send(_ context.Context, id trilith.ID, _ []byte) error {
	f, err := os.OpenFile(p.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, id)
	return errors.Join(err, f.Close())
}

// received returns what the receiver of a store got, in order.
func received(t *testing.T, path string) []trilith.ID {
	t.Helper()
	data, err := os.ReadFile(path + ".post")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var out []trilith.ID
	for _, line := range strings.Fields(string(data)) {
		out = append(out, trilith.ID(line))
	}
	return out
}

// posting sends alerts to the postbox of a store.
func posting(path string) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Alerts.Webhooks = map[string]alerts.Sender{"post": postbox{path + ".post"}}
	}
}

// paint says something that raises an alert.
func paint(ctx context.Context, m *memory, i int) error {
	_, err := m.SaveSearch(ctx, deck, trilith.SearchRequest{Name: "paint", Of: trilith.SearchMemories, Query: "painted",
		Webhook: "post"})
	if err != nil && trilith.KindOf(err) != trilith.Conflict {
		return err
	}
	_, err = m.Remember(ctx, deck, trilith.RememberRequest{RequestKey: fmt.Sprint("k", i),
		Messages: []trilith.Message{{Role: trilith.RoleUser, Content: fmt.Sprintf("Plank %d was painted.", i)}}})
	return err
}

// TestKillAlerts kills writers while alerts are raised and sent. None is lost, each is there once, in order, and the
// receiver gets every one, in order but for those that it gets again.
func TestKillAlerts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "crash.db")
	from := 0
	for kill := range 8 {
		n := killWork(t, path, alerting, from, 2+5*kill, time.Duration(kill)*4*time.Millisecond)
		ahead := func() time.Time { return time.Now().Add(time.Duration(kill+1) * time.Hour) }
		m, err := openAt(t.Context(), path, ahead, openEmbedder, inSessions, posting(path))
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i <= n; i++ { // the last may have been cut off: it is sent again
			if err := paint(t.Context(), m, i); err != nil {
				t.Fatalf("round %d again = %v", i, err)
			}
		}
		if err := m.RunSearches(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := m.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil { // waits for what the background sends
			t.Fatal(err)
		}
		examineAlerts(t, path, n+1)
		if from = n + 1; t.Failed() {
			t.Fatalf("kill %d, after %d rounds", kill+1, n)
		}
	}
}

func examineAlerts(t *testing.T, path string, rounds int) {
	t.Helper()
	tomorrow := func() time.Time { return time.Now().Add(24 * time.Hour) }
	m, err := openAt(t.Context(), path, tomorrow, openEmbedder, inSessions, posting(path))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Work(t.Context()); err != nil { // what a worker held when it ended
		t.Fatal(err)
	}
	var ids []trilith.ID
	var texts, want []string
	for at := int64(0); ; {
		page, err := m.Alerts(t.Context(), deck, trilith.AlertQuery{After: at})
		if err != nil {
			t.Fatal(err)
		}
		for _, al := range page.Items {
			mem, err := m.Get(t.Context(), deck, al.MemoryID)
			if err != nil {
				t.Fatal(err)
			}
			ids, texts = append(ids, al.ID), append(texts, mem.Text)
		}
		if at = page.Next; !page.More {
			break
		}
	}
	for i := range rounds {
		want = append(want, fmt.Sprintf("Plank %d was painted.", i))
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("alerts are about (-want +got):\n%s", diff)
	}
	var got []trilith.ID
	for _, id := range received(t, path) {
		if !slices.Contains(got, id) {
			got = append(got, id)
		}
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}
