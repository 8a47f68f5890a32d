// Package ending asks a model whether a later statement of a person ends an earlier one: a question of its own, short,
// with a beginning that never changes, so that providers cache it. What follows from an answer decides its caller.
package ending

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Relation is how a later statement relates to an earlier one. The zero value is no clear answer.
type Relation string

// The relations.
const (
	Replaces  Relation = "replaces"  // the earlier one no longer holds
	Adds      Relation = "adds"      // both hold
	Unrelated Relation = "unrelated" // it is about something or somebody else
)

// Policy says whether the model of a process is asked, and which of its answers are believed. The zero value asks
// nothing.
type Policy struct {
	Ask bool
	// Threshold is the probability from which on Replaces is believed; 0: no probability is.
	Threshold float64
	// WordOnly believes the word of a model whose provider does not say how likely it is.
	WordOnly bool
}

// Asks reports whether an answer could be believed.
func (p Policy) Asks() bool { return p.Ask && (p.Threshold > 0 || p.WordOnly) }

// Believes reports whether a verdict ends the earlier statement.
func (p Policy) Believes(v Verdict) bool {
	if v.Probability == 0 {
		return p.WordOnly && v.Relation == Replaces
	}
	return p.Threshold > 0 && v.Relation == Replaces && v.Probability >= p.Threshold
}

// Statement is what a person said on a day. A model sees nothing else of it.
type Statement struct {
	Text string
	Day  time.Time
	In   *trilith.Memory // the turn, if there is one
	At   int             // bytes of the turn before the text
}

// In returns words of a turn.
func In(m *trilith.Memory, start, end int) Statement {
	text := strings.TrimSpace(m.Text[start:end])
	return Statement{Text: text, Day: m.EventTime, In: m, At: start + strings.Index(m.Text[start:end], text)}
}

// Quote returns the words as evidence quotes them.
func (s Statement) Quote() trilith.Premise {
	return trilith.Premise{EpisodeID: s.In.ID, Quote: s.Text, Start: s.At, End: s.At + len(s.Text)}
}

// Before reports whether a statement was made on an earlier day than another.
func (s Statement) Before(o Statement) bool { return day(s.Day) < day(o.Day) }

// SameVoice reports whether two turns are of one owner and speaker.
func SameVoice(a, b *trilith.Memory) bool {
	return a.Kind == trilith.KindEpisode && b.Kind == a.Kind && a.Speaker == b.Speaker && a.Role == b.Role &&
		a.Scope.User == b.Scope.User && a.Scope.Project == b.Scope.Project
}

// Key returns what a question about two statements depends on, beside the model.
func Key(earlier, later Statement) []string {
	return []string{line(earlier.Text), day(earlier.Day), line(later.Text), day(later.Day)}
}

// Verdict is a model's answer.
type Verdict struct {
	Relation    Relation
	Probability float64 // of the relation; 0: unknown
	Usage       trilith.Usage
}

// mark ends the rule of evidence that rests on a verdict; no profile has such a name.
const mark = "/replaces?"

// Rule returns the rule of evidence that rests on a verdict of a model.
func Rule(i role.ModelInfo) string { return i.String() + mark }

// Decided reports whether evidence with a rule rests on a verdict.
func Decided(rule string) bool { return strings.HasSuffix(rule, mark) }

const system = `The same person ("I") said two things on two days. Say how the later statement relates to the earlier one. Answer with one word:
replaces: the earlier one no longer holds for this person (moved, ended, cancelled, changed, corrected, finished)
adds: something more about the same thing; the earlier one still holds
unrelated: about somebody else or something else`

var examples = []struct{ earlier, day, later, laterDay, answer string }{
	{"I row with the club on the river every Sunday morning.", "2023-03-14",
		"I've handed back my boathouse key, rowing is over for me.", "2023-11-02", "replaces"},
	{"Je joue du violoncelle depuis l'école.", "2022-09-05",
		"Mon violoncelle a besoin d'un nouvel archet.", "2023-01-18", "adds"},
	{"I can't drink milk, it upsets my stomach.", "2024-02-20",
		"My sister-in-law can drink milk again.", "2024-06-03", "unrelated"},
	{"Die Feier zu meinem Vierzigsten ist am 12. Mai.", "2024-03-01",
		"Mein Vierzigster wird nun doch erst am 26. Mai gefeiert.", "2024-04-09", "replaces"},
	{"I work nights at the bakery on Mill Street.", "2023-10-11",
		"At the bakery there is rye bread on Fridays now, so I start an hour earlier.", "2024-01-25", "adds"},
	{"Ho una Panda rossa.", "2022-05-30", "I vicini hanno messo in vendita il camper.", "2022-08-14", "unrelated"},
	{"Vivo en un piso cerca del puerto de Gijón.", "2023-06-17",
		"Por fin he vaciado las cajas en la casa de Burgos.", "2024-07-08", "replaces"},
	{"Mam psa, wabi się Burek.", "2024-01-09", "Burek nauczył się podawać łapę.", "2024-05-21", "adds"},
}

var words = []string{string(Replaces), string(Adds), string(Unrelated)}

// maxAnswer is room for the longest of the words.
const maxAnswer = 4

// Ask asks a model about two statements of a person. An answer that is none of the relations, or none at all, is no
// clear one, and no error.
func Ask(ctx context.Context, model role.Model, earlier, later Statement) (Verdict, error) {
	r := role.ModelRequest{System: system, Words: words, MaxOutput: maxAnswer}
	for _, x := range examples {
		r.Messages = append(r.Messages,
			role.ModelMessage{Role: trilith.RoleUser, Text: question(x.earlier, x.day, x.later, x.laterDay)},
			role.ModelMessage{Role: trilith.RoleAssistant, Text: x.answer})
	}
	r.Messages = append(r.Messages, role.ModelMessage{Role: trilith.RoleUser,
		Text: question(earlier.Text, day(earlier.Day), later.Text, day(later.Day))})
	a, err := model.Generate(ctx, r)
	v := Verdict{Usage: a.Usage}
	if err != nil {
		return v, err
	}
	if a.Check() == nil && slices.Contains(words, a.Text) {
		v.Relation = Relation(a.Text)
	}
	if len(a.Likely) == len(words) {
		v.Probability = slices.Max(a.Likely)
		v.Relation = Relation(words[slices.Index(a.Likely, v.Probability)])
	}
	return v, nil
}

func question(earlier, day, later, laterDay string) string {
	return "Earlier (" + day + "): \"" + line(earlier) + "\"\nLater (" + laterDay + "): \"" + line(later) + "\""
}

// line returns a statement as one line without the marks that end it.
func line(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), `"`, "'")
}

func day(t time.Time) string { return t.Format(time.DateOnly) }
