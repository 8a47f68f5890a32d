package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// hookCmd is called by Claude Code at certain points of a session, with a JSON object on standard input. Its standard
// output goes to the model. It never blocks an agent: errors go to standard error, and the exit code is 0, because
// others mean something to the caller.
type hookCmd struct {
	Client string `arg:"" help:"Agent that calls the hook: claude-code." enum:"claude-code"`
	Budget int    `help:"Tokens of memory at most." default:"1000"`
	scopeFlags
}

// Bounds of a hook.
const (
	hookTime     = 10 * time.Second
	maxHookInput = 16 << 20
	// hookTail is how much of a transcript is read after an answer; before the transcript is shortened and at the end
	// of a session all of it is read.
	hookTail = 1 << 20
	// startFacts is the number of facts at the beginning of a session.
	startFacts = 20
)

// hookInput holds the used members of the object; the names are the caller's.
type hookInput struct {
	Event      string `json:"hook_event_name"`
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Folder     string `json:"cwd"`
	Prompt     string `json:"prompt"`
}

func (c *hookCmd) Run(ctx context.Context, a *app) error {
	if err := c.run(ctx, a); err != nil {
		a.logger().Warn("hook: the agent continues without memory", "error", err)
	}
	return nil
}

func (c *hookCmd) run(ctx context.Context, a *app) error {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	body, err := io.ReadAll(io.LimitReader(a.stdin, maxHookInput))
	if err != nil {
		return err
	}
	var in hookInput
	if err := json.Unmarshal(body, &in); err != nil {
		return trilith.Errorf(trilith.Invalid, "hook: standard input is not a JSON object: %w", err)
	}
	asks := in.Event == "SessionStart" || in.Event == "UserPromptSubmit"
	return a.with(ctx, func(m *opened) error {
		s, err := c.where(ctx, a, m, &in, asks)
		switch {
		case err != nil:
			return err
		case in.Event == "SessionStart":
			return c.start(ctx, a, m, s, &in)
		case asks:
			return c.prompt(ctx, a, m, s, &in)
		case in.Event == "Stop" || in.Event == "SubagentStop":
			return c.capture(ctx, m, s, &in, hookTail)
		case in.Event == "PreCompact" || in.Event == "SessionEnd":
			return c.capture(ctx, m, s, &in, 0)
		}
		return trilith.Errorf(trilith.Invalid, "hook: event %.64q is not known", in.Event)
	})
}

// where returns the scope of a session: its project is that of the folder in which it began, and its user the person of
// this machine. If no user is named, there are no colleagues to keep apart: a session sees everything of the project,
// and all that the person said of themselves anywhere.
func (c *hookCmd) where(ctx context.Context, a *app, m *opened, in *hookInput, asks bool) (trilith.Scope, error) {
	s := c.in(a.scope())
	if f, err := os.Open(in.Transcript); err == nil {
		in.Folder = cmp.Or(transfer.FirstFolder(f), in.Folder)
		_ = f.Close()
	}
	if in.Folder != "" && s.Project == "" {
		folder := transfer.FolderOf(in.Folder)
		var err error
		if s.Project, err = transfer.ProjectOf(ctx, m, s, folder, asks); err != nil {
			return s, err
		}
		in.Folder = folder.Root
	}
	if s.User == "" {
		s.User = a.person
		if asks {
			s = s.OfEveryone()
		}
	}
	return s, nil
}

// start prints the facts of the project, its actions, and its name if that is not its folder's.
func (c *hookCmd) start(ctx context.Context, a *app, m *opened, s trilith.Scope, in *hookInput) error {
	query := strings.TrimSpace(s.Project + " decisions, preferences, constraints and tasks")
	block, err := m.Context(ctx, s, trilith.ContextRequest{Format: trilith.FormatFacts, Budget: c.Budget,
		ExcludeSession: in.Session, RecallRequest: trilith.RecallRequest{Query: query, K: startFacts}})
	if err != nil {
		return err
	}
	text := ""
	if len(block.Hits)+len(block.Records) > 0 {
		text = block.Text
	}
	if c.Project == "" && strings.Contains(s.Project, transfer.OtherFolder) {
		text += "In the memory, the project of this folder is called " + engine.Neutral(s.Project) + ".\n"
	}
	if text == "" {
		return nil
	}
	return a.addContext(in.Event, text)
}

// prompt says what matters for a prompt.
func (c *hookCmd) prompt(ctx context.Context, a *app, m *opened, s trilith.Scope, in *hookInput) error {
	query := strings.TrimSpace(engine.Said(in.Prompt))
	if len(query) > trilith.MaxQueryBytes {
		query = strings.ToValidUTF8(query[len(query)-trilith.MaxQueryBytes:], "")
	}
	if query == "" || strings.HasPrefix(query, "/") { // a command of the program
		return nil
	}
	block, err := m.Context(ctx, s, trilith.ContextRequest{Budget: c.Budget, ExcludeSession: in.Session,
		RecallRequest: trilith.RecallRequest{Query: query, StrongOnly: true}})
	if err != nil || len(block.Hits) == 0 {
		return err
	}
	return a.addContext(in.Event, block.Text)
}

// addContext answers a hook with a text for the model.
func (a *app) addContext(event, text string) error {
	return json.NewEncoder(a.out.w).Encode(map[string]any{"hookSpecificOutput": map[string]string{
		"hookEventName": event, "additionalContext": text}})
}

// capture stores what of a transcript is not stored yet, from its last bytes or, for 0, from all of it. Facts are
// derived later, by the process that serves the memory.
func (c *hookCmd) capture(ctx context.Context, m *opened, s trilith.Scope, in *hookInput, tail int64) error {
	if in.Transcript == "" {
		return trilith.Errorf(trilith.Invalid, "hook: transcript_path is missing")
	}
	f, err := os.Open(in.Transcript)
	if errors.Is(err, os.ErrNotExist) {
		return nil // a session without a turn has no transcript yet
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := skipTo(f, tail); err != nil {
		return err
	}
	items, err := transfer.Read(filepath.Base(in.Transcript), transfer.ClaudeCode, f)
	if err != nil {
		return err
	}
	_, err = transfer.Run(ctx, m, items, transfer.Options{Scope: s, Extract: trilith.ExtractAuto,
		Fallback: transfer.FolderProfile(in.Folder)})
	return err
}

// skipTo moves a file to the first line of its last bytes; 0: to its beginning.
func skipTo(f *os.File, tail int64) error {
	info, err := f.Stat()
	if err != nil || tail == 0 || info.Size() <= tail {
		return err
	}
	at := info.Size() - tail
	piece := make([]byte, 64<<10)
	for {
		n, err := f.ReadAt(piece, at)
		if i := strings.IndexByte(string(piece[:n]), '\n'); i >= 0 {
			_, err := f.Seek(at+int64(i)+1, io.SeekStart)
			return err
		}
		if err != nil { // one line to the end: read it whole
			_, err := f.Seek(0, io.SeekStart)
			return err
		}
		at += int64(n)
	}
}
