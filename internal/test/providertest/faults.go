package providertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
)

// fault is a service's fault, and the reaction that a driver owes.
type fault struct {
	name     string
	steps    []http.HandlerFunc // after them good answers follow, where the last is nil; else the last one repeats
	want     trilith.ErrorKind  // with fails
	fails    bool
	requests int           // that are sent; 0: any number
	waits    time.Duration // at least
	within   time.Duration // the deadline of the call; 0: none
}

// again returns a fault that ends when the request is repeated.
func again(name string, step http.HandlerFunc, waits time.Duration) fault {
	return fault{name: name, steps: []http.HandlerFunc{step, nil}, requests: 2, waits: waits}
}

// never returns a fault that stays.
func never(name string, step http.HandlerFunc, want trilith.ErrorKind, requests int) fault {
	return fault{name: name, steps: []http.HandlerFunc{step}, fails: true, want: want, requests: requests}
}

// once returns an answer that goes through at the first attempt.
func once(name string, step http.HandlerFunc) fault {
	return fault{name: name, steps: []http.HandlerFunc{step}, requests: 1}
}

// Faults runs a driver against a service that does all that services do. good is an answer that the driver takes for a
// request about [Text]. call opens the driver with the fake's URL, Transport and Logger and [Secret] as its credential,
// makes one request about Text, and returns its error.
func Faults(t *testing.T, good http.HandlerFunc, call func(ctx context.Context, f *Fake) error) {
	for _, c := range faults(good) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.run(t, good, call) })
		})
	}
}

func faults(good http.HandlerFunc) []fault {
	all := []fault{
		once("good", good),
		once("packed", Gzip(good)),
		once("blank lines first", KeptAlive(good)),
		once("slow headers", After(45*time.Second, good)),
		again("reset", Reset, 0),
		again("truncated", Truncated(good), 0),
		again("half JSON", JSON(http.StatusOK, `{"data":[`), 0),
		again("429 with seconds", Complaint(http.StatusTooManyRequests, "Retry-After", "7"), 7*time.Second),
		again("429 with a time", dated(20*time.Second), 20*time.Second),
		again("503 with seconds", Complaint(http.StatusServiceUnavailable, "Retry-After", "3"), 3*time.Second),
		again("429 without a time", Complaint(http.StatusTooManyRequests), 0),
		never("always reset", Reset, trilith.Unavailable, 4),
		never("always truncated", Truncated(good), trilith.Unavailable, 4),
		never("always silent", Never, trilith.Unavailable, 1),
		never("always 429", Complaint(http.StatusTooManyRequests), trilith.Unavailable, 4),
		never("a page instead of JSON", page, trilith.Internal, 2),
		never("an empty answer", JSON(http.StatusOK, ""), trilith.Internal, 2),
		never("an answer without end", endless(good), trilith.Internal, 2),
		never("401", Complaint(http.StatusUnauthorized), trilith.Unauthenticated, 1),
		never("403", Complaint(http.StatusForbidden), trilith.Unauthenticated, 1),
		never("402", Complaint(http.StatusPaymentRequired), trilith.Exhausted, 1),
		never("413", Complaint(http.StatusRequestEntityTooLarge), trilith.Invalid, 0),
		never("400", Complaint(http.StatusBadRequest), trilith.Invalid, 1),
		never("404", Complaint(http.StatusNotFound), trilith.Unsupported, 1),
		never("422", Complaint(http.StatusUnprocessableEntity), trilith.Invalid, 1),
		{name: "a pause after the deadline",
			steps: []http.HandlerFunc{Complaint(http.StatusTooManyRequests, "Retry-After", "50")},
			fails: true, want: trilith.Unavailable, requests: 1, within: 30 * time.Second},
		{name: "a pause of an hour",
			steps: []http.HandlerFunc{Complaint(http.StatusTooManyRequests, "Retry-After", "3600")},
			fails: true, want: trilith.Unavailable, requests: 1},
	}
	for _, status := range []int{408, 409, 500, 502, 503, 504, 529} {
		all = append(all, again(http.StatusText(status)+" once", Complaint(status), 0))
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		all = append(all, never("redirect "+http.StatusText(status),
			Complaint(status, "Location", "/elsewhere?key="+Secret), trilith.Unsupported, 1))
	}
	return all
}

func (c fault) run(t *testing.T, good http.HandlerFunc, call func(context.Context, *Fake) error) {
	steps := c.steps
	if last := len(steps) - 1; steps[last] == nil {
		steps = append(steps[:last:last], good)
	}
	f := New(t, steps...)
	ctx := t.Context()
	if c.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.within)
		defer cancel()
	}
	start := time.Now()
	err := call(ctx, f)
	switch {
	case !c.fails && err != nil:
		t.Errorf("call = %v, want no error", err)
	case c.fails && (err == nil || trilith.KindOf(err) != c.want):
		t.Errorf("call = %v, want an error of kind %s", err, c.want)
	}
	if n := len(f.Requests()); c.requests > 0 && n != c.requests {
		t.Errorf("%d requests were sent, want %d", n, c.requests)
	}
	if waited := time.Since(start); waited < c.waits || c.within > 0 && waited >= c.within {
		t.Errorf("the call took %s, want %s at least and less than %s", waited, c.waits, c.within)
	}
	Discreet(t, f, err)
}

// Discreet checks that an error, its message and the fake's log name neither the credential nor the text.
func Discreet(t testing.TB, f *Fake, err error) {
	t.Helper()
	said := f.Log()
	if err != nil {
		said += err.Error() + trilith.MessageOf(err)
	}
	for _, word := range []string{Secret, Text, "walnuts"} {
		if strings.Contains(said, word) {
			t.Errorf("an error or a log line names %q:\n%s", word, said)
		}
	}
}

// Canceled checks that a driver gives up when its caller does, in the middle of a request, and says nothing but that.
func Canceled(t *testing.T, call func(ctx context.Context, f *Fake) error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := New(t, func(w http.ResponseWriter, r *http.Request) { cancel(); Never(w, r) })
		if err := call(ctx, f); !errors.Is(err, context.Canceled) || len(f.Requests()) != 1 {
			t.Errorf("call = %v after %d requests, want %v after one", err, len(f.Requests()), context.Canceled)
		}
	})
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Write([]byte("<html>" + Text + "</html>"))
}

func dated(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at := time.Now().Add(d + time.Second) // the header counts whole seconds
		Complaint(http.StatusTooManyRequests, "Retry-After", at.UTC().Format(http.TimeFormat))(w, r)
	}
}

// spaces are 65 MiB of nothing, packed.
var spaces = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for range 65 {
		z.Write(bytes.Repeat([]byte{' '}, 1<<20)) // a buffer returns no error
	}
	z.Close()
	return out.Bytes()
})

// endless answers as step does, with more white space behind it than any answer should have.
func endless(step http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		Gzip(step)(w, r)
		w.Write(spaces()) // packed parts follow each other
	}
}
