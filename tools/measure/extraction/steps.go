package extraction

import (
	"context"
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

// Step is a use of the memory that was tried after the set was read.
type Step struct {
	Name    string  `json:"name"`
	Says    string  `json:"says"` // the result in a few words
	Error   string  `json:"error,omitempty"`
	Seconds float64 `json:"seconds"`
}

// String is a line for people.
func (s Step) String() string {
	if s.Error != "" {
		return fmt.Sprintf("%s, %.0f s: FAILED: %s", s.Name, s.Seconds, s.Error)
	}
	return fmt.Sprintf("%s, %.0f s: %s", s.Name, s.Seconds, s.Says)
}

// Walk looks a speaker up, consults the memory about him or her, summarises a session and begins an interview. Each step
// is tried whatever became of the one before.
func Walk(ctx context.Context, c *client.Client, session string) []Step {
	s := trilith.Scope{User: session}
	var out []Step
	try := func(name string, step func() (string, error)) {
		start := time.Now()
		says, err := step()
		done := Step{Name: name, Says: says, Seconds: time.Since(start).Seconds()}
		if err != nil {
			done.Error = err.Error()
		}
		out = append(out, done)
	}
	try("lookup", func() (string, error) {
		res, err := c.Lookup(ctx, s, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "user_id", Value: session}})
		return fmt.Sprintf("%d facts", len(res.Facts)), err
	})
	try("consult", func() (string, error) {
		s := s
		s.Session = session + "-consulted"
		res, err := c.ConsultStream(ctx, s, trilith.ConsultRequest{Prompt: "Where do I live, and what must I not eat?"},
			func(string) {})
		return fmt.Sprintf("%q, from %d facts and %d turns", res.Answer, len(res.Used.Facts), len(res.Used.Past)), err
	})
	try("summary", func() (string, error) {
		res, err := c.Summarize(ctx, s, trilith.SummarizeRequest{Session: session, By: trilith.ExtractLLM})
		if err != nil || len(res.Summaries) == 0 {
			return "none", err
		}
		return fmt.Sprintf("%q", res.Summaries[0].Text), nil
	})
	try("interview", func() (string, error) {
		s := s
		s.Domain = "bakery"
		in, err := c.StartInterview(ctx, s)
		if err != nil {
			return "", err
		}
		next, err := c.AnswerInterview(ctx, s, in.ID, trilith.InterviewAnswer{Text: "Rye bread and plum cake, since 1962."})
		return fmt.Sprintf("%q is answered with %d entries, then %q", in.Question, len(next.Entries), next.Question), err
	})
	return out
}
