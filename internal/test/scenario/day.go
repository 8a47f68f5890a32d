package scenario

import (
	_ "embed" // of testdata
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// told are sentences that name a day. Before each stands the distance in days from the day of the speaker: ahead in
// plans, appointments and tasks, and back in facts that hold since that day.
//
//go:embed testdata/days.tsv
var told string

// clocks are moments at which the day of the speaker is not, or only just, that of UTC.
var clocks = []struct{ at, zone string }{
	{"2026-09-15T00:30:00+08:00", "Asia/Shanghai"},
	{"2026-11-30T21:00:00-05:00", "America/New_York"},
	{"2026-03-01T02:15:00+05:30", "Asia/Kolkata"},
	{"2026-01-01T09:00:00+13:00", "Pacific/Auckland"},
	{"2026-06-30T18:45:00-09:30", "Pacific/Marquesas"},
	{"2026-12-31T23:59:00Z", "UTC"},
}

// A Tell tells a sentence of a user in some way, at a time; the zone of the scope may be empty.
type Tell func(t *testing.T, who trilith.Scope, text, timestamp string) error

// Days tells sentences with days at moments when it is another day elsewhere, with the time written in each way, and wants
// the day of the speaker in the facts of each: in their texts, as the day of a plan, or since when they hold. Told by nil
// they are messages to the memory.
func Days(t *testing.T, m Memory, tell Tell) {
	t.Helper()
	if tell == nil {
		tell = func(t *testing.T, who trilith.Scope, text, timestamp string) error {
			_, err := m.Remember(t.Context(), who, trilith.RememberRequest{Extract: trilith.ExtractRules,
				Messages: []trilith.Message{{Role: trilith.RoleUser, Speaker: "Kim", Content: text, Timestamp: timestamp}}})
			return err
		}
	}
	for _, c := range clocks {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		ways := []struct{ timestamp, zone string }{
			{c.at, ""}, // an offset, an instant in a zone, and a clock in a zone
			{at.UTC().Format(time.RFC3339), c.zone},
			{at.Format("2006-01-02T15:04:05"), c.zone},
		}
		t.Run(c.zone, func(t *testing.T) {
			for i, line := range strings.Split(strings.TrimSpace(told), "\n") {
				way := ways[i%len(ways)]
				ahead, text, _ := strings.Cut(line, "\t")
				days, err := strconv.Atoi(ahead)
				if err != nil {
					t.Fatal(err)
				}
				who := trilith.Scope{Tenant: Tenant, User: c.zone + strconv.Itoa(i), TimeZone: way.zone}
				if err := tell(t, who, text, way.timestamp); err != nil {
					t.Fatal(err)
				}
				if _, err = m.Remember(t.Context(), who,
					trilith.RememberRequest{Text: "Hm.", Wait: trilith.WaitExtracted}); err != nil {
					t.Fatal(err)
				}
				want := at.AddDate(0, 0, days).Format(time.DateOnly)
				if got, err := factsOf(t, m, who); err != nil || !strings.Contains(got, want) {
					t.Errorf("%q at %s, facts are %q, %v; want one of %s", text, way.timestamp, got, err, want)
				}
			}
		})
	}
}

// factsOf lists the texts and the days of the facts, including those that are over.
func factsOf(t *testing.T, m Memory, s trilith.Scope) (string, error) {
	t.Helper()
	page, err := m.Facts(t.Context(), s, trilith.FactQuery{ActiveOnly: new(false)})
	var b strings.Builder
	for _, f := range page.Items {
		b.WriteString(f.Memory.Text)
		if f.Memory.Fact == nil || f.Memory.Fact.ActionDeadline == nil {
			b.WriteString(" from " + f.Memory.EventTime.Format(time.DateOnly))
		}
		b.WriteString("\n")
	}
	return b.String(), err
}
