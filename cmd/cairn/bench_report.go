package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// benchReport is what a benchmark prints. Its JSON has the members machine, memory and tables; docs/performance.md says
// what they hold.
type benchReport struct {
	Machine machine
	Memory  struct {
		Memories int     `json:"memories"` // of the largest tenant, facts included
		Facts    int     `json:"facts"`
		Others   int     `json:"others"` // memories of the other tenants
		Tenants  int     `json:"tenants"`
		FileMB   float64 `json:"file_mb,omitempty"`
	}
	tables []*benchTable
}

// machine is what was measured on.
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

func thisMachine(a *app) machine {
	m := machine{Date: time.Now().UTC().Format(time.DateOnly), CPU: runtime.GOARCH, CPUs: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Go: runtime.Version(), Version: version, Embedder: a.Embedder}
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

// benchTable is numbers by row and column. Its names and those of rows and columns are members of the JSON and stay.
type benchTable struct {
	name, title string
	columns     []string
	rows        []benchRow
}

type benchRow struct {
	name, label string
	values      []float64 // one for each column from the first on; NaN: not known
}

var unknown = math.NaN()

func (t *benchTable) row(name, label string, values ...float64) {
	t.rows = append(t.rows, benchRow{name, label, values})
}

// MarshalJSON writes the numbers that are known: tables, rows and columns by their names.
func (r *benchReport) MarshalJSON() ([]byte, error) {
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

// print prints the tables for people: on a terminal, or as Markdown.
func (r *benchReport) print(p *printer, markdown bool) {
	m := r.Machine
	on := fmt.Sprintf("%s, %d × %s (%s), %s, cairn %s, embedder %s", m.Date, m.CPUs, m.CPU, m.System, m.Go, m.Version, m.Embedder)
	if m.Load > 0 {
		on += fmt.Sprintf(", load before %.2f", m.Load)
	}
	what := fmt.Sprintf("%d memories of one tenant, %d of them facts, %d of %d others", r.Memory.Memories, r.Memory.Facts, r.Memory.Others, r.Memory.Tenants-1)
	if r.Memory.FileMB > 0 {
		what += fmt.Sprintf("; the file has %s MB", number(r.Memory.FileMB))
	}
	if !markdown {
		p.linef("%s\n%s", on, what)
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
			p.linef("\n### %s\n\n%s. %s.\n", t.title, upperFirst(what), on)
			p.linef("| %s |\n|%s", strings.Join(heading, " | "), strings.Repeat("---|", len(heading)))
			for _, row := range rows {
				p.linef("| %s |", strings.Join(row, " | "))
			}
			continue
		}
		p.linef("\n%s", p.bold(t.title))
		p.table(heading, rows)
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// number is a measured value in as many digits as mean something; nothing for one that is not known.
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

// resident is the memory of a process in MB: what it has now, the part of that which no file stands behind, and the most that
// it had. Only Linux tells; elsewhere all are unknown.
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

// find returns a table of the report by its name.
func (r *benchReport) find(name string) *benchTable {
	return r.tables[slices.IndexFunc(r.tables, func(t *benchTable) bool { return t.name == name })]
}
