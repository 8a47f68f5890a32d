package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// started is the cost of a start.
type started struct {
	took time.Duration // until the first answer
	busy time.Duration // of the processor, to the end of the process: other work on the machine moves it least
	mem  resident      // after the answer; unknown of a process that had ended by then
}

// starter starts a process on a memory and waits for its answer.
type starter func(ctx context.Context, file, question string) (started, error)

// startsEach is how often each start is measured.
const startsEach = 7

// idle is how long a process has had nothing to do when its memory is looked at again.
const idle = 2 * time.Second

// starts measures the time from a cold start of a process to its first answer, and its memory then. The system's cache
// of the file is warm.
func (b *bench) starts(ctx context.Context) error {
	t := b.table("start", "From the start of a process to its first answer", "best_ms", "p50_ms", "cpu_ms",
		"resident_mb", "anonymous_mb", "peak_mb")
	question := b.someQuestion()
	recall := func(args ...string) starter {
		return func(ctx context.Context, file, question string) (started, error) {
			return b.startRecall(ctx, file, question, args...)
		}
	}
	rows := []struct {
		name, label, file string
		start             starter
	}{
		{"recall_words", "recall by words, the whole process", builtFile, recall("--arms", "lexical")},
		{"recall", "recall, the whole process", builtFile, recall()},
		{"mcp", "mcp, the first search", builtFile, b.startMCP},
		{"serve", "serve, until it is ready", builtFile, b.startServe},
		{"serve_empty", "serve, nothing stored", "empty.db", b.startServe},
	}
	if b.o.settings.Embedder != "none" {
		rows = slices.Insert(rows, 1, rows[0])
		rows[1].name, rows[1].label, rows[1].start = "recall_vectors", "recall by vectors, the whole process",
			recall("--arms", "dense")
	}
	for _, r := range rows {
		if err := b.repeat(ctx, t, r.name, r.label, r.file, question, r.start); err != nil {
			return err
		}
	}
	return b.grown(ctx, t)
}

func (b *bench) startRecall(ctx context.Context, file, question string, args ...string) (started, error) {
	cmd := b.command(ctx, file, append([]string{"recall", question}, args...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	start := time.Now()
	out, err := cmd.Output()
	s := started{took: time.Since(start), mem: resident{unknown, unknown, unknown}}
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, complaint.String())
	}
	if len(out) == 0 {
		return s, errors.New("it said nothing")
	}
	s.busy = busyTime(cmd)
	return s, nil
}

func (b *bench) startServe(ctx context.Context, file, _ string) (s started, err error) {
	start := time.Now()
	service, err := startService(ctx, b, file)
	if err != nil {
		return s, err
	}
	defer func() {
		service.end()
		s.busy = busyTime(service.cmd)
	}()
	res, err := http.Get(service.url + "/readyz")
	if err != nil {
		return s, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	s.took, s.mem = time.Since(start), residentOf(service.cmd.Process.Pid)
	return s, nil
}

// grown looks at the memory of a process that has answered many questions, and then none for a while.
func (b *bench) grown(ctx context.Context, t *table) error {
	agent, _, err := b.agent(ctx, b.command(ctx, builtFile, "mcp"), b.someQuestion())
	if err != nil {
		return err
	}
	defer agent.end()
	searches := b.times(callsMost)
	for i := range searches {
		if err := agent.search(b.sample.people[i%len(b.sample.people)].question("it")); err != nil {
			return err
		}
	}
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		return ctx.Err()
	}
	r := residentOf(agent.cmd.Process.Pid)
	t.row("mcp_idle", fmt.Sprintf("mcp, idle after %d searches", searches), unknown, unknown, unknown, r.now,
		r.anonymous, r.peak)
	return nil
}

// tail leaves the largest number of changes outside the snapshot that a crash can leave, and starts again.
func (b *bench) tail(ctx context.Context) error {
	m, err := b.open(ctx, builtFile, nil)
	if err != nil {
		return err
	}
	s := b.sample.talks(19)
	tail := b.sample.memories * 9 / 100 // a tenth would be kept
	for left := tail; left > 0 && err == nil; left -= trilith.MaxItems {
		var r trilith.RememberRequest
		for _, turn := range s.Conversation(sampleBegin, min(left, trilith.MaxItems)).Turns {
			r.Messages = append(r.Messages, trilith.Message{Content: turn.Text})
		}
		_, err = m.Remember(ctx, b.scope(b.o.tenant), r)
	}
	if err == nil {
		err = m.Settle(ctx)
	}
	if err = errors.Join(err, m.Close()); err != nil {
		return err
	}
	return b.repeat(ctx, b.report.find("start"), "mcp_after_crash",
		fmt.Sprintf("mcp, the first search, %d memories not in the kept text index", tail), builtFile,
		b.someQuestion(), b.startMCP)
}

func (b *bench) repeat(ctx context.Context, t *table, name, label, file, question string, start starter) error {
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	n := b.times(startsEach)
	set, finish := b.o.progress(label)
	defer finish()
	var took, busy []time.Duration
	var mem resident
	for i := range n {
		s, err := start(ctx, file, question)
		if err != nil {
			return trilith.Errorf(trilith.Internal, "%s: %w", label, err)
		}
		took, busy, mem = append(took, s.took), append(busy, s.busy), s.mem
		set(int64(i+1), int64(n))
	}
	t.row(name, label, ms(slices.Min(took)), ms(quantile(took, .5)), ms(quantile(busy, .5)), mem.now,
		mem.anonymous, mem.peak)
	return nil
}

// someQuestion asks for something that the built memory holds.
func (b *bench) someQuestion() string {
	var question string
	enough := errors.New("one is enough")
	_ = b.sample.conversations(func(_ trilith.Scope, r trilith.RememberRequest) error {
		question = synthetic.New(17).Question(r.Messages[0].Content)
		return enough
	})
	return question
}

func (b *bench) startMCP(ctx context.Context, file, question string) (started, error) {
	agent, took, err := b.agent(ctx, b.command(ctx, file, "mcp"), question)
	if err != nil {
		return started{}, err
	}
	s := started{took: took, mem: residentOf(agent.cmd.Process.Pid)}
	agent.end()
	s.busy = busyTime(agent.cmd)
	return s, nil
}

// command is the program on a memory of the benchmark.
func (b *bench) command(ctx context.Context, file string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(
		ctx, b.o.program, append(args, "--store", b.store(file), "--embedder", b.o.settings.Embedder, "--tenant",
			b.o.tenant)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd
}

// busyTime is how long an ended process kept processors busy.
func busyTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
