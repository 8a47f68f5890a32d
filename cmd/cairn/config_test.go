package main

import (
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
)

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"", "# a remark\nCAIRN_STORE=mem:\n", "CAIRN_STORE=\"mem:\"", "CAIRN_STORE", "=",
		"CAIRN_STOR=mem:", "\x00=\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		settings, err := readSettings("FILE", strings.NewReader(file))
		if err != nil && cairn.KindOf(err) != cairn.Invalid {
			t.Errorf("readSettings(%q) = %v, want an invalid error", file, err)
		}
		for name := range settings {
			if err == nil && !strings.HasPrefix(name, envPrefix) {
				t.Errorf("readSettings(%q) lets the name %q through", file, name)
			}
		}
	})
}
