// Package ending asks a model whether a later statement of a person ends an earlier one: a question of its own, short,
// with a beginning that never changes, so that providers cache it. The consequences are its caller's.
package ending

import (
	"context"
	_ "embed" // of the question
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

// Statement is a person's sentence of a day. A model sees only its text and its day.
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

// Key returns the texts and days that a question about two statements shows.
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

// beginning is the constant part of a question: instructions, and eight examples in several languages.
//
//go:embed question.txt
var beginning string

var words = []string{string(Replaces), string(Adds), string(Unrelated)}

// maxAnswer is room for the longest of the words.
const maxAnswer = 4

// Ask asks a model about two statements of a person. An answer that is none of the relations, or none at all, is no
// clear one, and no error.
func Ask(ctx context.Context, model role.Model, earlier, later Statement) (Verdict, error) {
	parts := strings.Split(strings.TrimSpace(beginning), "\n\n")
	r := role.ModelRequest{System: parts[0], Words: words, MaxOutput: maxAnswer}
	for _, x := range parts[1:] {
		question, answer, _ := strings.Cut(x, "\n= ")
		r.Messages = append(r.Messages, role.ModelMessage{Role: trilith.RoleUser, Text: question},
			role.ModelMessage{Role: trilith.RoleAssistant, Text: answer})
	}
	r.Messages = append(r.Messages, role.ModelMessage{Role: trilith.RoleUser,
		Text: "Earlier (" + day(earlier.Day) + "): \"" + line(earlier.Text) + "\"\nLater (" + day(later.Day) + "): \"" +
			line(later.Text) + "\""})
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

// line returns a statement as one line without the marks that end it.
func line(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), `"`, "'")
}

func day(t time.Time) string { return t.Format(time.DateOnly) }
