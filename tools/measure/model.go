package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/tools/measure/extraction"
)

type modelCmd struct {
	Dir      string        `arg:"" help:"Folder of labelled turns." default:"tools/measure/extraction/testdata"`
	Program  string        `help:"The program trilith, which is started twice." default:"bin/trilith" placeholder:"FILE"`
	Together int           `help:"Turns of a session that are posted in one request." default:"4" placeholder:"N"`
	Within   time.Duration `help:"Time for the turns. Those that were read by then are reported." default:"25m" placeholder:"TIME"`
}

// Run measures what rules and a model find in talk.
func (c *modelCmd) Run(ctx context.Context, s *surroundings) error {
	set, err := extraction.Load(c.Dir)
	if err != nil {
		return err
	}
	if s.Model == "none" || s.Model == "" {
		return trilith.Errorf(trilith.Invalid, "model: name one with --model or TRILITH_MODEL")
	}
	limited, stop := context.WithTimeout(ctx, c.Within)
	defer stop()
	var runs []extraction.Run
	var steps []extraction.Step
	for _, by := range []trilith.Extraction{trilith.ExtractRules, trilith.ExtractAuto} {
		at, end, err := c.serve(context.WithoutCancel(ctx), s.Model)
		if err != nil {
			return err
		}
		o := extraction.Options{Extract: by, Together: c.Together}
		if by == trilith.ExtractAuto {
			o.Progress = s.remaining("turns")
		}
		run, err := extraction.Post(limited, client.New(at), set, o)
		if err == nil && by == trilith.ExtractAuto {
			steps = extraction.Walk(ctx, client.New(at), set.Turns[0].Session)
		}
		end()
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	name, _, _ := strings.Cut(s.Model, "?")
	r := extraction.Make(name, set, runs...)
	r.Steps = steps
	return s.print(r, r.Table)
}

// serve starts the program on an empty memory and returns its address. end ends it and removes the memory.
func (c *modelCmd) serve(ctx context.Context, model string) (at string, end func(), err error) {
	dir, err := os.MkdirTemp("", "trilith-model-")
	if err != nil {
		return "", nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, c.Program, "serve", "--addr", "127.0.0.1:0", "--store",
		"sqlite:"+filepath.Join(dir, "model.db"), "--embedder", "builtin:", "--model", model)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	end = func() {
		stop()
		_ = cmd.Wait() // it was told to end
		_ = os.RemoveAll(dir)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Stderr = os.Stderr
		err = cmd.Start()
	}
	if err != nil {
		stop()
		_ = os.RemoveAll(dir)
		return "", nil, trilith.Errorf(trilith.Invalid, "program: %s cannot be started: %w", c.Program, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(line, "http://")
	if err != nil || !found {
		end()
		return "", nil, trilith.Errorf(trilith.Invalid, "program: %s serve says no address: %q", c.Program, line)
	}
	return "http://" + strings.TrimSpace(address), end, nil
}
