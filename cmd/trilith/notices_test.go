package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// platforms are those that make build-all builds for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// licences are those that linked packages may have, by words of their texts.
var licences = map[string]*regexp.Regexp{
	"MIT":           regexp.MustCompile(`Permission is hereby granted, free of charge`),
	"BSD":           regexp.MustCompile(`Redistribution and use in source and binary forms`),
	"Apache-2.0":    regexp.MustCompile(`Apache License\s+Version 2\.0`),
	"ISC":           regexp.MustCompile(`Permission to use, copy, modify,? and(/or)? distribute this software`),
	"public domain": regexp.MustCompile(`(?i)public domain|disclaims copyright`),
}

// forbidden are words of licences that would reach the program itself.
var forbidden = regexp.MustCompile(
	`(?i)GNU (LESSER |AFFERO )?GENERAL PUBLIC|Mozilla Public|Server Side Public|Business Source|Commons Clause`)

var (
	isLicence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)`)
	isNotice  = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)`)
)

// Everything that is linked into the program on any platform is under a licence that lets us, and the program carries
// its texts.
func TestNotices(t *testing.T) {
	t.Parallel()
	folders := map[string]map[string]bool{} // of the packages that are linked, by module and version
	for _, p := range platforms {
		system, machine, _ := strings.Cut(p, "/")
		out := goTool(t, []string{"GOOS=" + system, "GOARCH=" + machine}, "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
		for line := range strings.Lines(out) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
				if folders[f[0]] == nil {
					folders[f[0]] = map[string]bool{}
				}
				for dir := f[2]; ; dir = filepath.Dir(dir) { // a package may have a licence of its own
					folders[f[0]][dir] = true
					if dir == f[1] || len(dir) <= len(f[1]) {
						break
					}
				}
			}
		}
	}
	if len(folders) < 20 {
		t.Fatalf("%d modules are linked, want all", len(folders))
	}
	folders["The Go standard library"] = map[string]bool{strings.TrimSpace(goTool(t, nil, "env", "GOROOT")): true}

	under := map[string][]string{} // modules by text
	for module, dirs := range folders {
		granted := false
		for dir := range dirs {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.IsDir() || !isNotice.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
					continue
				}
				text, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				// Files that a module has in its repository and links nowhere are listed in a file of their own, with
				// their licences.
				if word := forbidden.Find(text); word != nil && !strings.Contains(e.Name(), "3RD-PARTY") {
					t.Errorf("%s: %s names %q: it may not be linked", module, e.Name(), word)
				}
				if isLicence.MatchString(e.Name()) &&
					slices.ContainsFunc(slices.Collect(maps.Values(licences)),
						func(r *regexp.Regexp) bool { return r.Match(text) }) {
					granted = true
				}
				said := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
				under[said] = append(under[said], module)
			}
		}
		if !granted {
			t.Errorf("%s has no licence that is one of %v", module, slices.Sorted(maps.Keys(licences)))
		}
	}
	texts := slices.SortedFunc(maps.Keys(under), func(a, b string) int {
		slices.Sort(under[a])
		slices.Sort(under[b])
		return strings.Compare(under[a][0]+"\n"+a, under[b][0]+"\n"+b)
	})
	var b bytes.Buffer
	own, err := os.ReadFile(filepath.Join("..", "..", "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	b.Write(own)
	b.WriteString("\nWhat is linked\n==============\n\nThe program is linked with the following, under the licences that follow their names.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80),
			strings.Join(slices.Compact(under[text]), "\n"), text)
	}
	if *update {
		if err := os.WriteFile("THIRD_PARTY_NOTICES", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != notices {
		t.Error("THIRD_PARTY_NOTICES is not what is linked; run: go test ./cmd/trilith -run TestNotices -update")
	}
}

// goTool runs the go command, which fetches modules of other platforms where they are not here yet.
func goTool(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
