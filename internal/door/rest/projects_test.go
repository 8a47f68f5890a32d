package rest_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// roofMoney tells a project of a quote and two invoices.
func roofMoney(t *testing.T, e *edge) {
	t.Helper()
	for i, text := range []string{"The budget for the roof is 9,000 EUR.", "Huber quoted 4,000 EUR for the roof.",
		"Huber sent invoice R-77 for the roof: 1,500 EUR.", "We paid 1,500 EUR for invoice R-77."} {
		got := e.do("POST", "/api/v1/memories", `{"project":"tower","text":"`+text+`","extract":"rules","wait":"extracted","timestamp":"2026-01-0`+
			string(rune('1'+i))+`"}`)
		if got.status != 200 {
			t.Fatalf("POST /memories = %d %s", got.status, got.body)
		}
	}
}

// A ledger is given as JSON and as CSV, with the same sums; a report as JSON and as Markdown.
func TestProjectMoney(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	roofMoney(t, e)
	got := e.do("GET", "/api/v1/projects/tower?view=ledger", "")
	var l trilith.ProjectLedger
	if err := json.Unmarshal([]byte(got.body), &l); err != nil || len(l.Totals) != 1 || len(l.Matches) != 2 {
		t.Fatalf("GET ledger = %d %s", got.status, got.body)
	}
	want := trilith.LedgerSums{Budget: "9000", Estimated: "0", Quoted: "4000", Committed: "4000", Invoiced: "1500",
		Paid: "1500", Open: "0"}
	if l.Totals[0].LedgerSums != want || l.Totals[0].Variance != "5000" || l.Totals[0].Percent != "55.6" {
		t.Errorf("totals = %+v, want %+v", l.Totals[0], want)
	}
	table := e.do("GET", "/api/v1/projects/tower?view=ledger&format=csv&rate=EUR:USD=1.1", "")
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || table.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("GET ledger as CSV = %v %v\n%s", table.header, err, table.body)
	}
	sorts := map[string]int{}
	for _, row := range rows {
		sorts[row[0]]++
	}
	if sorts["entry"] != 4 || sorts["total"] != 1 || sorts["combined"] != 1 || sorts["match"] != 2 {
		t.Errorf("rows = %v of\n%s", sorts, table.body)
	}
	if got := e.do("GET", "/api/v1/projects/tower?view=ledger&as_of=2026-01-03", ""); !strings.Contains(got.body, `"paid":"0"`) {
		t.Errorf("GET ledger as of a day before = %s, want nothing paid", got.body)
	}
	report := e.do("GET", "/api/v1/projects/tower?view=report&from=2026-01-01&to=2026-02-01&format=markdown", "")
	if report.header.Get("Content-Type") != "text/markdown; charset=utf-8" ||
		!strings.Contains(report.body, "| EUR | 9000 | 4000 | 1500 | 1500 | 0 | 5000 |") {
		t.Errorf("GET report as Markdown = %v\n%s", report.header, report.body)
	}
	for _, bad := range []string{"ledger&rate=EUR", "ledger&tolerance=x", "ledger&as_of=soon", "ledger&format=xml",
		"report&from=2026-02-01&to=2026-01-01"} {
		if got := e.do("GET", "/api/v1/projects/tower?view="+bad, ""); got.status != 400 && got.status != 422 {
			t.Errorf("GET %s = %d %s, want it refused", bad, got.status, got.body)
		}
	}
}

// Undoing an import takes its files away, and what was there before it stays; the same files can be sent again.
func TestUndoTakesMedia(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{Local: true})
	picture := func(width int) string {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := e.do("POST", "/api/v1/media?name=old.png&user=ana", picture(3), "Content-Type", "image/png"); got.status != 200 {
		t.Fatalf("POST /media = %d %s", got.status, got.body)
	}
	sent := [][2]string{{"old.png", picture(3)}, {"new.png", picture(4)}, {"note.md", "# Slate\n\nIt comes from Wales."}}
	held := func() int {
		var page trilith.MediaPage
		if err := json.Unmarshal([]byte(e.do("GET", "/api/v1/media?user=ana", "").body), &page); err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	for range 2 {
		run, got := e.upload(t, []string{"user=ana"}, sent)
		if got.status != 200 || held() != 2 {
			t.Fatalf("POST /imports = %d %s, with %d files", got.status, got.body, held())
		}
		for _, dry := range []string{"true", "false"} {
			gone := e.do("DELETE", "/api/v1/imports/"+string(run.ID)+"?user=ana&dry_run="+dry, "")
			if !strings.Contains(gone.body, `"media_taken":1`) {
				t.Errorf("undo (dry run %s) = %d %s, want one file", dry, gone.status, gone.body)
			}
		}
		if held() != 1 {
			t.Errorf("%d files after undoing, want the one that was there before", held())
		}
	}
}
