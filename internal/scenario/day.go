package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// told are sentences that name a day, with how many days it lies from the day of the speaker.
var told = []struct {
	text string
	days int
}{
	{"Remind me to send the report tomorrow.", 1},
	{"Remind me to call the bakery today.", 0},
	{"I must not forget to pay the rent the day after tomorrow.", 2},
	{"I'm flying to Rome tomorrow.", 1},
	{"I have a dentist appointment tomorrow.", 1},
	{"I'm moving to Bergen the day after tomorrow.", 2},
	{"Erinnere mich daran, morgen das Paket abzuholen.", 1},
	{"Erinnere mich daran, heute die Oma anzurufen.", 0},
	{"Ich fliege übermorgen nach Wien.", 2},
	{"Ich habe morgen einen Zahnarzttermin.", 1},
}

// clocks are moments at which the day of the speaker is not, or only just, that of UTC.
var clocks = []struct{ at, zone string }{
	{"2026-09-15T00:30:00+08:00", "Asia/Shanghai"},
	{"2026-11-30T21:00:00-05:00", "America/New_York"},
	{"2026-03-01T02:15:00+05:30", "Asia/Kolkata"},
	{"2026-01-01T09:00:00+13:00", "Pacific/Auckland"},
	{"2026-06-30T18:45:00-09:30", "Pacific/Marquesas"},
	{"2026-12-31T23:59:00Z", "UTC"},
}

// Days tells sentences with days at moments when it is another day elsewhere, with the time written in each way, and wants
// the day of the speaker in the facts of each: in their texts, or as the day of a plan.
func Days(t *testing.T, m Memory) {
	t.Helper()
	for _, c := range clocks {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []struct{ name, timestamp, zone string }{
			{"offset", c.at, ""},
			{"instant in a zone", at.UTC().Format(time.RFC3339), c.zone},
			{"clock in a zone", at.Format("2006-01-02T15:04:05"), c.zone},
		} {
			t.Run(c.zone+"/"+way.name, func(t *testing.T) {
				for _, s := range told {
					who := trilith.Scope{Tenant: Tenant, User: c.zone + way.name + s.text, TimeZone: way.zone}
					_, err := m.Remember(t.Context(), who, trilith.RememberRequest{Wait: trilith.WaitExtracted,
						Extract: trilith.ExtractRules, Messages: []trilith.Message{
							{Role: trilith.RoleUser, Speaker: "Kim", Content: s.text, Timestamp: way.timestamp}}})
					if err != nil {
						t.Fatal(err)
					}
					want := at.AddDate(0, 0, s.days).Format(time.DateOnly)
					if got, err := factsOf(t, m, who); err != nil || !strings.Contains(got, want) {
						t.Errorf("%q at %s, facts are %q, %v; want one of %s", s.text, c.at, got, err, want)
					}
				}
			})
		}
	}
}

// factsOf lists the texts and the days of what is known, also of what is over.
func factsOf(t *testing.T, m Memory, s trilith.Scope) (string, error) {
	t.Helper()
	page, err := m.Facts(t.Context(), s, trilith.FactQuery{ActiveOnly: new(false)})
	var b strings.Builder
	for _, f := range page.Items {
		b.WriteString(f.Memory.Text)
		if f.Memory.WasPlanned() || f.Memory.Planned {
			b.WriteString(" planned " + f.Memory.EventTime.Format(time.DateOnly))
		}
		b.WriteString("\n")
	}
	return b.String(), err
}
