package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

type chatCmd struct {
	SessionOnly bool `help:"Show the model facts of this session alone."`
	Budget      int  `help:"Tokens that the model is shown of memory at most; 2000 if left out." placeholder:"N"`
	scopeFlags
}

// chatSettle is how long the end of a conversation waits for the facts of its turns. The next process that opens the
// memory derives the rest.
const chatSettle = 10 * time.Second

// Run talks until the input ends.
func (c *chatCmd) Run(ctx context.Context, a *app) error {
	if a.Model == "" || a.Model == "none" {
		return trilith.Errorf(trilith.Unsupported,
			"chat: needs a model to answer, and none is configured; set --model or TRILITH_MODEL, such as openai:NAME or ollama:NAME")
	}
	if a.RecallLog == "auto" { // its hits go to a model
		a.RecallLog = "on"
	}
	return a.with(ctx, func(m *opened) error {
		t := &talk{app: a, m: m, cmd: c, scope: c.in(a.scope())}
		if isTerminal(a.stdin) {
			a.out.linef("%s", a.out.dim("Say something. /why shows what the last answer was made of, /facts what is known, "+
				"/forget takes something out, /quit ends."))
		}
		if err := t.run(ctx); err != nil {
			return err
		}
		settle, cancel := context.WithTimeout(ctx, chatSettle)
		defer cancel()
		if err := m.Work(settle); err != nil {
			a.logger().Info("chat: the facts will be derived later", "why", err)
		}
		return nil
	})
}

// talk is a conversation.
type talk struct {
	*app
	m     *opened
	cmd   *chatCmd
	scope trilith.Scope
	last  *trilith.ConsultResult
	shown []trilith.ID // by the numbers that were printed last
}

func (t *talk) run(ctx context.Context) error {
	lines := bufio.NewScanner(t.stdin)
	lines.Buffer(nil, trilith.MaxTextBytes+1)
	for t.ask(); ctx.Err() == nil && lines.Scan(); t.ask() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		command, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case command == "/quit" || command == "/exit":
			return nil
		case !strings.HasPrefix(line, "/"):
			err = t.say(ctx, line)
		default:
			err = t.command(ctx, command, strings.TrimSpace(rest))
		}
		if err != nil { // the conversation continues
			fmt.Fprintln(t.stderr, "trilith:", trilith.MessageOf(err))
		}
	}
	if err := lines.Err(); err != nil {
		return trilith.Errorf(trilith.Invalid, "chat: the input cannot be read: %w", err)
	}
	return ctx.Err()
}

// ask invites a person to speak.
func (t *talk) ask() {
	if isTerminal(t.stdin) && !t.JSON {
		fmt.Fprint(t.out.w, t.out.bold("> "))
	}
}

func (t *talk) command(ctx context.Context, name, rest string) error {
	switch name {
	case "/why":
		return t.why(ctx)
	case "/facts":
		return t.facts(ctx, rest)
	case "/forget":
		return t.forget(ctx, rest)
	}
	return trilith.Errorf(trilith.Invalid, "%s is not a command; the commands are /why, /facts [QUESTION], /forget [NUMBER or ID] and /quit",
		plain(name))
}

// say asks the model and prints its answer as it comes.
func (t *talk) say(ctx context.Context, prompt string) error {
	r := trilith.ConsultRequest{Prompt: prompt, SessionOnly: t.cmd.SessionOnly, Budget: t.cmd.Budget}
	written := false
	if !t.JSON {
		r.Stream = func(piece string) {
			written = true
			fmt.Fprint(t.out.w, plain(piece))
		}
	}
	res, err := t.m.Consult(ctx, t.scope, r)
	if written {
		t.out.linef("")
	}
	if err != nil {
		return err
	}
	t.last, t.scope.Session, t.shown = &res, res.Session, nil
	return t.out.result(res, func() {
		for i := range res.Actions {
			t.out.linef("%s", t.out.dim(fmt.Sprintf("proposed, not accepted yet: %s (%s)",
				t.out.line(res.Actions[i].Text, t.out.width-80), res.Actions[i].ID)))
		}
		if res.MemoryMissing != "" {
			fmt.Fprintln(t.stderr, "trilith: answered without all of memory:", plain(res.MemoryMissing))
		}
		if res.NotStored != "" {
			fmt.Fprintln(t.stderr, "trilith: not stored:", plain(res.NotStored))
		}
	})
}

// why prints the sources of the last answer.
func (t *talk) why(ctx context.Context) error {
	if t.last == nil {
		return trilith.Errorf(trilith.Invalid, "why: there is no answer yet")
	}
	u := &t.last.Used
	ids := slices.Concat(u.Facts, u.Actions)
	known := map[trilith.ID]trilith.Memory{}
	for _, id := range ids {
		m, err := t.m.Get(ctx, trilith.Scope{Tenant: t.scope.Tenant, Actor: t.scope.Actor}, id)
		if err != nil && trilith.KindOf(err) != trilith.NotFound {
			return err
		}
		if err == nil {
			known[id] = m
		}
	}
	t.shown = ids
	return t.out.result(t.last.Used, func() {
		n := 0
		for _, part := range []struct {
			what string
			ids  []trilith.ID
		}{{"facts", u.Facts}, {"action items", u.Actions}} {
			t.out.linef("%d %s", len(part.ids), part.what)
			for _, id := range part.ids {
				n++
				m, ok := known[id]
				if !ok {
					t.out.linef("%3d. %s", n, t.out.dim("not there any more"))
					continue
				}
				t.out.linef("%3d. %s", n, t.out.line(m.Text, t.out.width-6))
				if m.Fact != nil && len(m.Fact.Evidence) > 0 {
					e := &m.Fact.Evidence[0]
					t.out.linef("     %s", t.out.dim(m.EventTime.Format(time.DateOnly)+", because: "+
						t.out.line(e.Quote, t.out.width-32)))
				}
			}
		}
		t.out.linef("%d turns of this session, %d tokens in all", len(u.Turns), u.Tokens)
		t.out.linef("%s", t.out.dim(fmt.Sprintf("memory took %.1f ms; recall %s", u.MemoryMS, cmp.Or(u.RecallID, "not logged"))))
	})
}

// facts prints known facts: those that match a question, or the newest.
func (t *talk) facts(ctx context.Context, question string) error {
	s := t.scope
	s.Session = ""
	page, err := t.m.Facts(ctx, s, trilith.FactQuery{Query: question, ValidOnly: true, Limit: 20, StrongOnly: true})
	if err != nil {
		return err
	}
	t.shown = nil
	for i := range page.Items {
		t.shown = append(t.shown, page.Items[i].Memory.ID)
	}
	return t.out.result(page, func() {
		if len(page.Items) == 0 {
			t.out.linef("No facts are known yet.")
		}
		for i := range page.Items {
			t.out.linef("%3d. %s", i+1, t.out.line(page.Items[i].Memory.Text, t.out.width-6))
		}
	})
}

// forget forgets the memory with a number of the last list or an id, or else the last exchange.
func (t *talk) forget(ctx context.Context, what string) error {
	var ids []trilith.ID
	n, err := strconv.Atoi(what)
	switch {
	case what == "" && t.last == nil:
		return trilith.Errorf(trilith.Invalid, "forget: nothing was said yet; name a number of /facts or an id")
	case what == "":
		ids = t.last.Turns
	case err == nil && (n < 1 || n > len(t.shown)):
		return trilith.Errorf(trilith.Invalid, "forget: %d is not a number of the last list; /facts prints one", n)
	case err == nil:
		ids = t.shown[n-1 : n]
	default:
		ids = []trilith.ID{trilith.IDOf(what)}
	}
	if len(ids) == 0 {
		return trilith.Errorf(trilith.Invalid, "forget: the last exchange was not stored")
	}
	tenant := trilith.Scope{Tenant: t.scope.Tenant, Actor: t.scope.Actor}
	res, err := t.m.Forget(ctx, tenant, trilith.ForgetRequest{IDs: ids})
	if err != nil {
		return err
	}
	return t.out.result(res, func() {
		t.out.linef("%d forgotten; trilith call update-memory --state=active brings them back", len(ids))
	})
}
