package provider_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

func stream(body string) http.HandlerFunc {
	return providertest.JSON(http.StatusOK, body, "Content-Type", "text/event-stream")
}

func collect(ctx context.Context, c *provider.Client) (got []string, err error) {
	err = c.Stream(ctx, provider.Request{Body: echo{providertest.Text}}, func(data []byte) error {
		got = append(got, string(data))
		return nil
	})
	return got, err
}

func TestStream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"events":        {"data: {\"a\":1}\n\ndata: {\"a\":2}\n\n", []string{`{"a":1}`, `{"a":2}`}},
		"several lines": {"data: {\"a\":\ndata: 1}\n\n", []string{"{\"a\":\n1}"}},
		"names and comments": {": hello\nevent: delta\nid: 7\nretry: 5\ndata:{\"a\":1}\n\n: ping\n\n",
			[]string{`{"a":1}`}},
		"carriage returns":  {"data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"1", "2"}},
		"end":               {"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", []string{"1"}},
		"no last line feed": {"data: 1\n\ndata: 2", []string{"1", "2"}},
		"lines of JSON":     {"{\"a\":1}\n\n{\"a\":2}\n[3]", []string{`{"a":1}`, `{"a":2}`, `[3]`}},
		"nothing":           {"", nil},
		"empty events":      {"data:\n\ndata: \n\n", nil},
		"text in an event":  {"data: {\ndata: {}\n\n", []string{"{\n{}"}},
		"a long event": {"data: " + strings.Repeat("x", 900<<10) + "\n\n",
			[]string{strings.Repeat("x", 900<<10)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := collect(t.Context(), open(t, providertest.New(t, stream(c.body)), nil))
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("Stream = %.200q, %v, want %.200q", got, err, c.want)
			}
		})
	}
}

func TestStreamEventTooLarge(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"data: " + strings.Repeat("x", 2<<20),
		strings.Repeat("data: "+strings.Repeat("x", 99<<10)+"\n", 12), "{" + strings.Repeat("x", 2<<20)} {
		got, err := collect(t.Context(), open(t, providertest.New(t, stream(body)), nil))
		if trilith.KindOf(err) != trilith.Internal || got != nil {
			t.Errorf("Stream of %d bytes in one event = %d events, %v, want kind %s", len(body), len(got), err,
				trilith.Internal)
		}
	}
}

// TestStreamIsRepeatedBeforeItBegins and never after.
func TestStreamIsRepeatedBeforeItBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := providertest.New(t, providertest.Complaint(503),
			providertest.Truncated(stream(": nothing yet\n\n: nothing yet\n\n")), stream("data: 1\n\n"))
		if got, err := collect(t.Context(), open(t, f, nil)); err != nil || !slices.Equal(got, []string{"1"}) {
			t.Errorf("Stream = %q, %v, want the third attempt's event", got, err)
		}
		f = providertest.New(t, providertest.Truncated(
			stream("data: 1\n\ndata: 2\n\n"+strings.Repeat(": ping\n\n", 9))), stream("data: 1\n\n"))
		got, err := collect(t.Context(), open(t, f, nil))
		if trilith.KindOf(err) != trilith.Unavailable || !slices.Equal(got, []string{"1", "2"}) || len(f.Requests()) != 1 {
			t.Errorf("Stream = %q, %v after %d requests, want what came, and kind %s after 1", got, err,
				len(f.Requests()), trilith.Unavailable)
		}
		providertest.Discreet(t, f, err)
	})
}

func TestStreamEndsWithTheErrorOfEvent(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, stream("data: 1\n\ndata: 2\n\n"))
	stop, n := errors.New("enough"), 0
	err := open(t, f, nil).Stream(t.Context(), provider.Request{}, func([]byte) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 || len(f.Requests()) != 1 {
		t.Errorf("Stream = %v after %d events and %d requests, want %v after one each", err, n, len(f.Requests()), stop)
	}
}

func TestStreamCheck(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, stream("data: 1\n\n"))
	err := open(t, f, nil).Stream(
		t.Context(), provider.Request{Check: func() error { return errors.New("it has no end") }},
		func([]byte) error { return nil })
	if trilith.KindOf(err) != trilith.Internal || len(f.Requests()) != 1 {
		t.Errorf("Stream = %v after %d requests, want kind %s after 1", err, len(f.Requests()), trilith.Internal)
	}
}

func TestStreamCanceled(t *testing.T) {
	t.Parallel()
	providertest.Canceled(t, func(ctx context.Context, f *providertest.Fake) error {
		_, err := collect(ctx, open(t, f, nil))
		return err
	})
}
