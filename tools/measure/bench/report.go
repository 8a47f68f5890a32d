package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/trilith-memory/trilith/internal/compose"
)

// report holds the measurements. Its JSON has the members machine, memory and tables, which docs/performance.md
// describes.
type report struct {
	Machine machine
	Memory  struct {
		Memories int     `json:"memories"` // of the largest tenant, facts included
		Facts    int     `json:"facts"`
		Others   int     `json:"others"` // memories of the other tenants
		Tenants  int     `json:"tenants"`
		FileMB   float64 `json:"file_mb,omitempty"`
	}
	tables []*table
}

// machine describes the machine that was measured.
type machine struct {
	Date     string  `json:"date"`
	CPU      string  `json:"cpu"`
	CPUs     int     `json:"cpus"`
	System   string  `json:"system"`
	Go       string  `json:"go"`
	Version  string  `json:"version"`
	Embedder string  `json:"embedder"`
	Load     float64 `json:"load,omitempty"` // processes that wanted to run on average, before
}

func thisMachine(s *compose.Settings) machine {
	m := machine{Date: time.Now().UTC().Format(time.DateOnly), CPU: runtime.GOARCH, CPUs: runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(), Version: s.Version, Embedder: s.Embedder}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if first, _, ok := strings.Cut(string(load), " "); ok {
			m.Load, _ = strconv.ParseFloat(first, 64)
		}
	}
	return m
}

// table holds numbers by row and column. The names of the table, rows and columns are JSON names and must not change.
type table struct {
	name, title string
	columns     []string
	rows        []row
}

type row struct {
	name, label string
	values      []float64 // one for each column from the first on; NaN: not known
}

var unknown = math.NaN()

func (t *table) row(name, label string, values ...float64) {
	t.rows = append(t.rows, row{name, label, values})
}

// MarshalJSON writes the numbers that are known: tables, rows and columns by their names.
func (r *report) MarshalJSON() ([]byte, error) {
	tables := map[string]map[string]map[string]float64{}
	for _, t := range r.tables {
		rows := map[string]map[string]float64{}
		for _, row := range t.rows {
			values := map[string]float64{}
			for i, v := range row.values {
				if !math.IsNaN(v) {
					values[t.columns[i]] = v
				}
			}
			rows[row.name] = values
		}
		tables[t.name] = rows
	}
	return json.Marshal(map[string]any{"machine": r.Machine, "memory": r.Memory, "tables": tables})
}

// print prints the tables for people: with aligned columns, or as Markdown.
func (r *report) print(w io.Writer, markdown bool) error {
	m := r.Machine
	on := fmt.Sprintf("%s, %d × %s (%s), %s, trilith %s, embedder %s", m.Date, m.CPUs, m.CPU, m.System, m.Go,
		m.Version, m.Embedder)
	if m.Load > 0 {
		on += fmt.Sprintf(", load before %.2f", m.Load)
	}
	what := fmt.Sprintf("%d memories of one tenant, %d of them facts, %d of %d others", r.Memory.Memories,
		r.Memory.Facts, r.Memory.Others, r.Memory.Tenants-1)
	if r.Memory.FileMB > 0 {
		what += fmt.Sprintf("; the file has %s MB", number(r.Memory.FileMB))
	}
	if !markdown {
		fmt.Fprintf(w, "%s\n%s\n", on, what)
	}
	for _, t := range r.tables {
		heading := []string{"what"}
		for _, c := range t.columns {
			heading = append(heading, strings.ReplaceAll(c, "_", " "))
		}
		rows := make([][]string, len(t.rows))
		for i, row := range t.rows {
			rows[i] = append(make([]string, 0, len(heading)), row.label)
			for _, v := range row.values {
				rows[i] = append(rows[i], number(v))
			}
			for len(rows[i]) < len(heading) {
				rows[i] = append(rows[i], "")
			}
		}
		if markdown {
			fmt.Fprintf(w, "\n### %s\n\n%s. %s.\n\n", t.title, upperFirst(what), on)
			fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(heading, " | "), strings.Repeat("---|", len(heading)))
			for _, row := range rows {
				fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
			}
			continue
		}
		fmt.Fprintf(w, "\n%s\n", t.title)
		aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{heading}, rows...) {
			fmt.Fprintln(aligned, strings.Join(row, "\t"))
		}
		if err := aligned.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// number formats a measured value with its significant digits; empty for an unknown one.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v == math.Trunc(v) || v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// resident is the memory of a process in MB: the present size, the part of it that no file backs, and the largest size
// so far. Only Linux reports it; elsewhere all are unknown.
type resident struct{ now, anonymous, peak float64 }

func residentOf(pid int) resident {
	r := resident{unknown, unknown, unknown}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return r
	}
	for line := range strings.Lines(string(status)) {
		to := map[string]*float64{"VmRSS:": &r.now, "RssAnon:": &r.anonymous, "VmHWM:": &r.peak}
		if fields := strings.Fields(line); len(fields) > 1 && to[fields[0]] != nil {
			if kb, err := strconv.ParseFloat(fields[1], 64); err == nil {
				*to[fields[0]] = kb / 1000
			}
		}
	}
	return r
}

// busyOf is how long a process has kept processors busy, in ms, to a hundredth of a second. Only Linux tells; elsewhere
// it is unknown.
func busyOf(pid int) float64 {
	const tick = 10
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return unknown
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // behind the name of the program
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return unknown
	}
	user, err := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err != nil || err2 != nil {
		return unknown
	}
	return tick * (user + system)
}

// find returns a table of the report by its name.
func (r *report) find(name string) *table {
	return r.tables[slices.IndexFunc(r.tables, func(t *table) bool { return t.name == name })]
}
