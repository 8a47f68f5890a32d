package dates_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// reference is a Wednesday morning.
var reference = time.Date(2025, time.June, 18, 10, 30, 0, 0, time.UTC)

// phrase is a text and its expressions, each as [span] from/to granularity kind, with ~ if it is approximate.
type phrase struct {
	text, want string
}

func TestEnglish(t *testing.T) {
	t.Parallel()
	checkPhrases(t, dates.English, reference, englishPhrases)
}

func TestGerman(t *testing.T) {
	t.Parallel()
	checkPhrases(t, dates.German, reference, germanPhrases)
}

func TestNoExpression(t *testing.T) {
	t.Parallel()
	for _, text := range englishNegatives {
		checkPhrases(t, dates.English, reference, []phrase{{text, ""}})
	}
	for _, text := range germanNegatives {
		checkPhrases(t, dates.German, reference, []phrase{{text, ""}})
	}
}

func checkPhrases(t *testing.T, lang dates.Lang, ref time.Time, phrases []phrase) {
	t.Helper()
	for _, c := range phrases {
		if diff := cmp.Diff(c.want, describe(c.text, dates.Find(c.text, ref, lang))); diff != "" {
			t.Errorf("Find(%q, %s) (-want +got):\n%s", c.text, ref.Format("Mon 2006-01-02"), diff)
		}
	}
}

func describe(text string, found []dates.Expression) string {
	var all []string
	for _, e := range found {
		s := fmt.Sprintf("[%s] ", text[e.Start:e.End])
		if e.Kind != dates.Recurring {
			s += moment(e.From) + "/" + moment(e.To) + " "
		}
		s += e.Granularity.String() + " " + e.Kind.String()
		if e.Approximate {
			s += " ~"
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// moment writes a time as short as it is.
func moment(t time.Time) string {
	switch {
	case t.IsZero():
		return "…"
	case t.Equal(dates.Forever()):
		return "forever"
	}
	return strings.TrimSuffix(t.Format("2006-01-02T15:04"), "T00:00")
}
