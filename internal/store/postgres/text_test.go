package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(tb testing.TB) role.TextIndex { return openText(tb) }})
}

func TestTextAbilities(t *testing.T) {
	t.Parallel()
	indextest.RunTextAbilities(t, func(tb testing.TB) func() role.TextIndex {
		url := pgtest.Database(tb)
		return func() role.TextIndex { return open(tb, postgres.Options{URL: url}).Text(textproc.Analyzer{}) }
	})
}

// openText opens an empty text index in a database of its own.
func openText(tb testing.TB) *postgres.Text {
	tb.Helper()
	return open(tb, postgres.Options{URL: pgtest.Database(tb)}).Text(textproc.Analyzer{})
}

var textDay = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var textVocabulary = []string{"apple", "pear", "plum", "quince", "the", "libraries", "library", "Kinder", "und", "der",
	"Kind", "E1001", "scan.go",
	"喝茶", "ABC-123", "running", "ran", "2026", "naïve", "\x00", "\xff", "=", "I", "my", "yesterday", "I prefer", "?",
	"Maria", "Marie", "Lopez", "@maria"}

// textQuestions begin queries that the rules beside words look at.
var textQuestions = []string{"", "", "when was", "could you recommend", "what did Maria say about", "in March",
	"on 2 March 2026", "did I mention", "Marie", "Zoë Lopez", "aple", "quinze plumm", "the librarry in ki-nder",
	"what happened yesterday with"}

var textSpeakers = []string{"", "", "Maria", "Maria Lopez", "Zoë", "s\x01", "Will"}

var textRules = []lexical.Rules{0, lexical.AllRules, lexical.AllRules, lexical.RuleNearby,
	lexical.RuleNearby | lexical.RuleAsked, lexical.RuleNames,
	lexical.AllRules &^ lexical.RulePerson, lexical.RuleDates | lexical.RuleWhen | lexical.RuleCue}

var textFilters = []trilith.Filter{
	{},
	trilith.Where("state", trilith.OpEq, trilith.StateActive),
	trilith.Where("role", trilith.OpNe, trilith.RoleAssistant),
	trilith.AllOf(trilith.Where("kind", trilith.OpNe, trilith.KindFact),
		trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateExpired})),
	{Or: []trilith.Filter{trilith.Where("session", trilith.OpEq, "s1"),
		trilith.Where("state", trilith.OpEq, trilith.StateExpired)}},
	{Not: &trilith.Filter{Or: []trilith.Filter{trilith.Where("user", trilith.OpEq, "u1"),
		trilith.Where("seq", trilith.OpGt, 3)}}},
	trilith.Where("session", trilith.OpRegex, "[12]$"),
	trilith.AllOf(trilith.Where("state", trilith.OpEq, trilith.StateActive), trilith.Where("tags", trilith.OpContains,
		"red")),
	trilith.AllOf(trilith.Where("role", trilith.OpEq, trilith.RoleUser),
		trilith.Where("event_time", trilith.OpLt, textDay.Add(4*time.Hour))),
	trilith.Where("metadata.n", trilith.OpGte, 2),
	trilith.Where("session", trilith.OpContains, "\x01"),
	trilith.Where("user", trilith.OpEq, "nobody"),
}

func drawText(t *rapid.T) role.TextPoint {
	n := rapid.IntRange(0, 11).Draw(t, "n")
	f := trilith.Facets{ID: trilith.ID(fmt.Sprintf("m%02d", n*5%12)), Version: rapid.Int64Range(1, 4).Draw(t, "version"),
		Kind: trilith.KindEpisode,
		Scope: trilith.Scope{User: rapid.SampledFrom([]string{"u1", "u1", "u1", "", "u2"}).Draw(t, "user"),
			Session: rapid.SampledFrom([]string{"s1", "s1", "s1", "", "s2", "s\x01"}).Draw(t, "session")},
		State: rapid.SampledFrom([]trilith.State{trilith.StateActive, trilith.StateActive, trilith.StateExpired}).Draw(
			t, "state"),
		Role:       rapid.SampledFrom([]trilith.Role{"", trilith.RoleUser, trilith.RoleAssistant}).Draw(t, "role"),
		Seq:        rapid.IntRange(0, 6).Draw(t, "seq"),
		EventTime:  textDay.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "hour")) * 11 * time.Hour),
		RecordedAt: textDay,
		Speaker:    rapid.SampledFrom(textSpeakers).Draw(t, "speaker")}
	if rapid.IntRange(0, 4).Draw(t, "note") == 0 {
		f.Kind = trilith.KindNote
	}
	if rapid.Bool().Draw(t, "red") {
		f.Tags = []string{"red"}
	}
	if m := rapid.IntRange(0, 3).Draw(t, "metadata"); m > 0 {
		f.Metadata = map[string]any{"n": m}
	}
	return role.TextPoint{Facets: f, At: textDay, Text: drawWords(t, 9)}
}

func drawWords(t *rapid.T, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(textVocabulary), 0, most).Draw(t, "words"), " ")
}

// After any changes, the embedded index and this one find the same memories with the same scores.
func TestTextAsEmbedded(t *testing.T) {
	t.Parallel()
	x := openText(t)
	ctx, tenants := t.Context(), 0
	rapid.Check(t, func(t *rapid.T) {
		tenants++
		want, s := embedded.NewText(nil), trilith.Scope{Tenant: fmt.Sprint("t", tenants)}
		for range rapid.IntRange(1, 6).Draw(t, "writes") {
			if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				ids := []trilith.ID{drawText(t).Facets.ID, drawText(t).Facets.ID}
				both(t, "Delete", want.Delete(ctx, s, ids), x.Delete(ctx, s, ids))
				continue
			}
			ts := rapid.SliceOfN(rapid.Custom(drawText), 1, 6).Draw(t, "texts")
			for i := range ts {
				ts[i].Facets.Scope.Tenant = s.Tenant
			}
			both(t, "Apply", want.Apply(ctx, ts), x.Apply(ctx, ts))
		}
		for range 6 {
			scope, now := s, time.Time{}
			if rapid.Bool().Draw(t, "now") {
				now = textDay.AddDate(0, 0, 2)
			}
			if rapid.Bool().Draw(t, "narrow") {
				scope.User = rapid.SampledFrom([]string{"", "u1"}).Draw(t, "user")
				scope.Session = rapid.SampledFrom([]string{"", "s1", "s\x01"}).Draw(t, "session")
			}
			p := role.TextProbe{Text: rapid.SampledFrom(textQuestions).Draw(t, "question") + " " + drawWords(t, 5),
				Now: now, Conversation: true, Filter: rapid.SampledFrom(textFilters).Draw(t, "filter"),
				K: rapid.IntRange(1, 12).Draw(t, "k"), Exact: rapid.IntRange(0, 3).Draw(t, "exact") == 0}
			without := lexical.AllRules &^ rapid.SampledFrom(textRules).Draw(t, "rules")
			want.LeaveOut(without)
			x.LeaveOut(without)
			sameAnswer(ctx, t, want, x, scope, p)
		}
	})
}

// A text that is replaced in the call that brings it leaves nothing, not even its language: that decides whether
// "Marie" names Maria.
func TestTextReplacedAtOnceAsEmbedded(t *testing.T) {
	t.Parallel()
	x, want := openText(t), embedded.NewText(nil)
	ctx, s := t.Context(), trilith.Scope{Tenant: "acme"}
	point := func(version int64, text string) role.TextPoint {
		return role.TextPoint{Text: text, At: textDay,
			Facets: trilith.Facets{ID: "1", Version: version, Kind: trilith.KindEpisode, State: trilith.StateActive, Scope: s,
				Role: trilith.RoleUser, Speaker: "Maria", EventTime: textDay, RecordedAt: textDay}}
	}
	for _, ts := range [][]role.TextPoint{
		{point(1, "Jeg liker ikke fisk, men jeg har en båt som ligger i havnen."),
			point(2, "I have a boat and a garden.")}, {point(3, "Where is it?"), point(2, "Hvor er den nå?")}} {
		both(t, "Apply", want.Apply(ctx, ts), x.Apply(ctx, ts))
		sameAnswer(ctx, t, want, x, s, role.TextProbe{Text: "Marie garden", K: 5, Conversation: true})
	}
}

// Blocks of texts are searched as one, also those with holes, and those that all texts have left are forgotten.
func TestTextBlocks(t *testing.T) {
	t.Parallel()
	x, want := openText(t), embedded.NewText(nil)
	ctx, s := t.Context(), trilith.Scope{Tenant: "acme"}
	ts := zipfTexts(2500)
	var early, some []trilith.ID
	for i := range ts {
		if i < 1200 {
			early = append(early, ts[i].Facets.ID)
		} else if i%3 == 0 {
			some = append(some, ts[i].Facets.ID)
		}
	}
	ask := func() {
		t.Helper()
		for _, query := range []string{"w1x w7x w100x", "w3x", "w2000x w0x"} {
			for _, k := range []int{3, 200} {
				sameAnswer(ctx, t, want, x, s,
					role.TextProbe{Text: query, K: k, Filter: trilith.Where("state", trilith.OpEq, trilith.StateActive)})
				sameAnswer(ctx, t, want, x, s,
					role.TextProbe{Text: query, K: k, Filter: trilith.Where("seq", trilith.OpGt, 3)})
			}
		}
	}
	both(t, "Apply", want.Apply(ctx, ts), x.Apply(ctx, ts))
	ask()
	both(t, "Delete", want.Delete(ctx, s, some), x.Delete(ctx, s, some))
	both(t, "Delete", want.Delete(ctx, s, early), x.Delete(ctx, s, early))
	ask()
	both(t, "Apply", want.Apply(ctx, ts[:1300]), x.Apply(ctx, ts[:1300]))
	ask()
}

// sameAnswer checks that an index answers as another.
func sameAnswer(ctx context.Context, t interface {
	Helper()
	Fatalf(string, ...any)
}, want, x role.TextIndex, s trilith.Scope, p role.TextProbe) {
	t.Helper()
	expected, err := want.Search(ctx, s, p)
	if err != nil {
		t.Fatalf("Search(%q, %+v) of the embedded index = %v", p.Text, p.Filter, err)
	}
	got, err := x.Search(ctx, s, p)
	if err != nil {
		t.Fatalf("Search(%q, %+v) = %v", p.Text, p.Filter, err)
	}
	if diff := cmp.Diff(expected, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Fatalf("Search(%+v, %+v): -embedded +postgres\n%s", s, p, diff)
	}
}

// both checks that two calls went well.
func both(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, a, b error) {
	t.Helper()
	if a != nil || b != nil {
		t.Fatalf("%s = %v and %v", what, a, b)
	}
}

// Nothing of a deleted text stays: no word, no value of its facets, and after the last text not even the tenant's
// name.
func TestTextErased(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	x := open(t, postgres.Options{URL: url}).Text(textproc.Analyzer{})
	ctx, s := t.Context(), trilith.Scope{Tenant: "acme"}
	secret := role.TextPoint{Text: "xyzzy KEY-4711", At: textDay,
		Facets: trilith.Facets{ID: "1", Version: 1, Kind: trilith.KindNote, State: trilith.StateActive,
			Scope: trilith.Scope{Tenant: "acme", User: "plugh", Session: "frotz"}, Speaker: "Rezrov",
			Tags: []string{"plover"}, EventTime: textDay, RecordedAt: textDay}}
	other := secret
	other.Text, other.Facets.ID, other.Facets.Scope, other.Facets.Speaker, other.Facets.Tags = "nothing", "2",
		trilith.Scope{Tenant: "acme", User: "bob"}, "", nil
	if err := x.Apply(ctx, []role.TextPoint{secret, other}); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	conn := connect(t, url)
	rows := func(like string) (n int) {
		t.Helper()
		for _, table := range []string{"text_tenants", "text_groups", "texts", "text_postings"} {
			var here int
			if err := conn.QueryRow(ctx, "SELECT count(*) FROM trilith."+table+" AS r WHERE r::text ~ $1", like).Scan(
				&here); err != nil {
				t.Fatalf("reading %s = %v", table, err)
			}
			n += here
		}
		return n
	}
	const words = "xyzzy|plugh|plover|key-4711|frotz|[Rr]ezrov"
	if rows(words) == 0 {
		t.Fatalf("what was applied is in no table")
	}
	renewed := secret
	renewed.Facets.Version, renewed.Text, renewed.Facets.Scope, renewed.Facets.Speaker, renewed.Facets.Tags = 2, "else",
		other.Facets.Scope, "", nil
	if err := x.Apply(ctx, []role.TextPoint{renewed}); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	if n := rows(words); n != 0 {
		t.Errorf("%d rows hold something of a text that was replaced", n)
	}
	if err := x.Apply(ctx, []role.TextPoint{renewed, other}); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	if err := x.Delete(ctx, s, []trilith.ID{"1", "2"}); err != nil {
		t.Fatalf("Delete = %v", err)
	}
	if n := rows("."); n != 0 {
		t.Errorf("%d rows are left of a tenant whose texts were deleted", n)
	}
}

// Row-level security lets only some operators use an index. Those of searches are among them.
func TestTextUsesIndexes(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	if err := open(t, postgres.Options{URL: url}).Text(textproc.Analyzer{}).Apply(
		t.Context(), zipfTexts(500)); err != nil {
		t.Fatalf("Apply = %v", err)
	}
	conn := connect(t, url)
	exec(t, conn, "ANALYZE trilith.texts, trilith.text_groups, trilith.text_postings", "SET enable_seqscan = off",
		"SET ROLE trilith_app", "SET trilith.tenant = 'acme'")
	for query, want := range map[string]string{
		"SELECT postings FROM trilith.text_postings WHERE tenant = 'acme' AND term = ANY('{a,b}')":                "(term = ANY ('{a,b}'::text[])",
		"SELECT postings FROM trilith.text_postings WHERE tenant = 'acme' AND block = 3 AND term = ANY('{a,b}')":  "(block = 3)",
		"SELECT id FROM trilith.texts AS t WHERE t.tenant = 'acme' AND t.doc = 5":                                 "(doc = 5)",
		"SELECT id FROM trilith.texts AS t WHERE t.tenant = 'acme' AND t.grp = 5":                                 "(grp = 5)",
		"SELECT id FROM trilith.texts AS t WHERE t.tenant = 'acme' AND t.session = 's1' AND t.seq <= 5":           "(seq <= 5)",
		"SELECT id FROM trilith.texts AS t WHERE t.tenant = 'acme' AND t.entity_id = 'e'":                         "(entity_id = 'e'",
		"SELECT grp FROM trilith.text_groups WHERE tenant = 'acme' AND key = ANY(ARRAY['\\x00'::bytea, '\\x01'])": "(key = ANY",
	} {
		rows, err := conn.Query(t.Context(), "EXPLAIN "+query)
		if err != nil {
			t.Fatalf("EXPLAIN %s = %v", query, err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("EXPLAIN %s = %v", query, err)
		}
		found := false
		for _, line := range lines {
			found = found || strings.Contains(line, "Index Cond") && strings.Contains(line, want)
		}
		if !found {
			t.Errorf("%s looks up no %s in an index:\n%s", query, want, strings.Join(lines, "\n"))
		}
	}
}

// Two processes that would make other terms of the same text say so.
func TestTextForm(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Options{URL: pgtest.Database(t)})
	german, err := textproc.NewAnalyzer("de", "en")
	if err != nil {
		t.Fatalf("NewAnalyzer = %v", err)
	}
	all, same, other := s.Text(textproc.Analyzer{}).Form(), s.Text(textproc.Analyzer{}).Form(), s.Text(german).Form()
	if all != same || all == other {
		t.Errorf("forms are %q, again %q, and for other languages %q", all, same, other)
	}
}
