package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/index"
)

type rememberCmd struct {
	Text       []string     `arg:"" optional:"" help:"Text; - reads it from standard input."`
	Note       bool         `help:"Store it as a note, not as something said."`
	Type       string       `help:"Type of the note: manual, reflection, or a word of yours."`
	Title      string       `help:"Store it as a knowledge entry with this title."`
	Category   string       `help:"Category of the entry."`
	Document   string       `help:"Store it as a document of this name, split by its structure." placeholder:"NAME"`
	Role       string       `help:"Role of the speaker: user, assistant, system or tool." enum:",user,assistant,system,tool" default:""`
	Speaker    string       `help:"Name of the person who said it."`
	At         string       `help:"When it was said: 2025-06-30 or 2025-06-30T15:04:05Z; now if left out." placeholder:"TIME"`
	Tag        []string     `help:"Label; may be repeated."`
	ExternalID string       `help:"Your own id; storing it again changes nothing." name:"id"`
	Until      string       `help:"When it ends to hold and is found no more: a date or RFC 3339; never if left out." placeholder:"TIME"`
	Supersedes []trilith.ID `help:"Id of a memory that this one replaces; may be repeated." placeholder:"ID"`
	Extract    string       `help:"Derive facts: by rules, by rules and a model (llm), the same if there is a model (auto), or none; as trilith call extraction says if left out." enum:",none,rules,llm,auto" default:""`
	Profile    string       `help:"Extraction profile; see trilith call list-profiles." placeholder:"NAME"`
	DryRun     bool         `help:"Only print what would be stored."`
	scopeFlags
}

func (c *rememberCmd) Run(ctx context.Context, a *app) error {
	text, err := a.text(c.Text)
	if err != nil && c.Document != "" {
		err = trilith.Errorf(trilith.Invalid, "%s; to store the file itself, run trilith import %s",
			trilith.MessageOf(err), c.Document)
	}
	if err != nil {
		return err
	}
	r := trilith.RememberRequest{Role: trilith.Role(c.Role), Speaker: c.Speaker, ExternalID: c.ExternalID,
		ValidUntil: c.Until,
		Timestamp:  c.At, Tags: c.Tag,
		DryRun: c.DryRun, Extract: trilith.Extraction(c.Extract), Profile: c.Profile, Wait: trilith.WaitExtracted,
		RequestKey: a.key, Supersedes: c.Supersedes}
	switch {
	case c.Document != "":
		r.Document = &trilith.Document{Name: filepath.Base(c.Document), Content: text}
	case c.Title != "" || c.Category != "":
		r.Entry = &trilith.Entry{Title: c.Title, Category: c.Category, Content: text}
	case c.Note || c.Type != "":
		r.Note = &trilith.Note{Type: c.Type, Content: text}
	default:
		r.Text = text
	}
	return a.with(ctx, func(m *opened) error {
		res, err := m.Remember(ctx, c.in(a.scope()), r)
		if refused, ok := errors.AsType[*trilith.Refused](err); ok {
			res, err = trilith.RememberResult{Memories: []trilith.Memory{}, Rejected: refused.Rejected}, nil
		}
		if err != nil {
			return err
		}
		err = a.out.result(res, func() {
			if len(res.Memories) > 0 {
				a.out.memories(res.Memories)
			}
			if res.KnownAs != "" {
				a.out.linef("known already as %s", res.KnownAs)
			}
			for _, rej := range res.Rejected {
				a.out.linef("%s %s %s", a.out.bad("not stored:"), rej.Reason, a.out.dim(rej.Detail))
			}
			a.out.masked(trilith.Masking{Masked: res.Masked, MaskedIn: res.MaskedIn})
			if res.Pending {
				a.out.linef("stored; %s", m.follows(ctx, a.scope(), res.JobID))
			}
			if res.ModelError != "" {
				a.out.linef("%s", a.out.bad(res.ModelError))
			}
			if res.DryRun {
				a.out.linef("%s", a.out.dim("dry run: nothing was stored"))
			}
		})
		if err == nil && len(res.Memories) == 0 &&
			slices.ContainsFunc(res.Rejected,
				func(r trilith.Rejection) bool { return r.Reason != trilith.ReasonDuplicate }) {
			return trilith.Errorf(trilith.Invalid, "nothing was stored")
		}
		return err
	})
}

// follows says what of a write is not there yet.
func (m *opened) follows(ctx context.Context, s trilith.Scope, job trilith.ID) string {
	jobs, err := m.Jobs(ctx, s, trilith.JobListing{IDs: []trilith.ID{job}})
	if err == nil && len(jobs) == 1 && jobs[0].Kind != index.JobEmbed {
		return "its facts follow"
	}
	return "its vector follows"
}

// text joins the words of a command; - or no words mean standard input.
func (a *app) text(words []string) (string, error) {
	text := strings.Join(words, " ")
	switch {
	case text != "" && text != "-":
		return text, nil
	case text == "" && (len(words) > 0 || isTerminal(a.stdin)):
		return "", trilith.Errorf(
			trilith.Invalid, "text: is missing; write it after the command, or - to read it from standard input")
	}
	body, err := io.ReadAll(io.LimitReader(a.stdin, trilith.MaxDocumentBytes+1))
	switch text = strings.TrimRight(string(body), "\n"); {
	case err != nil:
		return "", trilith.Errorf(trilith.Invalid, "text: standard input cannot be read: %w", err)
	case text == "":
		return "", trilith.Errorf(trilith.Invalid, "text: standard input holds no text")
	case len(body) > trilith.MaxDocumentBytes:
		return "", trilith.Errorf(
			trilith.Exhausted, "text: standard input holds more than %d bytes; import it as a file, or in parts",
			trilith.MaxDocumentBytes)
	}
	return text, nil
}
