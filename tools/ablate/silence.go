package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// Silence counts the hits that recall would withhold on a set with a min_score.
type Silence struct {
	Dataset   string       `json:"dataset"`
	Answers   int          `json:"answers"`   // questions that something answers
	Nothing   int          `json:"nothing"`   // those that nothing answers, or only of category [quality.Apart]
	Elsewhere int          `json:"elsewhere"` // questions of the first kind, asked in the conversation of another group
	Rows      []SilentFrom `json:"min_scores"`
}

// SilentFrom is how many questions of each kind would get no hit with a min_score, in percent.
type SilentFrom struct {
	MinScore  float64 `json:"min_score"`
	Answers   float64 `json:"answers"` // wrongly
	Nothing   float64 `json:"nothing"`
	Elsewhere float64 `json:"elsewhere"`
}

// minScores are those that are looked at.
var minScores = []float64{0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3}

// measureSilence asks every question of a set for its best hit, and those with an answer also in the group that follows
// theirs by name, where there is one. Role and Scope are those of the options.
func measureSilence(ctx context.Context, r quality.Recaller, set quality.Set, o quality.Options) (Silence, error) {
	var groups []string
	roles := map[string]trilith.Role{}
	for _, d := range set.Docs {
		roles[d.ID] = d.Role
		if !slices.Contains(groups, d.Group) {
			groups = append(groups, d.Group)
		}
	}
	slices.Sort(groups)
	best := func(q quality.Query, to *[]float64) error {
		res, err := quality.Ask(ctx, r, q, o)
		if err != nil {
			return trilith.WrapError(trilith.Internal, fmt.Sprintf("ablate: question %s", q.ID), err)
		}
		score := 0.0
		if len(res.Hits) > 0 {
			score = res.Hits[0].Score
		}
		*to = append(*to, score)
		return nil
	}
	var answers, nothing, elsewhere []float64
	for i, q := range set.Queries {
		var err error
		switch {
		case q.Abstention || q.Category == quality.Apart:
			err = best(q, &nothing)
		case len(quality.EvidenceOf(q, o.Role, roles)) > 0:
			if err = best(q, &answers); err == nil && len(groups) > 1 {
				q.Group = groups[(slices.Index(groups, q.Group)+1)%len(groups)]
				err = best(q, &elsewhere)
			}
		}
		if err != nil {
			return Silence{}, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(set.Queries))
		}
	}
	s := Silence{Dataset: set.Name, Answers: len(answers), Nothing: len(nothing), Elsewhere: len(elsewhere)}
	for _, from := range minScores {
		below := func(scores []float64) float64 {
			n := 0
			for _, v := range scores {
				if v < from {
					n++
				}
			}
			return round(100 * float64(n) / float64(max(len(scores), 1)))
		}
		s.Rows = append(s.Rows, SilentFrom{from, below(answers), below(nothing), below(elsewhere)})
	}
	return s, nil
}

// Table writes it for people.
func (s *Silence) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s: percent without a hit, of %d questions with an answer, %d without, %d asked elsewhere\n\n",
		s.Dataset, s.Answers, s.Nothing, s.Elsewhere)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "min_score\twith answer\twithout\telsewhere\t")
	for _, r := range s.Rows {
		fmt.Fprintf(t, "%.2f\t%.1f\t%.1f\t%.1f\t\n", r.MinScore, r.Answers, r.Nothing, r.Elsewhere)
	}
	return t.Flush()
}
