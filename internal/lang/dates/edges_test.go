package dates_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/test/saidtest"
)

func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

// TestReferences moves the reference to the places where calendars are uneven.
func TestReferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why string
		ref time.Time
		phrase
	}{
		{"a year before a leap day", day(2024, 2, 29),
			phrase{"a year ago", "[a year ago] 2023-01-01/2024-01-01 year point"}},
		{"tomorrow of a leap day", day(2024, 2, 28), phrase{"tomorrow", "[tomorrow] 2024-02-29/2024-03-01 day point"}},
		{"no leap day", day(2023, 2, 28), phrase{"tomorrow", "[tomorrow] 2023-03-01/2023-03-02 day point"}},
		{"the nearest leap day may be years away", day(2022, 6, 1),
			phrase{"on 29 February", "[on 29 February] 2024-02-29/2024-03-01 day point"}},
		{"2100 has none", day(2099, 1, 1),
			phrase{"I will see you on 29 February", "[on 29 February] 2104-02-29/2104-03-01 day point"}},
		{"a month from the 31st ends with the shorter month", day(2025, 1, 31),
			phrase{"for one month", "[for one month] 2025-01-31/2025-02-28 month duration"}},
		{"a year from a leap day", day(2024, 2, 29),
			phrase{"for a year", "[for a year] 2024-02-29/2025-02-28 year duration"}},
		{"next month of the 31st", day(2025, 1, 31),
			phrase{"next month", "[next month] 2025-02-01/2025-03-01 month point"}},
		{"in a month of the 31st", day(2025, 1, 31),
			phrase{"in one month", "[in one month] 2025-02-01/2025-03-01 month point"}},
		{"yesterday of New Year", day(2025, 1, 1), phrase{"yesterday", "[yesterday] 2024-12-31/2025-01-01 day point"}},
		{"last week across the year", day(2025, 1, 2),
			phrase{"last week", "[last week] 2024-12-23/2024-12-30 week point"}},
		{"last month across the year", day(2025, 1, 2),
			phrase{"last month", "[last month] 2024-12-01/2025-01-01 month point"}},
		{"last quarter across the year", day(2025, 1, 2),
			phrase{"last quarter", "[last quarter] 2024-10-01/2025-01-01 quarter point"}},
		{"next year on its eve", day(2024, 12, 31),
			phrase{"next year", "[next year] 2025-01-01/2026-01-01 year point"}},
		{"a week of the next year", day(2024, 12, 30),
			phrase{"this week", "[this week] 2024-12-30/2025-01-06 week point"}},
		{"winter in January began last year", day(2025, 1, 15),
			phrase{"in the winter", "[in the winter] 2024-12-01/2025-03-01 season point"}},
		{"last winter in January is the one before", day(2025, 1, 15),
			phrase{"last winter", "[last winter] 2023-12-01/2024-03-01 season point"}},
		{"a Monday says Monday", day(2025, 6, 16), phrase{"on Monday", "[on Monday] 2025-06-23/2025-06-24 day point"}},
		{"a Monday says last Monday", day(2025, 6, 16),
			phrase{"last Monday", "[last Monday] 2025-06-09/2025-06-10 day point"}},
		{"a Sunday is the end of its week", day(2025, 6, 22),
			phrase{"this Monday", "[this Monday] 2025-06-16/2025-06-17 day point"}},
		{"a Sunday says next week", day(2025, 6, 22),
			phrase{"next week", "[next week] 2025-06-23/2025-06-30 week point"}},
		{"a Sunday is in this weekend", day(2025, 6, 22),
			phrase{"this weekend", "[this weekend] 2025-06-21/2025-06-23 day point"}},
		{"week 53 exists in 2020", day(2021, 1, 10),
			phrase{"calendar week 53", "[calendar week 53] 2020-12-28/2021-01-04 week point"}},
		{"the month after next from the 31st", day(2025, 8, 31),
			phrase{"the month after next", "[the month after next] 2025-10-01/2025-11-01 month point"}},
		{"a month of the reference", day(2025, 5, 31), phrase{"in May", "[in May] 2025-05-01/2025-06-01 month point"}},
		{"equally near years: the earlier", day(2025, 7, 2),
			phrase{"in January", "[in January] 2025-01-01/2025-02-01 month point"}},
		{"the day is that of the reference's clock", time.Date(2025, 6, 18, 1, 0, 0, 0, time.FixedZone("", 2*60*60)),
			phrase{"today", "[today] 2025-06-18/2025-06-19 day point"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			checkPhrases(t, dates.English, c.ref, []phrase{c.phrase})
		})
	}
}

func TestRarerForms(t *testing.T) {
	t.Parallel()
	checkPhrases(t, dates.English, reference, []phrase{
		{"born 30.06.75", "[30.06.75] 1975-06-30/1975-07-01 day point"},
		{"at 2025-06-30T17:30:00.123Z", "[at 2025-06-30T17:30:00.123Z] 2025-06-30T17:30/2025-06-30T17:31 minute point"},
		{"2025-06-30T23:30:00-05:00", "[2025-06-30T23:30:00-05:00] 2025-07-01T04:30/2025-07-01T04:31 minute point"},
		{"2025-06-30Tx", ""},
		{"May the 3rd", "[May the 3rd] 2025-05-03/2025-05-04 day point"},
		{"the end of the year 2023", "[the end of the year 2023] 2023-09-01/2024-01-01 year point ~"},
		{"in summer of the year 2023", "[in summer of the year 2023] 2023-06-01/2023-09-01 season point"},
		{"for two quarters", "[for two quarters] 2025-06-18/2025-12-18 quarter duration"},
		{"for the last three hours", "[for the last three hours] 2025-06-18T07:30/2025-06-18T10:30 hour interval"},
		{"within the next few days", "[within the next few days] 2025-06-18/2025-06-21 day deadline ~"},
		{"13 pm", ""},
		{"5 a.m.", "[5 a.m.] 2025-06-18T05:00/2025-06-18T06:00 hour point"},
		{"half past five pm", "[half past five pm] 2025-06-18T17:30/2025-06-18T17:31 minute point"},
		{"half past thirteen", ""},
		{"from 8:00 to 9:30", "[from 8:00 to 9:30] 2025-06-18T08:00/2025-06-18T09:30 minute interval"},
		{"tomorrow at about 5 pm", "[tomorrow at about 5 pm] 2025-06-19T17:00/2025-06-19T18:00 hour point ~"},
		{"every May", "[every May] month recurring"},
		{"every may", ""},
		{"every summer", "[every summer] season recurring"},
		{"every Christmas", "[every Christmas] day recurring"},
		{"two Fridays ago", ""},
		{"from May 2024 to July", "[from May 2024 to July] 2024-05-01/2024-08-01 month interval"},
		{"from 2024-12-28 to January 3", "[from 2024-12-28 to January 3] 2024-12-28/2025-01-04 day interval"},
		{"from last June to July", "[from last June to July] 2024-06-01/2025-08-01 month interval"},
		{"from yesterday to Friday", "[from yesterday to Friday] 2025-06-17/2025-06-21 day interval"},
		{"from 31 to 3 June", "[3 June] 2025-06-03/2025-06-04 day point"},
		{"June 29 to 31", "[June 29] 2025-06-29/2025-06-30 day point"},
		{"from tomorrow to yesterday",
			"[tomorrow] 2025-06-19/2025-06-20 day point; [yesterday] 2025-06-17/2025-06-18 day point"},
		{"see friday.com", ""},
		{"It ended on Friday.Then I left", "[on Friday] 2025-06-13/2025-06-14 day point"},
		{"in 2023 % of", ""},
		{"in\u00a0three\u00a0weeks", "[in\u00a0three\u00a0weeks] 2025-07-07/2025-07-14 week point"},
		{"the May 2025 release", "[the May 2025] 2025-05-01/2025-06-01 month point"},
		{"by last Friday", "[by last Friday] …/2025-06-14 day deadline"},
	})
	checkPhrases(t, dates.German, reference, []phrase{
		{"KW 27/2025", "[KW 27/2025] 2025-06-30/2025-07-07 week point"},
		{"letzten Freitagabend", "[letzten Freitagabend] 2025-06-13T18:00/2025-06-14 day part point"},
		{"vor dreißig Tagen", "[vor dreißig Tagen] 2025-05-19/2025-05-20 day point"},
		{"VOR DREIẞIG TAGEN", "[VOR DREIẞIG TAGEN] 2025-05-19/2025-05-20 day point"},
		{"u\u0308bermorgen", "[u\u0308bermorgen] 2025-06-20/2025-06-21 day point"},
		{"Wir sind im Juli eingezogen.", "[im Juli] 2024-07-01/2024-08-01 month point"},
		{"vorletzten Sommer", "[vorletzten Sommer] 2023-06-01/2023-09-01 season point"},
		{"übernächsten Freitag", "[übernächsten Freitag] 2025-06-27/2025-06-28 day point"},
		{"gegen Mitternacht", "[gegen Mitternacht] 2025-06-19/2025-06-19T01:00 hour point ~"},
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		dates.Minute.String(): "minute", dates.Year.String(): "year",
		dates.Granularity(200).String(): "unknown granularity",
		dates.Point.String():            "point", dates.Recurring.String(): "recurring",
		dates.Kind(200).String(): "unknown kind",
	} {
		if got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestBoth(t *testing.T) {
	t.Parallel()
	checkPhrases(t, dates.Both, reference, []phrase{
		{"ich komme am Montag um 10 Uhr, see you in May",
			"[am Montag um 10 Uhr] 2025-06-23T10:00/2025-06-23T11:00 hour point; [in May] 2025-05-01/2025-06-01 month point"},
		{"3. Mai 2025 and May 3rd, 2025",
			"[3. Mai 2025] 2025-05-03/2025-05-04 day point; [May 3rd, 2025] 2025-05-03/2025-05-04 day point"},
		{"on 6/3/2025", "[on 6/3/2025] 2025-06-03/2025-06-04 day point"},
		{"im April", "[im April] 2025-04-01/2025-05-01 month point"},
		{"2025-06-30", "[2025-06-30] 2025-06-30/2025-07-01 day point"},
		{"nothing, nichts", ""},
	})
	checkPhrases(t, dates.German, reference, []phrase{{"am 6/3/2025", "[am 6/3/2025] 2025-03-06/2025-03-07 day point"}})
}

// TestMidSentenceNoun: the noun Morgen is a part of the day, the adverb is tomorrow.
func TestMidSentenceNoun(t *testing.T) {
	t.Parallel()
	checkPhrases(t, dates.German, reference, []phrase{
		{"Es war ein schöner Morgen", ""},
		{"Gut. Morgen regnet es.", "[Morgen] 2025-06-19/2025-06-20 day point"},
		{"Nebel am frühen Morgen", ""},
	})
}

func TestEaster(t *testing.T) {
	t.Parallel()
	for year, want := range map[string]string{ // dates published by the churches
		"1961": "1961-04-02/1961-04-03", "1981": "1981-04-19/1981-04-20", "2000": "2000-04-23/2000-04-24",
		"2008": "2008-03-23/2008-03-24", "2024": "2024-03-31/2024-04-01", "2038": "2038-04-25/2038-04-26",
	} {
		text := "Easter " + year
		checkPhrases(t, dates.English, reference, []phrase{{text, "[" + text + "] " + want + " day point"}})
	}
}

func FuzzFind(f *testing.F) {
	for _, list := range [][]phrase{englishPhrases, germanPhrases} {
		for i, p := range list {
			if i%8 == 0 {
				f.Add(p.text, int64(1_750_000_000))
			}
		}
	}
	f.Add("from 31 to 3 June – 2019-2021/12:30pm half past\xff \u0308 KW 53", int64(0))
	f.Add("12345678901234567890 days ago, in 999 years, before 1000, 0 June 0000", int64(-60_000_000_000))
	f.Fuzz(checkFind)
}

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		checkFind(t, text, 1_750_000_000)
		checkFind(t, text, 951_782_399) // before midnight of the 29th of February
	})
}

// checkFind checks what must hold for every text.
func checkFind(t *testing.T, text string, unix int64) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	zone := []*time.Location{time.UTC, berlin, time.FixedZone("", -11*60*60)}[uint64(unix)%3]
	ref := time.Unix(unix%200_000_000_000, 0).In(zone)
	for _, lang := range []dates.Lang{dates.English, dates.German, dates.Both} {
		end := 0
		for _, e := range dates.Find(text, ref, lang) {
			switch {
			case e.Start < end || e.Start >= e.End || e.End > len(text):
				t.Errorf("Find(%q, %v, %d): span %d to %d after %d", text, ref, lang, e.Start, e.End, end)
			case e.Kind == dates.Recurring && (!e.From.IsZero() || !e.To.IsZero()), e.Kind != dates.Recurring &&
				!e.From.Before(e.To):
				t.Errorf("Find(%q, %v, %d): %v from %v to %v", text, ref, lang, e.Kind, e.From, e.To)
			case e.From != e.From.In(zone) && !e.From.IsZero() || e.To != e.To.In(zone) && !e.To.IsZero() &&
				!e.To.Equal(dates.Forever()):
				t.Errorf("Find(%q, %v, %d): not in the zone of the reference", text, ref, lang)
			}
			end = e.End
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{
		"plain_200": "The kitchen needs a new tap, and the landlord said that the plumber has to look at the pipes first; after that " +
			"we can talk about the tiles, the colour of the walls and who pays for all of it, more or less.",
		"dated_200": "Yesterday we met the landlord at 5 pm and agreed that the plumber comes next Friday; the tiles follow in three " +
			"weeks, between 3 and 7 July, and everything must be ready by the end of August 2025. Good.",
	} {
		for lang, mode := range map[string]dates.Lang{"english": dates.English, "both": dates.Both} {
			b.Run(name+"/"+lang, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					dates.Find(text, reference, mode)
				}
			})
		}
	}
}
