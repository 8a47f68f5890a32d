package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// shelf is a target that stores by external id, in the order in which requests come.
type shelf struct {
	transfer.Registry // nil: it takes no transcripts of folders
	media             []trilith.NewMedia
	mu                sync.Mutex
	seen              map[string]bool
	sessions          map[string][]string
	restored          []trilith.ID
	facts             []trilith.ForeignFact
	batches           []int
	fail              error // returned for a request whose first message is "fail"
}

func newShelf() *shelf { return &shelf{seen: map[string]bool{}, sessions: map[string][]string{}} }

// spoilt is why something bad cannot be stored.
func (s *shelf) spoilt(what string) error {
	if s.fail != nil {
		return s.fail
	}
	return trilith.Errorf(trilith.Invalid, "%s", what)
}

func (s *shelf) Remember(_ context.Context, scope trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var res trilith.RememberResult
	messages := r.Messages
	if r.Document != nil {
		messages = []trilith.Message{{ExternalID: r.ExternalID, Content: r.Document.Content}}
	}
	for i, m := range messages {
		switch key := scope.Tenant + "/" + m.ExternalID; {
		case m.Content == "fail":
			return trilith.RememberResult{}, s.fail
		case m.Content == "":
			res.Rejected = append(res.Rejected, trilith.Rejection{Index: i, Reason: trilith.ReasonEmpty})
		case s.seen[key]:
			res.Rejected = append(res.Rejected, trilith.Rejection{Index: i, Reason: trilith.ReasonDuplicate})
		default:
			s.seen[key] = true
			s.sessions[scope.Session] = append(s.sessions[scope.Session], m.Content)
			res.Memories = append(res.Memories, trilith.Memory{Scope: scope})
			res.SourceID = "source"
		}
	}
	return res, nil
}

func (s *shelf) Restore(_ context.Context, _ trilith.Scope, items []trilith.ExportItem) (stored, skipped int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, item := range items {
		if item.Memory != nil && item.Memory.Text == "bad" {
			return 0, 0, s.spoilt("memory: is bad")
		}
	}
	s.batches = append(s.batches, len(items))
	for _, item := range items {
		if item.Memory != nil {
			s.restored = append(s.restored, item.Memory.ID)
		}
	}
	return len(items), 0, nil
}

func (s *shelf) PutMedia(_ context.Context, _ trilith.Scope, m trilith.NewMedia) (trilith.StoredMedia, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Name == "fail" {
		return trilith.StoredMedia{}, s.fail
	}
	s.media = append(s.media, m)
	return trilith.StoredMedia{New: len(s.media) == 1}, nil
}

func (s *shelf) ImportFacts(_ context.Context, _ trilith.Scope, facts []trilith.ForeignFact) (trilith.ImportedFacts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range facts {
		if f.Memory.Text == "bad" {
			return trilith.ImportedFacts{}, s.spoilt("fact: is bad")
		}
	}
	s.facts = append(s.facts, facts...)
	return trilith.ImportedFacts{Stored: len(facts)}, nil
}

func request(line int, session string, contents ...string) transfer.Item {
	r := new(trilith.RememberRequest)
	for _, c := range contents {
		r.Messages = append(r.Messages, trilith.Message{ExternalID: session + c, Content: c})
	}
	return transfer.Item{Path: "f", Line: line, Scope: trilith.Scope{Session: session}, Request: r}
}

func stream(items ...transfer.Item) iter.Seq2[transfer.Item, error] {
	return func(yield func(transfer.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// then appends an error to a stream, and after it another item.
func then(items iter.Seq2[transfer.Item, error], err error, more transfer.Item) iter.Seq2[transfer.Item, error] {
	return func(yield func(transfer.Item, error) bool) {
		for item, err := range items {
			if !yield(item, err) {
				return
			}
		}
		_ = yield(transfer.Item{}, err) && yield(more, nil)
	}
}

func clock() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(2 * time.Second)
		return at
	}
}

func TestRunTwiceStoresOnce(t *testing.T) {
	t.Parallel()
	s := newShelf()
	o := transfer.Options{Scope: trilith.Scope{Tenant: "t"}, Now: clock()}
	items := stream(request(1, "a", "one", "", "two"), request(4, "b", "three"))
	want := transfer.Report{Stored: 3, Rejected: map[string]int{trilith.ReasonEmpty: 1}, Sources: 2, Seconds: 2}
	got, err := transfer.Run(t.Context(), s, items, o)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("first Run: %v (-want +got):\n%s", err, diff)
	}
	want = transfer.Report{Duplicates: 3, Rejected: map[string]int{trilith.ReasonEmpty: 1}, Seconds: 2}
	got, err = transfer.Run(t.Context(), s, items, o)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("second Run: %v (-want +got):\n%s", err, diff)
	}
}

func TestRunKeepsTheOrderOfASession(t *testing.T) {
	t.Parallel()
	var items []transfer.Item
	want := map[string][]string{}
	for i := range 200 {
		session, content := fmt.Sprint("s", i%7), fmt.Sprint(i)
		items = append(items, request(i+1, session, content))
		want[session] = append(want[session], content)
	}
	for _, workers := range []int{1, 3, 16} {
		s := newShelf()
		report, err := transfer.Run(t.Context(), s, stream(items...), transfer.Options{Workers: workers})
		if err != nil || report.Stored != len(items) {
			t.Fatalf("Run with %d workers = %+v, %v, want %d stored", workers, report, err, len(items))
		}
		if diff := cmp.Diff(want, s.sessions); diff != "" {
			t.Errorf("Run with %d workers: order in the sessions (-want +got):\n%s", workers, diff)
		}
	}
}

// TestRunStoresTheFirstOfAnID: of items with one id, in any files, the first is stored, however many are processed at
// once.
func TestRunStoresTheFirstOfAnID(t *testing.T) {
	t.Parallel()
	for range 50 {
		s := newShelf()
		var items []transfer.Item
		for i := range 8 {
			items = append(items, transfer.Item{
				Path: fmt.Sprint("f", i),
				Request: &trilith.RememberRequest{
					ExternalID: "one", Document: &trilith.Document{Content: fmt.Sprint("number ", i)}}})
		}
		if _, err := transfer.Run(t.Context(), s, stream(items...),
			transfer.Options{Workers: 8, Now: clock()}); err != nil {
			t.Fatal(err)
		}
		if got := s.sessions[""]; len(got) != 1 || got[0] != "number 0" {
			t.Fatalf("stored %q, want the first", got)
		}
	}
}

func TestRunMergesScopes(t *testing.T) {
	t.Parallel()
	s := newShelf()
	o := transfer.Options{Scope: trilith.Scope{Tenant: "t", Session: "mine"}, Workers: 4}
	if _, err := transfer.Run(t.Context(), s, stream(request(1, "a", "1"), request(2, "b", "2"), request(3, "c", "3")),
		o); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"mine": {"1", "2", "3"}}
	if diff := cmp.Diff(want, s.sessions); diff != "" {
		t.Errorf("Run with a session of the caller's: sessions (-want +got):\n%s", diff)
	}
}

func TestRunGoesOnAfterBadLines(t *testing.T) {
	t.Parallel()
	bad := &transfer.LineError{Path: "f", Line: 2, Err: trilith.Errorf(trilith.Invalid, "time: is missing")}
	for _, c := range []struct {
		name   string
		items  iter.Seq2[transfer.Item, error]
		strict bool
		line   int // of the bad line
		stored int // not checked when strict: the order between the queues is open
	}{
		{"reader", then(stream(request(1, "a", "one")), bad, request(3, "a", "two")), false, 2, 2},
		{"reader, strict", then(stream(request(1, "a", "one")), bad, request(3, "a", "two")), true, 2, 0},
		{"target", stream(request(1, "a", "one"), request(2, "b", "fail"), request(3, "a", "two")), false, 2, 2},
		{"target, strict", stream(request(1, "a", "one"), request(2, "b", "fail")), true, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf()
			s.fail = trilith.Errorf(trilith.Invalid, "speaker: is too long")
			report, err := transfer.Run(t.Context(), s, c.items, transfer.Options{Strict: c.strict})
			if report.BadLineCount != 1 || len(report.BadLines) != 1 || report.BadLines[0].Line != c.line {
				t.Errorf("Run reports %+v, want one bad line, %d", report, c.line)
			}
			_, isBad := errors.AsType[*transfer.LineError](err)
			if isBad != c.strict || !c.strict && (err != nil || report.Stored != c.stored) {
				t.Errorf("Run = %+v, %v, want %d stored and a bad line as error: %v", report, err, c.stored, c.strict)
			}
		})
	}
}

// TestRunTellsItemsFromTheRun: an error about one item, whatever sort of item it is, ends that item and is reported
// with its place; an error that every item would meet ends the run.
func TestRunTellsItemsFromTheRun(t *testing.T) {
	t.Parallel()
	memory := func(text string) transfer.Item {
		return transfer.Item{Path: "f", Line: 2, Export: &trilith.ExportItem{Memory: &trilith.Memory{Text: text}}}
	}
	fact := func(text string) transfer.Item {
		return transfer.Item{Path: "f", Line: 2, Fact: &trilith.ForeignFact{Memory: trilith.Memory{Text: text}}}
	}
	file := func(name string) transfer.Item {
		return transfer.Item{Path: "f", Line: 2, Media: &trilith.NewMedia{Name: name}}
	}
	disk := trilith.WrapError(trilith.Internal, "test", trilith.ErrNoSpace)
	errs := []error{disk}
	for _, kind := range trilith.ErrorKinds() {
		errs = append(errs, trilith.Errorf(kind, "test: this one"))
	}
	for what, items := range map[string][]transfer.Item{
		"request":  {request(1, "a", "one"), request(2, "a", "fail"), request(3, "a", "two")},
		"messages": {request(2, "a", "fail", "one", "two")},
		"file":     {request(1, "a", "one"), file("fail"), request(3, "a", "two")},
		"export":   {memory("one"), memory("bad"), memory("two")},
		"fact":     {fact("one"), fact("bad"), fact("two")},
	} {
		for _, fail := range errs {
			t.Run(fmt.Sprintf("%s/%v", what, fail), func(t *testing.T) {
				t.Parallel()
				s := newShelf()
				s.fail = fail
				report, err := transfer.Run(t.Context(), s, stream(items...), transfer.Options{})
				switch kind := trilith.KindOf(fail); {
				case fail == disk, kind == trilith.Unauthenticated, kind == trilith.Forbidden, kind == trilith.Unsupported,
					kind == trilith.Unavailable, kind == trilith.Canceled, kind == trilith.DeadlineExceeded:
					if trilith.KindOf(err) != kind || report.BadLineCount != 0 {
						t.Errorf("Run = %+v, %v, want the run ended by the error", report, err)
					}
				case what == "file" && kind == trilith.Conflict:
					if err != nil || report.Stored != 2 || report.Rejected[trilith.ReasonErased] != 1 {
						t.Errorf("Run = %+v, %v, want two stored and the file counted as erased", report, err)
					}
				default:
					if err != nil || report.Stored != 2 || report.BadLineCount != 1 || report.BadLines[0].Line != 2 {
						t.Errorf("Run = %+v, %v, want two stored and the bad one reported", report, err)
					}
				}
			})
		}
	}
}

func TestRunKeepsTheFirstBadLines(t *testing.T) {
	t.Parallel()
	n := transfer.KeptBadLines + 5
	items := func(yield func(transfer.Item, error) bool) {
		for i := range n {
			if !yield(transfer.Item{},
				&transfer.LineError{Path: "f", Line: i + 1, Err: trilith.Errorf(trilith.Invalid, "x")}) {
				return
			}
		}
	}
	var last transfer.Progress
	report, err := transfer.Run(t.Context(), newShelf(), items,
		transfer.Options{Progress: func(p transfer.Progress) { last = p }})
	if err != nil || report.BadLineCount != n || len(report.BadLines) != transfer.KeptBadLines {
		t.Errorf("Run = %d bad lines, %d kept, %v, want %d and %d", report.BadLineCount, len(report.BadLines), err, n,
			transfer.KeptBadLines)
	}
	if want := (transfer.Progress{BadLines: n}); last != want {
		t.Errorf("last Progress = %+v, want %+v", last, want)
	}
}

func TestRunEndsOnOtherErrors(t *testing.T) {
	t.Parallel()
	gone := trilith.Errorf(trilith.Unavailable, "store: does not answer")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		items iter.Seq2[transfer.Item, error]
		want  trilith.ErrorKind
	}{
		{"target", t.Context(), stream(request(1, "a", "fail")), trilith.Unavailable},
		{"reader", t.Context(), then(stream(), trilith.Errorf(trilith.Exhausted, "disk: is full"), request(2, "a", "one")),
			trilith.Exhausted},
		{"context", canceled, stream(request(1, "a", "one")), trilith.Canceled},
		{"context, nothing to do", canceled, stream(), trilith.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf()
			s.fail = gone
			report, err := transfer.Run(c.ctx, s, c.items, transfer.Options{})
			if err == nil || trilith.KindOf(err) != c.want || report.BadLineCount != 0 || report.Stored != 0 {
				t.Errorf("Run = %+v, %v, want an empty report and kind %v", report, err, c.want)
			}
		})
	}
}

func TestRunRestoresInOrder(t *testing.T) {
	t.Parallel()
	var items []transfer.Item
	var want []trilith.ID
	for i := range 1200 {
		m := &trilith.Memory{ID: trilith.DeriveID(fmt.Sprint(i)), Text: "good"}
		if i == 700 {
			m.Text = "bad"
		} else {
			want = append(want, m.ID)
		}
		items = append(items, transfer.Item{Path: "f", Line: i + 2, Export: &trilith.ExportItem{Memory: m}})
	}
	items = append(items, transfer.Item{Path: "f", Line: 1202, Export: &trilith.ExportItem{Source: &trilith.Source{}}})
	s := newShelf()
	report, err := transfer.Run(t.Context(), s, stream(items...), transfer.Options{})
	if err != nil || report.Stored != 1200 || report.Sources != 1 || report.BadLineCount != 1 ||
		report.BadLines[0].Line != 702 {
		t.Errorf("Run = %+v, %v, want 1200 stored and line 702 bad", report, err)
	}
	if !slices.Equal(s.restored, want) {
		t.Errorf("Run restored %d memories, want %d in the order of the file", len(s.restored), len(want))
	}
	if slices.Max(s.batches) > role.MaxBatch {
		t.Errorf("Run sends up to %d items at once, want at most %d", slices.Max(s.batches), role.MaxBatch)
	}
}

func TestLineErrorAsJSON(t *testing.T) {
	t.Parallel()
	got, err := transfer.LineError{Path: "f", Line: 3, Err: trilith.Errorf(trilith.Invalid, "id: is missing")}.MarshalJSON()
	if want := `{"path":"f","line":3,"error":"id: is missing"}`; err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("MarshalJSON = %s, %v, want %s", got, err, want)
	}
}

// TestRunFacts: foreign facts go in batches, in the scope that was asked for, and one that is wrong spoils no other.
func TestRunFacts(t *testing.T) {
	t.Parallel()
	var items []transfer.Item
	for i := range 601 {
		text := "fine"
		if i == 7 {
			text = "bad"
		}
		items = append(items, transfer.Item{Path: "table", Line: i + 1,
			Fact: &trilith.ForeignFact{Ref: trilith.ForeignRef{Name: "t/1", Scope: trilith.Scope{User: "theirs"}},
				Successor: &trilith.ForeignRef{Name: "t/2"}, Former: []trilith.ForeignRef{{Name: "t/3"}},
				Memory: trilith.Memory{Text: text}}})
	}
	s := newShelf()
	report, err := transfer.Run(t.Context(), s, stream(items...),
		transfer.Options{Scope: trilith.Scope{Tenant: "acme", User: "ours"}, Now: clock()})
	if err != nil || report.Stored != 600 || report.BadLineCount != 1 || report.BadLines[0].Line != 8 {
		t.Errorf("Run = %+v, %v; want 600 stored and row 8 bad", report, err)
	}
	for _, f := range s.facts {
		for _, ref := range []trilith.ForeignRef{f.Ref, *f.Successor, f.Former[0]} {
			if ref.Scope.User != "ours" {
				t.Fatalf("a fact came as %+v", f)
			}
		}
	}
	if items[0].Fact.Ref.Scope.User != "theirs" || items[0].Fact.Former[0].Scope.User != "" {
		t.Errorf("what was read was changed: %+v", items[0].Fact)
	}
	dry, err := transfer.Run(t.Context(), newShelf(), stream(items...), transfer.Options{DryRun: true, Now: clock()})
	if err != nil || dry.Stored != 601 {
		t.Errorf("a dry run = %+v, %v", dry, err)
	}
	_, err = transfer.Run(t.Context(), newShelf(), stream(items...), transfer.Options{Strict: true, Now: clock()})
	if err == nil || !strings.Contains(err.Error(), "table:8") {
		t.Errorf("a strict run = %v, want the place of the bad fact", err)
	}
}
