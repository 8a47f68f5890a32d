package crash_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// TestDamagedText changes one letter of one text in the file, and follows it to everybody who might be told it.
func TestDamagedText(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "damaged.db")
	m, err := open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	scope := trilith.Scope{Tenant: tenant, User: "ana"}
	remember := func(text string) trilith.ID {
		res, err := m.Remember(ctx, scope,
			trilith.RememberRequest{Messages: []trilith.Message{{Role: trilith.RoleUser, Content: text}}})
		if err != nil {
			t.Fatal(err)
		}
		return res.Memories[0].ID
	}
	bad, good := remember("The paper lantern hangs in the harbour."),
		remember("The copper lantern stands by the window.")
	if err := m.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(file, []byte("paper lantern"), []byte("paper lajtern")),
		0o600); err != nil {
		t.Fatal(err)
	}
	if m, err = open(ctx, path); err != nil {
		t.Fatal(err)
	}
	defer m.Close()

	wantNamed := func(what string, err error) {
		t.Helper()
		d, ok := errors.AsType[*trilith.Damaged](err)
		if !ok || !slices.Equal(d.IDs, []trilith.ID{bad}) || !strings.Contains(trilith.MessageOf(err), string(bad)) {
			t.Errorf("%s = %v, want that %s is damaged", what, err, bad)
		}
	}
	_, err = m.Get(ctx, scope, bad)
	wantNamed("Get", err)
	if _, err = m.Get(ctx, scope, good); err != nil {
		t.Errorf("Get of a sound memory = %v, want nil", err)
	}
	_, err = m.List(ctx, scope, trilith.ListRequest{})
	wantNamed("List", err)
	_, err = transfer.Write(new(bytes.Buffer), m.Export(ctx, scope))
	wantNamed("Export", err)

	var saved bytes.Buffer
	var left []trilith.ID
	_, err = transfer.Write(
		&saved, transfer.Sound(m.Export(ctx, scope), func(d *trilith.Damaged) { left = append(left, d.IDs...) }))
	if err != nil || !slices.Equal(left, []trilith.ID{bad}) || strings.Contains(saved.String(), "lajtern") ||
		!strings.Contains(saved.String(), "copper lantern") {
		t.Errorf("Export of what is sound = %v, left out %v:\n%s", err, left, saved.String())
	}

	res, err := m.Recall(ctx, scope, trilith.RecallRequest{Query: "Which lantern?", K: 5, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		if h.Memory.ID == bad {
			t.Errorf("Recall gives %q, whose row is damaged", h.Memory.Text)
		}
	}
	dropped := slices.ContainsFunc(
		res.Dropped, func(d trilith.Drop) bool { return d.ID == bad && d.Reason == trilith.DropDamaged })
	if len(res.Hits) != 1 || res.Abstained || !slices.Equal(res.Damaged, []trilith.ID{bad}) || !dropped {
		t.Errorf("Recall = %d hits, abstained %v, damaged %v, dropped %v; want the sound one, and the other named",
			len(res.Hits), res.Abstained, res.Damaged, res.Dropped)
	}

	report, err := m.Doctor(ctx)
	if err != nil || report.OK {
		t.Fatalf("Doctor = %v, %v; want that it is not well", report.OK, err)
	}
	named := func(c trilith.Check) bool {
		return c.Name == "checksums" && !c.OK && strings.Contains(c.Detail, string(bad)) && c.Fix != ""
	}
	if report, err = m.Repair(ctx); err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		if !c.OK && c.Name != "checksums" {
			t.Errorf("after Repair the doctor says %+v, want nothing but the checksums", c)
		}
	}
	if !slices.ContainsFunc(report.Checks, named) {
		t.Errorf("Doctor says %+v, want %s under checksums", report.Checks, bad)
	}
}
