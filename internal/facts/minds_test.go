package facts_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/clocktest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestMinds runs the stories of testdata/minds.txt: what people say from one day to another, and what holds in the end.
// A line that begins with U is said by the person on that day, one with A by the assistant; + is a fact that holds
// then, and - one that does not, by its verb and value in small letters.
func TestMinds(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/minds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range strings.Split("\n"+string(data), "\n= ")[1:] {
		lines := strings.Split(strings.TrimSpace(story), "\n")
		t.Run(lines[0], func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
			clock := clocktest.At(now)
			set := func(at time.Time) {
				now = at
				clock.Set(at)
			}
			e := rig.InMemory(t, func(c *engine.Config) { c.Now = clock.Now })
			for _, l := range lines[1:] {
				mark, rest, _ := strings.Cut(l, " ")
				switch mark {
				case "U":
					day, text, _ := strings.Cut(rest, " ")
					at, err := time.Parse(time.DateOnly, day)
					if err != nil {
						t.Fatal(err)
					}
					if at = at.Add(10 * time.Hour); !at.After(now) {
						at = now.Add(time.Minute)
					}
					set(at)
					e.Tell(t, rig.Ana, at.Format(time.RFC3339), text)
				case "A":
					set(now.Add(time.Minute))
					e.One(t, rig.Ana, trilith.RememberRequest{Text: rest, Role: trilith.RoleAssistant,
						Timestamp: now.Format(time.RFC3339), Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted})
				}
			}
			known := e.Standing(t, now)
			for _, l := range lines[1:] {
				if want, text, _ := strings.Cut(l, " "); want == "+" || want == "-" {
					if regexp.MustCompile(text).MatchString(strings.Join(known, "\n")) != (want == "+") {
						t.Errorf("%s: %s is not so; active are %q", strings.Join(lines, " | "), l, known)
					}
				}
			}
		})
	}
}
