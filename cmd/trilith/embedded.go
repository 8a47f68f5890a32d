package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// idleTime is the time without requests after which memory is returned to the system.
const idleTime = time.Second

// child is the service of one program, which started it and holds the other end of standard input. On standard output,
// which only that program reads, it prints its address and key.
type child struct {
	key string
	out io.Writer
}

// ready is the one line that such a program reads.
type ready struct {
	URL     string `json:"url"`
	Key     string `json:"key"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// newChild makes this process the service of the program that started it. The context that it returns ends when
// standard input does: the operating system closes it when that program ends, for whatever reason. Messages for people
// have no reader.
func newChild(ctx context.Context, a *app) (*child, context.Context) {
	e := &child{key: "embedded_" + rand.Text(), out: a.out.w}
	a.out = newPrinter(io.Discard, a.JSON)
	ctx, end := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, a.stdin) // an error is an end too
		end()
	}()
	return e, ctx
}

// say tells the program that the service answers at url.
func (e *child) say(url string) error {
	return json.NewEncoder(e.out).Encode(ready{URL: url, Key: e.key, PID: os.Getpid(), Version: version})
}

// givesBack returns memory to the system after an idle time, pages of the program's file too. Such a service shares a
// machine with a notebook or an agent, which sends few requests and needs the memory.
func givesBack(h http.Handler) http.Handler {
	idle := time.AfterFunc(idleTime, func() {
		runtime.GC() // the content of pools survives one collection
		debug.FreeOSMemory()
		_ = releaseProgram() // the process only looks larger without
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer idle.Reset(idleTime)
		h.ServeHTTP(w, r)
	})
}
