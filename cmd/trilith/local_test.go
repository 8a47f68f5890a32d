package main

import (
	"net/http"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/test/berttest"
	"github.com/trilith-memory/trilith/internal/test/hubtest"
)

// fakeHub is the command of the scripts that runs a hub of models beside them: start sets the variables HUB, its
// address, and WEIGHTS, the hash of what it holds; cut N breaks its next connection for the weights after N bytes;
// change makes the weights others; stop ends it.
func fakeHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hub start|cut N|change|stop")
	}
	h, _ := ts.Value("hub").(**hubtest.Hub)
	switch args[0] {
	case "start":
		*h = hubtest.Start(100_000)
		ts.Defer((*h).Close)
		ts.Setenv("HUB", (*h).URL)
		ts.Setenv("WEIGHTS", hubtest.SHA256((*h).Files[hub.Weights]))
	case "cut":
		after, err := strconv.Atoi(args[1])
		ts.Check(err)
		(*h).Cut(after)
	case "change":
		(*h).Break(func(w http.ResponseWriter, _ *http.Request, cdn bool) bool {
			if cdn {
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write(make([]byte, 100_000))
			}
			return cdn
		})
	case "stop":
		(*h).Close()
	default:
		ts.Fatalf("hub: %q is unknown", args[0])
	}
}

// encoder is the command of the scripts that writes a small local model into a folder.
func encoder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: encoder DIR")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), berttest.Tiny().Files()))
}
