package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// How often things of several processes are measured; calls are taken in turns, so that other load of the machine
// concerns both sides.
const (
	bridgeStarts = 5
	bridgeCalls  = 600
	bridgeRuns   = 20
)

// processes measures several processes on one memory: its owner, those that connect to it, and commands.
func (b *bench) processes(ctx context.Context) error {
	t := b.table("processes", "Several processes on one memory", "best_ms", "p50_ms", "p95_ms", "slowest_ms",
		"resident_mb")
	add := func(name, label string, took []time.Duration, mem float64) {
		t.row(name, label, ms(quantile(took, 0)), ms(quantile(took, .5)), ms(quantile(took, .95)),
			ms(quantile(took, 1)), mem)
	}
	s := b.sample.talks(9)
	talk := s.Conversation(sampleBegin, 100).Turns
	text := func() string { return talk[s.IntN(len(talk))].Text }
	mcp := func() (*agent, time.Duration, error) {
		return b.agent(ctx, b.command(ctx, builtFile, "mcp"), s.Question(text()))
	}
	own, took, err := mcp()
	if err != nil {
		return err
	}
	defer own.end()
	firstOwn := []time.Duration{took}
	var starts []time.Duration
	var bridge *agent
	for range b.times(bridgeStarts) {
		if bridge != nil {
			bridge.end()
		}
		if bridge, took, err = mcp(); err != nil {
			return err
		}
		starts = append(starts, took)
	}
	defer bridge.end()
	add("owner_start", "mcp, owner: start to the first search", firstOwn, residentOf(own.cmd.Process.Pid).now)
	add("bridge_start", "mcp, bridge: start to the first search", starts, residentOf(bridge.cmd.Process.Pid).now)
	for _, c := range []struct {
		name string
		args func() (tool string, args map[string]any)
	}{
		{"search", func() (string, map[string]any) {
			return "memory_search", map[string]any{"query": s.Question(text())}
		}},
		{"append", func() (string, map[string]any) { return "memory_append", map[string]any{"content": text()} }},
	} {
		var there, here []time.Duration
		for range b.times(bridgeCalls) {
			tool, args := c.args()
			for _, side := range []struct {
				who  *agent
				took *[]time.Duration
			}{{own, &here}, {bridge, &there}} {
				start := time.Now()
				if err := side.who.call(tool, args); err != nil {
					return err
				}
				*side.took = append(*side.took, time.Since(start))
			}
		}
		add("owner_"+c.name, "mcp, owner: "+c.name, here, unknown)
		add("bridge_"+c.name, "mcp, bridge: "+c.name, there, unknown)
	}
	var runs []time.Duration
	for range b.times(bridgeRuns) {
		s, err := b.startRecall(ctx, builtFile, s.Question(text()))
		if err != nil {
			return err
		}
		runs = append(runs, s.took)
	}
	add("command", "trilith recall beside an owner, the whole process", runs, unknown)
	if err := own.cmd.Process.Kill(); err != nil {
		return err
	}
	start := time.Now()
	if err := bridge.search(s.Question(text())); err != nil {
		return err
	}
	add("takeover", "mcp, the next search after the owner was killed", []time.Duration{time.Since(start)}, unknown)
	return nil
}

// agent is a client of a separate process, trilith mcp.
type agent struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// agent starts one, and returns how long that took until it had found something.
func (b *bench) agent(ctx context.Context, cmd *exec.Cmd, question string) (*agent, time.Duration, error) {
	a := &agent{cmd: cmd}
	a.cmd.Stderr = b.o.stderr
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, 0, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	a.out = bufio.NewReaderSize(out, 1<<20)
	start := time.Now()
	if err := a.cmd.Start(); err != nil {
		return nil, 0, err
	}
	err = a.ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": b.o.settings.Version}})
	if err == nil {
		_, err = io.WriteString(a.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err == nil {
		err = a.search(question)
	}
	took := time.Since(start)
	if err != nil {
		a.end()
	}
	return a, took, err
}

func (a *agent) search(question string) error {
	return a.call("memory_search", map[string]any{"query": question})
}

func (a *agent) call(tool string, args map[string]any) error {
	return a.ask("tools/call", map[string]any{"name": tool, "arguments": args})
}

func (a *agent) ask(method string, params map[string]any) error {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		return err
	}
	answer, err := a.out.ReadString('\n')
	if err == nil && (strings.Contains(answer, `"error":{`) || strings.Contains(answer, `"isError":true`)) {
		err = trilith.Errorf(trilith.Internal, "mcp answers %s", answer)
	}
	return err
}

// end closes the input of the process, which ends it, and waits.
func (a *agent) end() {
	_ = a.in.Close()
	_ = a.cmd.Wait() // it may have been killed
}
