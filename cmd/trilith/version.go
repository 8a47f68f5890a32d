package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// version is that of the next release. No other place has it: the build reads this line, and TestVersion holds the
// packages of the clients to it.
const version = "0.1.0"

// linked is the commit that the linker was told (make build).
var linked string

// commit names what this program was built from, with "-dirty" if files differed from it; "" if nothing tells.
var commit = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if linked != "" || !ok {
		return linked
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	revision := said["vcs.revision"]
	if revision != "" && said["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	return revision
})

// identity distinguishes builds: by version and commit, or by the program's bytes where these do not tell.
var identity = sync.OnceValue(func() string {
	if c := commit(); c != "" && !strings.HasSuffix(c, "-dirty") {
		return version + " " + c
	}
	// against mistakes: a client that connects can do everything anyway
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if self, err := os.Executable(); err == nil {
		if f, err := os.Open(self); err == nil {
			_, _ = io.Copy(sum, f)
			_ = f.Close()
		}
	}
	return fmt.Sprintf("%s %08x", version, sum.Sum32())
})

type versionCmd struct {
	Licences bool `help:"Print the licences of everything that the program is linked with, and its notices."`
}

func (c *versionCmd) Run(_ context.Context, a *app) error {
	said := map[string]string{"version": version, "commit": commit()}
	if c.Licences {
		said["licences"] = notices
		return a.out.result(said, func() { a.out.linef("%s", notices) })
	}
	return a.out.result(said, func() {
		if c := commit(); c != "" {
			a.out.linef("trilith %s (%s)", version, c)
		} else {
			a.out.linef("trilith %s", version)
		}
	})
}
