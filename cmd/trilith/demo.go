package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

type demoCmd struct {
	Keep string `help:"Keep the memory in this file." placeholder:"FILE" path:""`
	UI   bool   `name:"ui" help:"Show the memory in a browser, until the command is told to end."`
	Addr string `help:"Address to listen on with --ui." default:"127.0.0.1:0"`
}

// Run remembers the sample conversation in a real file, as any other memory, and shows the facts and answers from it.
func (c *demoCmd) Run(ctx context.Context, a *app) error {
	path := c.Keep
	if path == "" {
		dir, err := os.MkdirTemp("", "trilith-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "demo.db")
	}
	b := *a
	b.Store = "sqlite:" + path
	if c.UI {
		return c.show(ctx, &b)
	}
	m, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	out := a.out
	start := time.Now()
	stored, turns, err := a.rememberDemo(ctx, m)
	if err != nil {
		return err
	}
	took := time.Since(start)
	facts, err := m.Lookup(ctx, a.scope(),
		trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "Mara Lindqvist"}})
	if err != nil {
		return err
	}
	mara := a.scope()
	mara.User = "mara"
	type answer struct {
		Question string               `json:"question"`
		Answer   trilith.RecallResult `json:"answer"`
	}
	var answers []answer
	for _, q := range demoQuestions() {
		res, err := m.Recall(ctx, mara, trilith.RecallRequest{Query: q, K: 3, Explain: true})
		if err != nil {
			return err
		}
		answers = append(answers, answer{q, res})
	}
	block, err := m.Context(ctx, mara, trilith.ContextRequest{Budget: 400,
		RecallRequest: trilith.RecallRequest{Query: demoQuestions()[0], K: 6, Neighbors: 1}})
	if err != nil {
		return err
	}
	return out.result(map[string]any{"stored": stored, "facts": facts, "answers": answers, "context": block}, func() {
		out.linef("%s", out.bold(
			fmt.Sprintf("1. Remembered %d turns of %d sessions in %d ms. The latest:", turns, len(stored),
				took.Milliseconds())))
		out.memories(last(stored, 6))
		out.linef("\n%s", out.bold(
			fmt.Sprintf("2. Derived %d facts about %s, each with the words it rests on. Some of them:",
				len(facts.Facts), facts.Entity.Name)))
		out.facts(facts.Facts[:min(len(facts.Facts), 8)])
		out.linef("\n%s", out.bold("3. Three questions, and why these answers"))
		for _, ans := range answers {
			out.linef("\n%s", out.good("? "+ans.Question))
			for i := range ans.Answer.Hits {
				h := &ans.Answer.Hits[i]
				out.linef("  %s %s  %s", out.bold(fmt.Sprintf("%.2f", h.Score)),
					h.Memory.EventTime.Format(time.DateOnly), out.text(&h.Memory, out.width-20))
				out.linef("       %s", out.dim(found(h)))
			}
		}
		out.linef("\n%s\n", out.bold(fmt.Sprintf("4. What a prompt would get (%d tokens)", block.Tokens)))
		out.linef("%s", strings.TrimSpace(block.Text))
		if c.Keep != "" {
			out.linef("\nKept. Ask it yourself: trilith recall --store sqlite:%s \"Where is Mara going in autumn?\"",
				c.Keep)
		}
	})
}

// show serves a page with the sample conversation.
func (c *demoCmd) show(ctx context.Context, a *app) error {
	serve := serveCmd{Addr: c.Addr, MaxBody: rest.DefaultMaxBody, Extract: "auto",
		ready: func(ctx context.Context, m *opened, addr net.Addr) error {
			if _, _, err := a.rememberDemo(ctx, m); err != nil {
				return err
			}
			return a.showPage(ctx, m, addr.String(), true)
		}}
	return serve.Run(ctx, a)
}

// rememberDemo stores the sessions of the demo with their facts, and counts their turns.
func (a *app) rememberDemo(ctx context.Context, m *opened) (stored []trilith.RememberResult, turns int, err error) {
	for _, s := range demoSessions() {
		scope := a.scope()
		scope.User, scope.Session = "mara", s.ID
		res, err := m.Remember(ctx, scope,
			trilith.RememberRequest{Messages: s.Messages, Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
		if err != nil {
			return nil, 0, err
		}
		stored = append(stored, res)
		turns += len(res.Memories)
	}
	return stored, turns, nil
}

// last returns the last n memories that were stored.
func last(rs []trilith.RememberResult, n int) []trilith.Memory {
	var ms []trilith.Memory
	for i := len(rs) - 1; i >= 0 && len(ms) < n; i-- {
		ms = append(append([]trilith.Memory{}, rs[i].Memories...), ms...)
	}
	return ms[max(0, len(ms)-n):]
}
