package engine_test

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
)

// By words alone. The text does not show that it is Spanish, so only a tenant that has chosen Spanish finds it by
// another form.
const (
	saidSpanish  = "Viajamos juntos"
	askedSpanish = "viajar"
)

func wordsOnly(c *engine.Config) { c.Vectors, c.Embedder = nil, nil }

func (r rig) use(t *testing.T, s trilith.Scope, codes ...string) {
	t.Helper()
	if err := r.UseLanguages(t.Context(), s, codes); err != nil {
		t.Fatalf("UseLanguages(%q) = %v", codes, err)
	}
}

func (r rig) wantFound(t *testing.T, when string, s trilith.Scope, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, r.found(t, s, askedSpanish)...)); diff != "" {
		t.Errorf("%s, found (-want +got):\n%s", when, diff)
	}
}

// A tenant chooses its languages: its texts are found in their forms from then on, those that are there and those to
// come, and nothing of another tenant moves.
func TestLanguagesOfTenant(t *testing.T) {
	t.Parallel()
	e := inMemory(t, wordsOnly)
	other := trilith.Scope{Tenant: "other", Actor: "tester"}
	e.say(t, acme, saidSpanish)
	e.say(t, other, saidSpanish)
	e.say(t, other, "Travelling, or viajar.")
	ask := func() trilith.RecallResult {
		res, err := e.Recall(t.Context(), other, trilith.RecallRequest{Query: askedSpanish, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		res.Explain.TimingsMS = nil
		return res
	}
	before := ask()
	e.wantFound(t, "without a choice", acme)

	e.use(t, acme, "es", "de")
	e.wantFound(t, "with Spanish", acme, saidSpanish)
	if diff := cmp.Diff(before, ask()); diff != "" {
		t.Errorf("another tenant's answer moved (-before +after):\n%s", diff)
	}
	if codes, err := e.Languages(t.Context(), ana); err != nil || strings.Join(codes, ",") != "es,de" {
		t.Errorf("Languages = %q, %v", codes, err)
	}
	if codes, err := e.Languages(t.Context(), other); err != nil || len(codes) != 0 {
		t.Errorf("Languages of the other tenant = %q, %v, want none", codes, err)
	}
	e.say(t, acme, "Viajabas solo")
	if got := e.found(t, acme, askedSpanish); len(got) != 2 {
		t.Errorf("with one more, found %q, want both", got)
	}
	if entries, err := e.Audit(t.Context(), acme, 0, 10); err != nil || len(entries) == 0 ||
		!strings.Contains(fmt.Sprint(entries), "languages.use") {
		t.Errorf("Audit = %v, %v, want the choice in it", entries, err)
	}

	for _, codes := range [][]string{{"tlh"}, {"es", "ES"}, {""}} {
		if err := e.UseLanguages(t.Context(), acme, codes); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("UseLanguages(%q) = %v, want Invalid", codes, err)
		}
	}
	if err := e.UseLanguages(t.Context(), ana, []string{"es"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("UseLanguages of a user = %v, want Invalid", err)
	}
	e.use(t, acme)
	e.wantFound(t, "with the choice taken back", acme)
}

// Another process on the file uses the chosen languages from its next search on, even if it indexed texts in between.
func TestLanguagesOfTenantInAnotherProcess(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	here, there := onFile(t, path, wordsOnly), onFile(t, path, wordsOnly)
	here.say(t, acme, saidSpanish)
	there.wantFound(t, "without a choice", acme)
	here.use(t, acme, "es")
	there.wantFound(t, "chosen elsewhere", acme, saidSpanish)
	here.use(t, acme)
	there.say(t, acme, "Viajabas solo") // indexed without the choice, and then it is back
	if _, err := there.Doctor(t.Context()); err != nil {
		t.Fatal(err)
	}
	here.use(t, acme, "es")
	if got := there.found(t, acme, askedSpanish); len(got) != 2 {
		t.Errorf("after two choices elsewhere, found %q, want both", got)
	}
}

// A snapshot of the text index is not used for a tenant that has chosen other languages since, nor if it was taken
// during the change.
func TestLanguagesOfTenantAndKeptIndex(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	reopen := func() rig {
		file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return open(t, engine.Config{Store: file, Log: file, Queue: file}, wordsOnly,
			func(c *engine.Config) { c.Text = embedded.NewText(file) })
	}
	e := reopen()
	e.say(t, acme, saidSpanish)
	var turns []trilith.Message
	for batch := range 3 {
		turns = turns[:0]
		for i := range 900 {
			turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(batch, "-", i),
				Content: fmt.Sprintf("garden %d gate", i)})
		}
		e.remember(t, acme, trilith.RememberRequest{Messages: turns})
	}
	e.wantFound(t, "without a choice", acme)
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
	if err := e.UseLanguages(ctx, acme, []string{"es"}); err == nil {
		t.Error("UseLanguages with a context that has ended = nil")
	}
	e.use(t, acme, "es")
	closed()
	e = reopen()
	e.wantFound(t, "with Spanish, opened again", acme, saidSpanish)
	closed()
	file, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	// Taken back behind the index, as by a process that was killed before it indexed anything again.
	if _, err := file.Commit(
		t.Context(), acme, role.Batch{
			Delete: []role.Ref{{Kind: role.RecordLanguages, ID: trilith.DeriveID("languages")}}}); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	e = reopen()
	e.wantFound(t, "with the choice gone", acme)
}

// While one changes the choice again and again, searches see one or the other and never half of each.
func TestLanguagesOfTenantWhileSearching(t *testing.T) {
	t.Parallel()
	e := inMemory(t, wordsOnly)
	var turns []trilith.Message
	for i := range 600 { // more than one batch
		turns = append(turns, trilith.Message{ExternalID: fmt.Sprint(i), Content: fmt.Sprintf("%s %d", saidSpanish, i)})
	}
	e.remember(t, acme, trilith.RememberRequest{Messages: turns})
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
				res, err := e.Recall(t.Context(), acme, trilith.RecallRequest{Query: askedSpanish, K: 100})
				if n := len(res.Hits); err != nil || n != 0 && n != 100 {
					t.Errorf("Recall found %d, %v, want 0 or 100", n, err)
					return
				}
			}
		})
	}
	for range 5 {
		e.use(t, acme, "es")
		e.use(t, acme)
	}
	close(stop)
	searching.Wait()
}

// An export takes the choice along, to a tenant that has made none.
func TestLanguagesOfTenantAreExported(t *testing.T) {
	t.Parallel()
	e := inMemory(t, wordsOnly)
	e.say(t, acme, saidSpanish)
	e.use(t, acme, "es", "fr")
	items := e.items(t, acme)
	fresh := inMemory(t, wordsOnly)
	fresh.restore(t, acme, items)
	fresh.wantFound(t, "restored", acme, saidSpanish)
	own := inMemory(t, wordsOnly)
	own.use(t, acme, "de")
	own.restore(t, acme, items)
	if codes, err := own.Languages(t.Context(), acme); err != nil || strings.Join(codes, ",") != "de" {
		t.Errorf("Languages = %q, %v, want the own choice", codes, err)
	}
	if header := e.items(t, ana)[0].Header; len(header.Languages) != 0 {
		t.Errorf("the export of one user tells the languages %q of the tenant", header.Languages)
	}
}
