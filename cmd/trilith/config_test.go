package main

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"", "# a remark\nTRILITH_STORE=mem:\n", "TRILITH_STORE=\"mem:\"", "TRILITH_STORE", "=",
		"TRILITH_STOR=mem:", "\x00=\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		settings, err := readSettings("FILE", strings.NewReader(file))
		if err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("readSettings(%q) = %v, want an invalid error", file, err)
		}
		for name := range settings {
			if err == nil && !strings.HasPrefix(name, envPrefix) {
				t.Errorf("readSettings(%q) lets the name %q through", file, name)
			}
		}
	})
}
