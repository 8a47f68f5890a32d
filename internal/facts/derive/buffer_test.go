package derive_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// talking opens a memory whose model waits for half a minute of quiet, with a clock that the test sets forward.
func talking(t *testing.T, entries ...scripted.Entry) (rig.Rig, *scripted.Model, func(time.Duration)) {
	t.Helper()
	if len(entries) == 0 {
		entries = []scripted.Entry{{Answer: rig.Claims()}}
	}
	m := scripted.New(scripted.Script{Name: "demo", Entries: entries})
	e, ahead := rig.Clocked(t, func(c *engine.Config) { c.Model, c.Quiet = m, 30*time.Second })
	return e, m, ahead
}

var chat = trilith.Scope{Tenant: "acme", User: "z9", Session: "chat"}

func post(t *testing.T, e rig.Rig, s trilith.Scope, texts ...string) {
	t.Helper()
	for _, text := range texts {
		e.MustRemember(t, s, trilith.RememberRequest{Messages: []trilith.Message{{Role: trilith.RoleUser, Content: text}},
			Extract: trilith.ExtractLLM})
	}
}

func work(t *testing.T, e rig.Rig) {
	t.Helper()
	if err := e.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// read returns the texts of the turns that each request asked to read.
func read(m *scripted.Model) (out []string) {
	for _, r := range m.Requests() {
		var turns []string
		for _, l := range strings.Split(r.Messages[0].Text, "\n") {
			if _, text, is := strings.Cut(l, `"turn":"`); is {
				turns = append(turns, strings.TrimSuffix(text, `"}`))
			}
		}
		out = append(out, strings.Join(turns, " / "))
	}
	return out
}

// Turns that are posted singly are read together when the conversation pauses, once, while rules read each at once.
func TestTurnsWaitForQuiet(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	post(t, e, chat, "I live in Turku.", "My flat looks over the river.")
	work(t, e)
	if got := e.Standing(t, time.Now().Add(time.Hour)); !slices.Contains(got, "lives_in turku") || len(m.Requests()) > 0 {
		t.Fatalf("at once %q stand, and a model was asked %d times; want the facts of rules, and no request", got, len(m.Requests()))
	}
	ahead(20 * time.Second)
	post(t, e, chat, "It has four rooms.")
	ahead(15 * time.Second) // the first turn has waited for long enough, the last has not
	work(t, e)
	if got := read(m); len(got) > 0 {
		t.Fatalf("while the conversation goes on %q are read", got)
	}
	ahead(20 * time.Second)
	work(t, e)
	ahead(time.Hour)
	work(t, e)
	want := []string{"I live in Turku. / My flat looks over the river. / It has four rooms."}
	if got := read(m); !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	jobs, err := e.Jobs(t.Context(), rig.Acme, trilith.JobListing{})
	if err != nil {
		t.Fatal(err)
	}
	by := map[trilith.ID]int{}
	for _, j := range jobs {
		if j.State != trilith.JobDone || j.Error != "" {
			t.Errorf("a job is left, or has an error: %+v", j)
		}
		if j.Report != nil {
			by[j.Report.ReadBy]++
		}
	}
	if len(by) != 2 || by[""] != 1 {
		t.Errorf("jobs by who read their turns: %v; want one that read them all", by)
	}
}

// A conversation that goes on is read when there is enough of it, and after five minutes in any case.
func TestTurnsDoNotWaitForever(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	long := strings.Repeat("We walked along the river to the old mill. ", 30)
	post(t, e, chat, "One: "+long, "Two: "+long, "Three: "+long, "Four: "+long)
	ahead(31 * time.Second)
	post(t, e, chat, "Now for the rest.")
	work(t, e)
	if got := read(m); len(got) == 0 || !strings.HasPrefix(got[0], "One:") {
		t.Errorf("5,000 bytes wait: %q", got)
	}
	e, m, ahead = talking(t)
	for i := range 20 {
		post(t, e, chat, fmt.Sprintf("Mile %d is behind us.", i))
		ahead(20 * time.Second)
		work(t, e)
	}
	if got := read(m); strings.Count(strings.Join(got, "\n"), "Mile") != 15 || !strings.HasPrefix(got[0], "Mile 0 ") {
		t.Errorf("after seven minutes of talk without a pause read %q, want what was said in the first five", got)
	}
}

// A caller who waits for the facts gets them at once, with those of the turns before; another session is read by itself.
func TestWhoWaitsIsReadAtOnce(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	other := chat
	other.Session = "other"
	post(t, e, chat, "I live in Turku.")
	post(t, e, other, "I have a boat.")
	e.MustRemember(t, chat, trilith.RememberRequest{Text: "My flat looks over the river.", Extract: trilith.ExtractLLM,
		Wait: trilith.WaitExtracted})
	if got, want := read(m), []string{"I live in Turku. / My flat looks over the river."}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	ahead(time.Minute)
	work(t, e)
	if got, want := read(m)[1:], []string{"I have a boat."}; !slices.Equal(got, want) {
		t.Errorf("then read %q, want %q", got, want)
	}
}

// Many conversations at a time are read each by itself, however many turns of others wait between.
func TestConversationsInterleaved(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	const sessions, turns = 60, 9 // together more than a page of jobs
	for i := range turns {
		for n := range sessions {
			s := chat
			s.Session = fmt.Sprint("chat ", n)
			post(t, e, s, fmt.Sprintf("In house %d there is room %d.", n, i))
		}
	}
	ahead(time.Minute)
	work(t, e)
	got := read(m)
	if len(got) != sessions || strings.Count(strings.Join(got, " / "), "In house") != sessions*turns {
		t.Errorf("%d turns of %d conversations took %d requests", sessions*turns, sessions, len(got))
	}
}

// Turns of callers who may act for different owners are not read together, nor are those of two sessions.
func TestBoundCallersAreReadApart(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	bound, other := chat, chat
	bound.Fixed, other.Session = trilith.Fixed{NotAsUser: true}, "other"
	post(t, e, chat, "I live in Turku.")
	post(t, e, bound, "I have a boat.")
	post(t, e, other, "I have a dog.")
	ahead(time.Minute)
	work(t, e)
	got := read(m)
	slices.Sort(got)
	if want := []string{"I have a boat.", "I have a dog.", "I live in Turku."}; !slices.Equal(got, want) {
		t.Errorf("read %q, want each by itself", got)
	}
}

// Turns that wait are in the queue, so a process that takes over from one that was killed reads them.
func TestTurnsOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	m := scripted.New(scripted.Script{Name: "demo", Entries: []scripted.Entry{{Answer: rig.Claims()}}})
	var ahead atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	store := inmem.New(now)
	open := func() rig.Rig {
		return rig.Open(t, engine.Config{Store: store, Log: store, Queue: store}, func(c *engine.Config) {
			c.Model, c.Quiet, c.Now = m, 30*time.Second, now
		})
	}
	first := open()
	post(t, first, chat, "I live in Turku.", "My flat looks over the river.")
	work(t, first)
	if got := read(m); len(got) > 0 {
		t.Fatalf("%q are read at once", got)
	}
	ahead.Store(int64(time.Minute))
	work(t, open())
	if got, want := read(m), []string{"I live in Turku. / My flat looks over the river."}; !slices.Equal(got, want) {
		t.Errorf("the next process reads %q, want %q", got, want)
	}
}

// What states nothing costs no request; beside what does, it is context.
func TestNothingStated(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	post(t, e, chat, "Hi there, how are you?", "Thank you so much for that!", "Vielen Dank dir noch mal!", "Qué tal?",
		"元気ですか？")
	ahead(time.Hour)
	work(t, e)
	if got := read(m); len(got) > 0 {
		t.Errorf("%q were read, which state nothing", got)
	}
	post(t, e, chat, "What do you feed a cat?", "Thanks, I have two of them.")
	ahead(time.Hour)
	work(t, e)
	if got, want := read(m), []string{"Thanks, I have two of them."}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if text := m.Requests()[0].Messages[0].Text; !strings.Contains(text, `{"context":"What do you feed a cat?"`) {
		t.Errorf("the question is no context: %s", text)
	}
	for _, text := range []string{"Great Danes are what we breed.", "Morning runs keep me sane.", "hi i live in oslo",
		"Thanks to my brother I work at Bosch.", "Hola vivo en Bergen.", "Gracias a mi hermano trabajo en Seat."} {
		n := len(m.Requests())
		post(t, e, chat, text)
		ahead(time.Hour)
		work(t, e)
		if len(m.Requests()) == n {
			t.Errorf("%q is not read", text)
		}
	}
	talk := func(ms ...trilith.Message) {
		e.MustRemember(t, chat, trilith.RememberRequest{Messages: ms, Extract: trilith.ExtractLLM,
			Wait: trilith.WaitExtracted})
	}
	talk(trilith.Message{Role: trilith.RoleAssistant, Content: "Which instrument do you play?"},
		trilith.Message{Role: trilith.RoleUser, Content: "Cello."})
	if got := read(m); got[len(got)-1] != "Cello." {
		t.Errorf("a short answer is not read: %q", got)
	}
}

// A hundred turns that are posted singly cost no more than a twelfth of their number in requests.
func TestTurnsAreReadTogetherUnderLoad(t *testing.T) {
	t.Parallel()
	e, m, ahead := talking(t)
	for i := range 100 {
		post(t, e, chat, fmt.Sprintf("Stop %d of the line is open again.", i))
	}
	ahead(time.Minute)
	work(t, e)
	tokens := 0
	for _, r := range m.Requests() {
		tokens += (len(r.System) + len(r.Schema.JSON) + len(r.Messages[0].Text)) / 4
	}
	if n := len(m.Requests()); n > 12 || tokens > 100*600 {
		t.Errorf("100 turns took %d requests of some %d tokens; want at most 12 and 60,000", n, tokens)
	}
	turns := 0
	for _, r := range read(m) {
		turns += strings.Count(r, "Stop ")
	}
	if turns != 100 {
		t.Errorf("%d turns were read, want each once", turns)
	}
}
