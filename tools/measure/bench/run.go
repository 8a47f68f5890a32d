// Package bench measures the speed and the memory of trilith on the machine that it runs on: research that users do
// not need. It builds memories of made-up conversations, in files and on a server, asks them, and starts processes of
// the program on them. docs/performance.md explains the measurements, and lists the stable names in the JSON.
package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// Run reads the flags and measures.
func Run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	o := options{meter: rest.NewMetrics("bench"), stderr: stderr, progress: counter(stderr),
		settings: compose.Settings{Extract: string(trilith.ExtractNone), Getenv: getenv,
			Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	o.memories = 100_000
	f.Func("n", "memories of the largest tenant, such as 2500, 10k or 1m (default 100k); smaller tenants lie beside it",
		func(text string) (err error) { o.memories, err = parseMemories(text); return err })
	dims := f.Int("dims", 0,
		"make vectors of so many dimensions, such as 384, of hashed words, instead of the embedder's")
	f.StringVar(&o.settings.Embedder, "embedder", "builtin:", "what makes vectors, as for trilith")
	f.StringVar(&o.settings.Vectors, "vectors", "", "where vectors lie, as for trilith")
	f.StringVar(&o.texts, "texts", "", "a file of texts that conversations are made of, one a line, as many as -n says")
	f.StringVar(&o.keep, "keep", "", "the folder for the memory that is built, which the next run measures again")
	f.BoolVar(&o.processes, "processes", false, "measure several processes on one memory, and nothing else")
	f.StringVar(&o.on, "on", "", "the URL of a PostgreSQL server to measure on too; databases are made and dropped")
	f.StringVar(&o.program, "program", "", "the trilith whose processes are started; built of this source if empty")
	f.StringVar(&o.tenant, "tenant", localTenant, "the largest tenant")
	markdown := f.Bool("markdown", false, "print tables as docs/performance.md has them")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return trilith.Errorf(trilith.Invalid, "%q: is no flag; see -help", f.Arg(0))
	}
	if *dims != 0 {
		o.settings.Embedder = fmt.Sprintf("hash:%d", *dims)
	}
	r, err := measureAll(ctx, o)
	if err != nil {
		return err
	}
	if !*asJSON {
		return r.print(stdout, *markdown)
	}
	e := json.NewEncoder(stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// parseMemories reads a number of memories as people say it: 2500, 10k or 1m.
func parseMemories(text string) (int, error) {
	digits, times := strings.ToLower(text), 1
	for suffix, by := range map[string]int{"k": 1e3, "m": 1e6} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, times = d, by
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1e9 {
		return 0, trilith.Errorf(trilith.Invalid, "must be a number, such as 2500, 10k or 1m")
	}
	if n *= times; n < minMemories {
		return 0, trilith.Errorf(trilith.Invalid, "is %d, must be at least %d", n, minMemories)
	}
	return n, nil
}

// counterEvery keeps the counting from slowing the measured work.
const counterEvery = 100 * time.Millisecond

// counter counts on a terminal, and nowhere else.
func counter(w io.Writer) func(what string) (set func(done, total int64), finish func()) {
	f, _ := w.(*os.File)
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(string) (func(done, total int64), func()) { return func(int64, int64) {}, func() {} }
	}
	return func(what string) (set func(done, total int64), finish func()) {
		var shown time.Time
		return func(done, total int64) {
			if now := time.Now(); now.Sub(shown) >= counterEvery {
				shown = now
				fmt.Fprintf(f, "\r\x1b[K%s %d/%d", what, done, total)
			}
		}, func() { fmt.Fprint(f, "\r\x1b[K") }
	}
}
