package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// The program is built once; its processes have an empty folder for a home, and leave it empty.
func TestBench(t *testing.T) {
	b := bench{o: options{stderr: os.Stderr}, dir: t.TempDir()}
	if err := b.prepareProgram(t.Context()); err != nil {
		t.Fatal(err)
	}
	home, tmp := t.TempDir(), t.TempDir()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, home)
	}
	kept := filepath.Join(t.TempDir(), "kept")
	t.Setenv("TMPDIR", tmp)
	t.Run("measured", func(t *testing.T) { testMeasured(t, b.o.program) })
	t.Run("kept", func(t *testing.T) { testKept(t, b.o.program, kept) })
	for _, dir := range []string{tmp, home} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left behind, %v", left, err)
		}
	}
}

// ran runs the tool with nothing in its environment, and returns what it printed.
func ran(ctx context.Context, args ...string) (string, error) {
	var out, complaints bytes.Buffer
	err := Run(ctx, args, func(string) string { return "" }, &out, &complaints)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &complaints)
	}
	return out.String(), err
}

// printed is the JSON that programs read.
type printed struct {
	Machine struct {
		CPUs              int
		Version, Embedder string
	}
	Memory struct {
		Memories, Facts int
		FileMB          float64 `json:"file_mb"`
	}
	Tables map[string]map[string]map[string]float64
}

// stable are members that programs may rely on; those with "linux " before them are known there alone.
var stable = []string{
	"writes callers_1 per_s", "build in_every_index per_s", "throughput callers_4 per_s", "recall unfiltered p50_ms",
	"recall entity p99_ms", "parts search_dense p95_ms", "lookup query p50_ms", "recall unfiltered_again p50_ms",
	"vectors as_recalls p50_ms", "rest search p50_ms", "rest store_callers_8 per_s", "vectors naive_loop p50_ms",
	"vectors unfiltered memories", "start mcp best_ms", "start mcp_after_crash best_ms", "linux rest search cpu_ms",
	"linux recall unfiltered cpu_ms", "linux build process peak_mb", "linux start serve_empty resident_mb",
}

// A small memory is built, measured and removed: what vectors find is what there is to find.
func testMeasured(t *testing.T, program string) {
	out, err := ran(t.Context(), "-program", program, "-n", "300", "-dims", "384", "-json")
	if err != nil {
		t.Fatal(err)
	}
	var p printed
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if m := p.Machine; m.CPUs == 0 || m.Version == "" || m.Embedder != "hash:384" {
		t.Errorf("the machine is %+v, want its processors, the version of the program and hash:384", m)
	}
	if m := p.Memory; m.Memories != 300 || m.Facts == 0 || m.FileMB == 0 {
		t.Errorf("the memory is %+v, want 300 memories with facts in a file", m)
	}
	for _, path := range stable {
		path, linux := strings.CutPrefix(path, "linux ")
		at := strings.Fields(path)
		if v, ok := p.Tables[at[0]][at[1]][at[2]]; !ok && (!linux || runtime.GOOS == "linux") {
			t.Errorf("%s is missing", path)
		} else if v < 0 {
			t.Errorf("%s is %g", path, v)
		}
	}
	judged := 0
	for name, row := range p.Tables["vectors"] {
		if found, ok := row["recall_at_10"]; ok {
			if judged++; found != 1 {
				t.Errorf("%s: recall_at_10 is %g, want 1", name, found)
			}
		}
	}
	if small := p.Tables["vectors"]["small_tenant"]["memories"]; judged < 3 || small != 20 {
		t.Errorf("%d rows were judged and the small tenant has %g memories; want several, and 20", judged, small)
	}
}

// A memory that is kept is measured again, as what it is.
func testKept(t *testing.T, program, kept string) {
	bench := func(n string) (string, error) {
		return ran(t.Context(), "-program", program, "-n", n, "-keep", kept, "-markdown", "-processes")
	}
	built := ""
	for range 2 {
		out, err := bench("300")
		if err != nil {
			t.Fatal(err)
		}
		row := ""
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "| conversations, stored, memories |") {
				row = line
			}
		}
		if !strings.Contains(out, "| mcp, owner: search | ") || row == "" || built != "" && row != built {
			t.Errorf("printed is\n%s\nwant searches of an owner, and %q of the first run", out, built)
		}
		built = row
	}
	if left, err := filepath.Glob(filepath.Join(kept, "trilith-bench-*")); err != nil || len(left) > 0 {
		t.Errorf("%v are left behind, %v", left, err)
	}
	if _, err := bench("400"); !isRefused(err, "holds 300 memories of tenant default") {
		t.Errorf("400 in the folder of 300: %v, want it to be refused", err)
	}
	if err := os.Remove(filepath.Join(kept, builtRecord)); err != nil {
		t.Fatal(err)
	}
	if _, err := bench("300"); !isRefused(err, "which no benchmark has finished") {
		t.Errorf("a folder without its record: %v, want it to be refused", err)
	}
}

func isRefused(err error, why string) bool {
	return trilith.KindOf(err) == trilith.Conflict && strings.Contains(err.Error(), why)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	few := filepath.Join(t.TempDir(), "few.txt")
	if err := os.WriteFile(few, []byte("Ana planted tulips.\nThe ferry leaves at nine.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"-n 20", "at least 100"},
		{"-n many", "such as 2500, 10k or 1m"},
		{"-n 100 -texts " + few, "the file holds 2 texts, and the sample needs"},
		{"-n 100 -texts " + few + ".none", "texts: "},
		{"-n 100 -program " + few, "program: "},
		{"-n 100 more", "more"},
	} {
		if _, err := ran(t.Context(), strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it to be refused and to say %q", c.args, err, c.want)
		}
	}
}

func TestParseMemories(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"2500": 2500, "10k": 10_000, "1m": 1_000_000, "1M": 1_000_000, "100": 100} {
		if got, err := parseMemories(text); got != want || err != nil {
			t.Errorf("parseMemories(%s) = %d, %v, want %d", text, got, err, want)
		}
	}
}
