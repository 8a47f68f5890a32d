package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVersion: the packages of the clients have the version of the program, which looks for that of the program it
// finds.
func TestVersion(t *testing.T) {
	t.Parallel()
	for file, line := range map[string]string{
		"python/pyproject.toml":       `(?m)^version = "(.*)"$`,
		"python/src/trilith/_core.py": `(?m)^VERSION = "(.*)"$`,
		"typescript/package.json":     `(?m)^  "version": "(.*)",$`,
		"typescript/src/base.ts":      `(?m)^export const version = "(.*)";$`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "sdk", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(line).FindSubmatch(text); m == nil || string(m[1]) != version {
			t.Errorf("sdk/%s says the version %q, want %s", file, m, version)
		}
	}
}

// TestIdentity: a build that does not know its commit is not every other build of that version.
func TestIdentity(t *testing.T) {
	t.Parallel()
	if id := identity(); !strings.HasPrefix(id, version+" ") || len(id) < len(version+" 01234567") {
		t.Errorf("this build is %q, want something that is its own", id)
	}
}
