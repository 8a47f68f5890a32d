package main

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/compose"
)

// TestEnvironmentExample: .env.example lists every setting and every variable of others that is read, once, and nothing
// else; every setting is a flag.
func TestEnvironmentExample(t *testing.T) {
	t.Parallel()
	example := readFile(t, ".env.example")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^#?([A-Z_]+)=`).FindAllStringSubmatch(example, -1) {
		got = append(got, m[1])
	}
	want := []string{envPrefix + "CONFIG"}
	for _, s := range slices.Concat(settings, mcpSettings) {
		want = append(want, envName(s))
	}
	listed := slices.Concat(want, compose.Outside)
	slices.Sort(got)
	slices.Sort(listed)
	if diff := cmp.Diff(listed, got); diff != "" {
		t.Errorf(".env.example (-settings +listed):\n%s", diff)
	}
	if _, err := readSettings(".env.example", strings.NewReader(example)); err != nil {
		t.Errorf(".env.example cannot be used as it is: %v", err)
	}

	parser, err := kong.New(&cli{}, variables("", ""))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for _, f := range parser.Model.Flags {
		flags[envName(f.Name)] = true
	}
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			flags[envName(f.Name)] = true
		}
	}
	for _, name := range want {
		if !flags[name] {
			t.Errorf("%s is no flag of any command; there are %v", name, slices.Sorted(maps.Keys(flags)))
		}
	}
}

// TestMigratingSettings: docs/migrating.md says what becomes of the settings of the systems that people come from, and
// names no setting of ours that does not exist.
func TestMigratingSettings(t *testing.T) {
	t.Parallel()
	page := readFile(t, "docs", "migrating.md")
	for _, name := range []string{"QDRANT_HOST", "QDRANT_PORT", "EMBEDDING_MODEL", "EMBEDDING_DIM",
		"VECTOR_COLLECTION_NAME", "VECTOR_MEMORY_*", "MEMORY_*", "MYCEL_*"} {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/migrating.md does not say what becomes of %s", name)
		}
	}
	for _, m := range regexp.MustCompile("`(TRILITH_[A-Z_]+)").FindAllStringSubmatch(page, -1) {
		if err := checkNames(fileSettings{m[1]: ""}); err != nil {
			t.Errorf("docs/migrating.md: %v", err)
		}
	}
}

// TestBackupDrill does what docs/operating.md tells an operator to do.
func TestBackupDrill(t *testing.T) {
	t.Parallel()
	_, section, ok := strings.Cut(readFile(t, "docs", "operating.md"), "## Backup and restore")
	section, _, _ = strings.Cut(section, "\n## ")
	lines := blocks(section, "console")
	if !ok || len(lines) < 4 {
		t.Fatalf("docs/operating.md has the drill %q, want at least four commands", lines)
	}
	s := newShell(t)
	last := ""
	for _, line := range lines {
		args := words(line)
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...) // TestMain has put trilith on the path
		cmd.Dir, cmd.Env = s.home, s.environ()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		last = string(out)
	}
	if !strings.Contains(last, "calm day") {
		t.Errorf("after the drill the restored memory answers %q, want what was remembered", last)
	}
}

// TestUnit: the unit starts a command that exists, with settings that exist.
func TestUnit(t *testing.T) {
	t.Parallel()
	unit := readFile(t, "deploy", "trilith.service")
	if !strings.Contains(unit, "\nExecStart=/usr/local/bin/trilith serve\n") {
		t.Error("deploy/trilith.service does not start trilith serve")
	}
	for _, m := range regexp.MustCompile(`TRILITH_[A-Z_]+`).FindAllString(unit, -1) {
		if err := checkNames(fileSettings{m: ""}); err != nil {
			t.Errorf("deploy/trilith.service: %v", err)
		}
	}
}
