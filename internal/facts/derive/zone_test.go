package derive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A model is shown the day of whoever speaks, and the days of its answer are theirs, at once and when they are derived again.
func TestAModelsDays(t *testing.T) {
	t.Parallel()
	said := trilith.Message{Role: trilith.RoleUser, Speaker: "Ana", Content: "I have to send the report tomorrow."}
	answer := scripted.Entry{Match: "send the report", Answer: rig.Claims(rig.Claim{"topic": "has_task",
		"value": "send the report", "sentence": "Task: send the report.", "quote": said.Content, "time_words": "tomorrow"})}
	for _, c := range []struct{ at, zone, shown, due string }{
		{"2026-09-15T00:30:00+08:00", "", "Tuesday 2026-09-15 00:30", "2026-09-16"},
		{"2026-09-14T16:30:00Z", "Asia/Shanghai", "Tuesday 2026-09-15 00:30", "2026-09-16"},
		{"2026-11-30T21:00:00", "America/New_York", "Monday 2026-11-30 21:00", "2026-12-01"},
	} {
		e, model := rig.WithModel(t, answer, answer)
		s := rig.Site
		s.TimeZone, said.Timestamp = c.zone, c.at
		e.MustRemember(t, s, trilith.RememberRequest{Messages: []trilith.Message{said}, Extract: trilith.ExtractLLM,
			Profile: "construction", Wait: trilith.WaitExtracted})
		for _, when := range []string{"at once", "again"} {
			requests := model.Requests()
			if last := fmt.Sprint(requests[len(requests)-1]); !strings.Contains(last, c.shown) {
				t.Errorf("%s %s: the model is shown %s; want %s", c.at, when, last, c.shown)
			}
			due := ""
			for _, m := range factsAbout(t, e, rig.Tower) {
				if m.Fact.ActionDeadline != nil {
					due += m.Fact.ActionDeadline.Format(time.DateOnly)
				}
			}
			if due != c.due {
				t.Errorf("%s %s: what is to be done is due on %q, want %s", c.at, when, due, c.due)
			}
			if when == "at once" {
				if _, err := e.Reextract(t.Context(), rig.Acme, trilith.ReextractRequest{}); err != nil {
					t.Fatal(err)
				}
				if err := e.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := len(model.Requests()); n == len(requests) {
					t.Errorf("%s: deriving again asked no model", c.at)
				}
			}
		}
	}
}
