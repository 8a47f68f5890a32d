package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// sample is the content of the memory that is built: the same for equal numbers, in any store. The largest tenant
// holds conversations of many users, most of them of a few, and facts about things that some people love; the other
// tenants hold conversations.
type sample struct {
	memories int
	tenants  []tenant // falling
	people   []person
	texts    []synthetic.Turn // source of the conversations; none: synthetic ones
}

// tenant is a tenant and how many turns its conversations have.
type tenant struct {
	name  string
	turns int
}

// person is an entity and the things that it says it loves: a fact each.
type person struct {
	user  string
	likes []string
}

// sampleVersion is raised when equal numbers give another sample: a memory that was kept is of no use then.
const sampleVersion = 2

// Sizes of the entities: most have few facts, some have many, one has very many.
const (
	mostFacts = 200
	hubFacts  = 500
)

// newSample plans one of n memories of the largest tenant. Sizes of the others fall with the fourth power of their
// rank. A twentieth of the memories are facts, and as many the turns that they rest on.
func newSample(first string, n int) sample {
	w := sample{memories: n}
	s := synthetic.New(11)
	facts := n / 20
	for left := facts; left > 0; {
		share := s.Float64()
		size := 1 + int(share*share*share*(mostFacts-1))
		if len(w.people) == 0 {
			size = min(hubFacts, facts/3)
		}
		p := person{user: fmt.Sprintf("person-%d", len(w.people))}
		for range min(size, left) {
			p.likes = append(p.likes, s.Thing())
		}
		left -= len(p.likes)
		w.people = append(w.people, p)
	}
	w.tenants = []tenant{{first, n - 2*facts}}
	for rank := 2; rank <= 5; rank++ {
		w.tenants = append(w.tenants, tenant{fmt.Sprintf("%.60s-%d", first, rank), max(n/(rank*rank*rank*rank), 20)})
	}
	return w
}

// smallest is the tenant that the others must not slow down.
func (w sample) smallest() string { return w.tenants[len(w.tenants)-1].name }

// builtMemory describes the content of a kept folder, and how long building it took.
type builtMemory struct {
	Sample   int                `json:"sample"`
	Memories int                `json:"memories"`
	Tenant   string             `json:"tenant"`
	Embedder string             `json:"embedder"`
	Texts    string             `json:"texts,omitempty"` // a name of those that were given
	Rates    map[string]float64 `json:"rates"`
	PeakMB   float64            `json:"peak_mb,omitempty"` // of the process that built it, where the system tells
}

const builtRecord = "trilith-bench.json"

// rates are the rows of building: how much a second.
var rates = [][2]string{
	{"stored", "conversations, stored, memories"},
	{"in_every_index", "conversations, stored and in every index, memories"},
	{"facts", "turns with a fact each, stored and derived"},
}

// build stores the sample, unless a run before has left it.
func (b *bench) build(ctx context.Context) error {
	b.report.Memory.Memories, b.report.Memory.Facts = b.sample.memories, b.sample.facts()
	b.report.Memory.Others, b.report.Memory.Tenants = b.sample.others(), len(b.sample.tenants)
	done := builtMemory{Sample: sampleVersion, Memories: b.sample.memories, Tenant: b.o.tenant,
		Embedder: b.o.settings.Embedder}
	if len(b.sample.texts) > 0 {
		done.Texts = nameOf(b.sample.texts)
	}
	kept, err := b.kept(done)
	if err != nil {
		return err
	}
	if kept == nil {
		if done.Rates, err = b.fill(ctx); err != nil {
			return err
		}
		if peak := residentOf(os.Getpid()).peak; b.on == "" && !math.IsNaN(peak) {
			done.PeakMB = peak
		}
		kept = &done
		if b.on == "" {
			record, err := json.Marshal(done)
			if err == nil {
				err = os.WriteFile(filepath.Join(b.home, builtRecord), record, 0o644)
			}
			if err != nil {
				return err
			}
		}
	}
	t := b.table("build", "Building the memory", "per_s", "peak_mb")
	for _, r := range rates {
		t.row(r[0], r[1], kept.Rates[r[0]])
	}
	if kept.PeakMB > 0 {
		t.row("process", "the process that built it", unknown, kept.PeakMB)
	}
	if info, err := os.Stat(filepath.Join(b.home, builtFile)); err == nil {
		b.report.Memory.FileMB = float64(info.Size()) / 1e6
	}
	return nil
}

// kept returns the content of the folder; nil if it is empty. It must match the wanted one.
func (b *bench) kept(want builtMemory) (*builtMemory, error) {
	if b.on != "" {
		return nil, nil
	}
	record, err := os.ReadFile(filepath.Join(b.home, builtRecord))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(b.home, builtFile)); err == nil {
			return nil, trilith.Errorf(
				trilith.Conflict, "keep: %s holds %s, which no benchmark has finished; name another folder, or remove it",
				b.home, builtFile)
		}
		return nil, nil
	}
	var have builtMemory
	if err == nil {
		err = json.Unmarshal(record, &have)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Conflict, "keep: %s in %s cannot be read: %w", builtRecord, b.home, err)
	}
	if have.Sample != want.Sample || have.Memories != want.Memories || have.Tenant != want.Tenant ||
		have.Embedder != want.Embedder {
		return nil, trilith.Errorf(
			trilith.Conflict, "keep: %s holds %d memories of tenant %s with embedder %s (form %d), not %d of %s with %s (form %d); name another folder",
			b.home, have.Memories, have.Tenant, have.Embedder, have.Sample, want.Memories, want.Tenant,
			want.Embedder, want.Sample)
	}
	if have.Texts != want.Texts {
		return nil, trilith.Errorf(trilith.Conflict, "keep: %s contains other texts; name another folder", b.home)
	}
	return &have, nil
}

// Conversations began within these two years; a tenth of them since lastTenth.
var (
	sampleBegin = time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC)
	sampleDays  = 730
	lastTenth   = sampleBegin.AddDate(0, 0, sampleDays*9/10)
)

// fill stores the sample and waits until it is in every index.
func (b *bench) fill(ctx context.Context) (map[string]float64, error) {
	m, err := b.open(ctx, builtFile, nil)
	if err != nil {
		return nil, err
	}
	perSecond := func(n int, since time.Time) float64 { return float64(n) / time.Since(since).Seconds() }
	out := map[string]float64{}
	start, stored := time.Now(), 0
	err = func() error {
		total := b.sample.conversational()
		set, finish := b.o.progress("conversations")
		defer finish()
		err := b.sample.conversations(func(scope trilith.Scope, r trilith.RememberRequest) error {
			_, err := m.Remember(ctx, scope, r)
			stored += len(r.Messages)
			set(int64(stored), int64(total))
			return err
		})
		if err != nil {
			return err
		}
		out["stored"] = perSecond(stored, start)
		if err := m.Settle(ctx); err != nil {
			return err
		}
		out["in_every_index"] = perSecond(stored, start)
		start = time.Now()
		set(0, int64(len(b.sample.people)))
		for i, p := range b.sample.people {
			scope := b.scope(b.o.tenant)
			scope.User = p.user
			r := trilith.RememberRequest{Extract: trilith.ExtractRules,
				Timestamp: sampleBegin.AddDate(0, 0, i*97%sampleDays).Format(time.RFC3339)}
			for _, thing := range p.likes {
				r.Messages = append(r.Messages, trilith.Message{Content: "I love " + thing + "."})
			}
			if _, err := m.Remember(ctx, scope, r); err != nil {
				return err
			}
			set(int64(i), int64(len(b.sample.people)))
		}
		if err := m.Work(ctx); err != nil {
			return err
		}
		out["facts"] = perSecond(b.sample.facts(), start)
		if err := m.Settle(ctx); err != nil {
			return err
		}
		settings := b.o.settings
		settings.Vectors = b.vectorsOf(builtFile)
		return compose.AwaitIndexed(ctx, settings)
	}()
	return out, errors.Join(err, m.Close())
}

// conversational is how many turns the conversations of all tenants have.
func (w sample) conversational() int { return w.tenants[0].turns + w.others() }

func (w sample) others() (n int) {
	for _, t := range w.tenants[1:] {
		n += t.turns
	}
	return n
}

// How conversations are marked: at random, so that a filter by a mark lets through memories of every sort.
const (
	tenthChannel, hundredthChannel, otherChannel = "phone", "letter", "chat"
	tenthTag                                     = "starred"
)

// conversations calls yield with every conversation in the same order each time: one request of some ten to ninety
// turns.
func (w sample) conversations(yield func(trilith.Scope, trilith.RememberRequest) error) error {
	s := w.talks(7)
	users := rand.NewZipf(s.Rand, 1.1, 10, uint64(max(10, w.memories/500)))
	session := 0
	for _, t := range w.tenants {
		for left := t.turns; left > 0; session++ {
			scope := trilith.Scope{Tenant: t.name, Actor: "local", User: fmt.Sprintf("user-%d", users.Uint64()),
				Session: fmt.Sprintf("session-%d", session), Channel: otherChannel}
			switch mark := s.IntN(100); {
			case mark < 10:
				scope.Channel = tenthChannel
			case mark < 11:
				scope.Channel = hundredthChannel
			}
			var r trilith.RememberRequest
			if s.IntN(10) == 0 {
				r.Tags = []string{tenthTag}
			}
			talk := s.Conversation(sampleBegin.Add(time.Duration(s.IntN(sampleDays))*24*time.Hour),
				min(left, 10+s.IntN(80)))
			for _, turn := range talk.Turns {
				m := trilith.Message{Content: turn.Text, Timestamp: turn.At.Format(time.RFC3339)}
				if turn.Assistant {
					m.Role = trilith.RoleAssistant
				}
				r.Messages = append(r.Messages, m)
			}
			left -= len(talk.Turns)
			if err := yield(scope, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w sample) facts() (n int) {
	for _, p := range w.people {
		n += len(p.likes)
	}
	return n
}

// writes measures single durable writes, each acknowledged before the next, and compares them with the disk's own
// time for a durable write.
func (b *bench) writes(ctx context.Context) error {
	t := b.table("writes", "Durable single writes", append([]string{"per_s"}, latency...)...)
	if b.on == "" {
		sync, err := b.fsync()
		if err != nil {
			return err
		}
		t.row("fsync", "fsync of 4 KiB, which the disk asks for", append([]float64{unknown}, sync...)...)
	}
	m, err := b.open(ctx, singleFile, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	for _, callers := range []int{1, 8} {
		texts := make([][]string, callers)
		for i := range texts {
			turns := b.sample.talks(uint64(callers*100+i)).Conversation(
				sampleBegin, min(1000, b.sample.memories)/callers).Turns
			for _, turn := range turns {
				texts[i] = append(texts[i], turn.Text)
			}
		}
		took, perSecond, err := together(callers, len(texts[0])*callers, func(caller, i int) error {
			_, err := m.Remember(ctx, b.scope(b.o.tenant), trilith.RememberRequest{Text: texts[caller][i]})
			return err
		})
		if err != nil {
			return err
		}
		t.row(fmt.Sprintf("callers_%d", callers), callersLabel(callers), append([]float64{perSecond}, took...)...)
	}
	return nil
}

func (b *bench) fsync() ([]float64, error) {
	f, err := os.Create(filepath.Join(b.dir, "fsync"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	page := make([]byte, 4096)
	return b.calls("fsync", func(int) error {
		_, err := f.Write(page)
		return errors.Join(err, f.Sync())
	})
}

// together lets callers make n calls in all, each as fast as it can; call is told which caller it is and how many calls
// that one has made. It returns the [latency] and the calls a second.
func together(callers, n int, call func(caller, i int) error) (took []float64, perSecond float64, err error) {
	var running sync.WaitGroup
	errs, each := make([]error, callers), make([][]time.Duration, callers)
	start := time.Now()
	for c := range callers {
		running.Go(func() {
			for i := 0; i < n/callers && errs[c] == nil; i++ {
				begin := time.Now()
				errs[c] = call(c, i)
				each[c] = append(each[c], time.Since(begin))
			}
		})
	}
	running.Wait()
	all := slices.Concat(each...)
	perSecond = float64(len(all)) / time.Since(start).Seconds()
	return []float64{ms(quantile(all, .5)), ms(quantile(all, .95)), ms(quantile(all, .99))}, perSecond,
		errors.Join(errs...)
}

func callersLabel(n int) string {
	if n == 1 {
		return "1 caller"
	}
	return fmt.Sprintf("%d callers", n)
}
