package operate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A tenant chooses its languages: its texts are found in their forms from then on, those that are there and those to
// come, and nothing of another tenant moves.
func TestLanguagesOfTenant(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.WordsOnly)
	other := trilith.Scope{Tenant: "other", Actor: "tester"}
	e.Say(t, rig.Acme, rig.SaidSpanish)
	e.Say(t, other, rig.SaidSpanish)
	e.Say(t, other, "Travelling, or viajar.")
	ask := func() trilith.RecallResult {
		res, err := e.Recall(t.Context(), other, trilith.RecallRequest{Query: rig.AskedSpanish, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		res.Explain.TimingsMS = nil
		return res
	}
	before := ask()
	e.WantFound(t, "without a choice", rig.Acme)

	e.MustUseLanguages(t, rig.Acme, "es", "de")
	e.WantFound(t, "with Spanish", rig.Acme, rig.SaidSpanish)
	if diff := cmp.Diff(before, ask()); diff != "" {
		t.Errorf("another tenant's answer moved (-before +after):\n%s", diff)
	}
	if codes, err := e.Languages(t.Context(), rig.Ana); err != nil || strings.Join(codes.Languages, ",") != "es,de" {
		t.Errorf("Languages = %q, %v", codes, err)
	}
	if codes, err := e.Languages(t.Context(), other); err != nil || len(codes.Languages) != 0 {
		t.Errorf("Languages of the other tenant = %q, %v, want none", codes, err)
	}
	e.Say(t, rig.Acme, "Viajabas solo")
	if got := e.Found(t, rig.Acme, rig.AskedSpanish); len(got) != 2 {
		t.Errorf("with one more, found %q, want both", got)
	}
	if entries, err := e.Audit(t.Context(), rig.Acme, 0, 10); err != nil || len(entries) == 0 ||
		!strings.Contains(fmt.Sprint(entries), "languages.use") {
		t.Errorf("Audit = %v, %v, want the choice in it", entries, err)
	}

	for _, codes := range [][]string{{"tlh"}, {"es", "ES"}, {""}} {
		if _, err := e.UseLanguages(t.Context(), rig.Acme, trilith.LanguageChoice{Languages: codes}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("UseLanguages(%q) = %v, want Invalid", codes, err)
		}
	}
	if _, err := e.UseLanguages(t.Context(), rig.Ana, trilith.LanguageChoice{Languages: []string{"es"}}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("UseLanguages of a user = %v, want Invalid", err)
	}
	e.MustUseLanguages(t, rig.Acme)
	e.WantFound(t, "with the choice taken back", rig.Acme)
}

// Another process on the file uses the chosen languages from its next search on, even if it indexed texts in between.
func TestLanguagesOfTenantInAnotherProcess(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	here, there := rig.OnFile(t, path, rig.WordsOnly), rig.OnFile(t, path, rig.WordsOnly)
	here.Say(t, rig.Acme, rig.SaidSpanish)
	there.WantFound(t, "without a choice", rig.Acme)
	here.MustUseLanguages(t, rig.Acme, "es")
	there.WantFound(t, "chosen elsewhere", rig.Acme, rig.SaidSpanish)
	here.MustUseLanguages(t, rig.Acme)
	there.Say(t, rig.Acme, "Viajabas solo") // indexed without the choice, and then it is back
	if _, err := there.Doctor(t.Context()); err != nil {
		t.Fatal(err)
	}
	here.MustUseLanguages(t, rig.Acme, "es")
	if got := there.Found(t, rig.Acme, rig.AskedSpanish); len(got) != 2 {
		t.Errorf("after two choices elsewhere, found %q, want both", got)
	}
}

// A snapshot of the text index is not used for a tenant that has chosen other languages since, nor if it was taken
// during the change.
func TestLanguagesOfTenantAndKeptIndex(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	reopen := func() rig.Rig {
		file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return rig.Open(t, engine.Config{Store: file, Log: file, Queue: file}, rig.WordsOnly,
			func(c *engine.Config) { c.Text = embedded.NewText(file) })
	}
	e := reopen()
	e.Say(t, rig.Acme, rig.SaidSpanish)
	var turns []trilith.Message
	for batch := range 3 {
		turns = turns[:0]
		for i := range 900 {
			turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(batch, "-", i),
				Content: fmt.Sprintf("garden %d gate", i)})
		}
		e.MustRemember(t, rig.Acme, trilith.RememberRequest{Messages: turns})
	}
	e.WantFound(t, "without a choice", rig.Acme)
	closed := func() {
		t.Helper()
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	closed() // and kept

	e = reopen()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.UseLanguages(ctx, rig.Acme, trilith.LanguageChoice{Languages: []string{"es"}}); err == nil {
		t.Error("UseLanguages with a context that has ended = nil")
	}
	e.MustUseLanguages(t, rig.Acme, "es")
	closed()
	e = reopen()
	e.WantFound(t, "with Spanish, opened again", rig.Acme, rig.SaidSpanish)
	closed()
	file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	// Taken back behind the index, as by a process that was killed before it indexed anything again.
	if _, err := file.Commit(
		t.Context(), rig.Acme, role.Batch{
			Delete: []role.Ref{{Kind: role.RecordLanguages, ID: trilith.DeriveID("languages")}}}); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	e = reopen()
	e.WantFound(t, "with the choice gone", rig.Acme)
}

// While one changes the choice again and again, searches see one or the other and never half of each.
func TestLanguagesOfTenantWhileSearching(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.WordsOnly)
	var turns []trilith.Message
	for i := range 600 { // more than one batch
		turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(i), Content: fmt.Sprintf("%s %d", rig.SaidSpanish, i)})
	}
	e.MustRemember(t, rig.Acme, trilith.RememberRequest{Messages: turns})
	var searching sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		searching.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				res, err := e.Recall(t.Context(), rig.Acme, trilith.RecallRequest{Query: rig.AskedSpanish, K: 100})
				if n := len(res.Hits); err != nil || n != 0 && n != 100 {
					t.Errorf("Recall found %d, %v, want 0 or 100", n, err)
					return
				}
			}
		})
	}
	for range 5 {
		e.MustUseLanguages(t, rig.Acme, "es")
		e.MustUseLanguages(t, rig.Acme)
	}
	close(stop)
	searching.Wait()
}

// An export takes the choice along, to a tenant that has made none.
func TestLanguagesOfTenantAreExported(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, rig.WordsOnly)
	e.Say(t, rig.Acme, rig.SaidSpanish)
	e.MustUseLanguages(t, rig.Acme, "es", "fr")
	items := e.Items(t, rig.Acme)
	fresh := rig.InMemory(t, rig.WordsOnly)
	fresh.MustRestore(t, rig.Acme, items)
	fresh.WantFound(t, "restored", rig.Acme, rig.SaidSpanish)
	own := rig.InMemory(t, rig.WordsOnly)
	own.MustUseLanguages(t, rig.Acme, "de")
	own.MustRestore(t, rig.Acme, items)
	if codes, err := own.Languages(t.Context(), rig.Acme); err != nil || strings.Join(codes.Languages, ",") != "de" {
		t.Errorf("Languages = %q, %v, want the own choice", codes, err)
	}
	if header := e.Items(t, rig.Ana)[0].Header; len(header.Languages) != 0 {
		t.Errorf("the export of one user tells the languages %q of the tenant", header.Languages)
	}
}
