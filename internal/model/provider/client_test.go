package provider_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// echo is what the service of these tests is asked and answers.
type echo struct {
	Text string `json:"text"`
}

var good = providertest.JSON(http.StatusOK, `{"text":"fine"}`)

var bearer = provider.Header("authorization", "Bearer "+providertest.Secret)

// open returns a client of a fake; change, if not nil, changes its options.
func open(t testing.TB, f *providertest.Fake, change func(*provider.Options)) *provider.Client {
	t.Helper()
	o := provider.Options{Provider: "echo", Model: "echo-1", BaseURL: f.URL, Credential: bearer, Transport: f.Transport,
		Logger: f.Logger}
	if change != nil {
		change(&o)
	}
	c, err := provider.New(o)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(ctx context.Context, c *provider.Client) error {
	var answer echo
	return c.Do(ctx, provider.Request{Path: "/echo", Body: echo{providertest.Text}, Tokens: 10}, &answer)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, f *providertest.Fake) error { return ask(ctx, open(t, f, nil)) }
	providertest.Faults(t, good, call)
	t.Run("canceled", func(t *testing.T) { providertest.Canceled(t, call) })
}

func TestRequest(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, good)
	var answer echo
	err := open(t, f, nil).Do(
		t.Context(), provider.Request{Path: "/echo?v=1", Body: echo{"hello"}, Header: http.Header{"X-Version": {"3"}}},
		&answer)
	if err != nil || answer.Text != "fine" {
		t.Fatalf("Do = %+v, %v", answer, err)
	}
	f.Requests()[0].Want(t, "/echo?v=1", `{"text":"hello"}`,
		map[string]string{"Content-Type": "application/json", "X-Version": "3",
			"Authorization": "Bearer " + providertest.Secret})
}

func TestSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		ctx := trilith.Metered(t.Context(), func(s trilith.Spent) {
			if n += s.Requests; s.Provider != "echo" || s.Model != "echo-1" {
				t.Errorf("spent %+v, want it under the client's provider and model", s)
			}
		})
		f := providertest.New(t, providertest.Complaint(500), good)
		if err := ask(ctx, open(t, f, nil)); err != nil || n != 2 {
			t.Errorf("Do = %v with %d requests reported, want none and the 2 that were sent", err, n)
		}
	})
}

// TestCheck: a refused answer is requested once more, and nothing of the first one is left in the second.
func TestCheck(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, providertest.JSON(200, `{"text":"bad","extra":"left over"}`), good)
	var answer struct{ Text, Extra string }
	check := func() error {
		if answer.Text == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}
	if err := open(t, f, nil).Do(t.Context(), provider.Request{Check: check}, &answer); err != nil ||
		answer.Text != "fine" || answer.Extra != "" {
		t.Errorf("Do = %+v, %v, want the second answer alone", answer, err)
	}
	f = providertest.New(t, providertest.JSON(200, `{"text":"bad"}`))
	err := open(t, f, nil).Do(t.Context(), provider.Request{Check: check}, &answer)
	if failure, ok := errors.AsType[*provider.Failure](err); !ok || failure.Class != provider.Answer ||
		len(f.Requests()) != 2 {
		t.Errorf("Do = %v after %d requests, want class %d after 2", err, len(f.Requests()), provider.Answer)
	}
}

// TestExplain: a message of the service comes before the text for its status, and the driver gets the message without
// the credential.
func TestExplain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := providertest.New(t, providertest.Complaint(http.StatusTooManyRequests))
		c := open(t, f, func(o *provider.Options) {
			o.Explain = func(status int, _ http.Header, body []byte) (string, provider.Class) {
				return strings.Repeat(string(body), 10), provider.Money
			}
		})
		for range 2 { // the second time the circuit is open and says the same
			err := ask(t.Context(), c)
			failure, ok := errors.AsType[*provider.Failure](err)
			if !ok || failure.Class != provider.Money || trilith.KindOf(err) != trilith.Exhausted {
				t.Fatalf("Do = %v, want class %d", err, provider.Money)
			}
			if strings.Contains(failure.Message, providertest.Secret) || len(failure.Message) > 500 {
				t.Errorf("Message = %q, want it cut and without the credential", failure.Message)
			}
		}
		if n := len(f.Requests()); n != 1 {
			t.Errorf("%d requests were sent although the quota is used up, want 1", n)
		}
	})
}

func TestCredential(t *testing.T) {
	t.Parallel()
	for url, allowed := range map[string]bool{"http://127.0.0.1:1": true, "http://localhost:8080/v1": true,
		"http://[::1]:1":      true,
		"https://example.com": true, "http://example.com": false, "http://10.0.0.7:80": false,
		"http://localhost.example.com": false,
		"ftp://example.com":            false, "https://user:pass@example.com": false,
		"https://example.com?key=1": false, "": false} {
		_, err := provider.New(provider.Options{BaseURL: url, Credential: bearer})
		if (err == nil) != allowed || err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("New with a credential for %q = %v, want allowed %t", url, err, allowed)
		}
	}
	for _, o := range []provider.Options{{BaseURL: "http://example.com"},
		{BaseURL: "http://example.com", Credential: bearer, PlainHTTP: true}} {
		if _, err := provider.New(o); err != nil {
			t.Errorf("New without a credential, or where that is allowed = %v", err)
		}
	}
}

// TestNoCredential: a missing credential is not the service's fault, and its reason is not shown to callers.
func TestNoCredential(t *testing.T) {
	t.Parallel()
	f := providertest.New(t, good)
	c := open(t, f, func(o *provider.Options) {
		o.Credential = func(context.Context) (http.Header, error) {
			return nil, errors.New("the token " + providertest.Secret)
		}
	})
	err := ask(t.Context(), c)
	if trilith.KindOf(err) != trilith.Unauthenticated || len(f.Requests()) != 0 {
		t.Errorf("Do = %v after %d requests, want kind %s after none", err, len(f.Requests()), trilith.Unauthenticated)
	}
	providertest.Discreet(t, f, err)
}

func TestClosed(t *testing.T) {
	t.Parallel()
	c := open(t, providertest.New(t, good), nil)
	c.Close()
	if err := ask(t.Context(), c); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Do after Close = %v, want kind %s", err, trilith.Unavailable)
	}
}

// TestCircuit: a service that keeps failing is left alone, then tried once, and used again when it is back.
func TestCircuit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := make([]http.HandlerFunc, 9)
		for i := range down {
			down[i] = providertest.Reset
		}
		f := providertest.New(t, append(down, good)...)
		c := open(t, f, nil)
		expect := func(when string, want trilith.ErrorKind, fails bool, requests int) {
			t.Helper()
			err := ask(t.Context(), c)
			if (err != nil) != fails || fails && trilith.KindOf(err) != want {
				t.Errorf("%s: Do = %v, want failure %t", when, err, fails)
			}
			if n := len(f.Requests()); n != requests {
				t.Errorf("%s: %d requests were sent, want %d", when, n, requests)
			}
		}
		expect("first", trilith.Unavailable, true, 4)
		expect("second", trilith.Unavailable, true, 8)
		expect("open", trilith.Unavailable, true, 8)
		<-time.After(31 * time.Second)
		expect("trial that fails", trilith.Unavailable, true, 9)
		expect("open again", trilith.Unavailable, true, 9)
		<-time.After(31 * time.Second)
		expect("trial", 0, false, 10)
		expect("closed", 0, false, 11)
		providertest.Discreet(t, f, nil)
	})
}

// TestCircuitTriesOne: during the trial request no other request is let through, and a trial that its caller cancels
// decides nothing.
func TestCircuitTriesOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := providertest.New(t, providertest.Complaint(503, "Retry-After", "120"), providertest.Never,
			providertest.After(time.Second, good))
		c := open(t, f, nil)
		if err := ask(t.Context(), c); trilith.KindOf(err) != trilith.Unavailable {
			t.Fatalf("Do = %v", err)
		}
		<-time.After(2 * time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		trial := make(chan error)
		go func() { trial <- ask(ctx, c) }()
		synctest.Wait()
		if err := ask(t.Context(), c); trilith.KindOf(err) != trilith.Unavailable || len(f.Requests()) != 2 {
			t.Errorf("Do beside the trial = %v with %d requests, want %s with 2", err, len(f.Requests()),
				trilith.Unavailable)
		}
		cancel()
		if err := <-trial; !errors.Is(err, context.Canceled) {
			t.Errorf("the trial = %v", err)
		}
		if err := ask(t.Context(), c); err != nil {
			t.Errorf("Do after a trial that was given up = %v, want another trial", err)
		}
		both := make(chan error)
		for range 2 { // at once: the service is trusted again
			go func() { both <- ask(t.Context(), c) }()
		}
		for range 2 {
			if err := <-both; err != nil {
				t.Errorf("Do after the trial = %v", err)
			}
		}
	})
}

// TestLimits: requests and tokens a minute, and requests at once.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		limits provider.Limits
		ask    int
		least  time.Duration
	}{
		{"requests", provider.Limits{Requests: 60}, 40, 30 * time.Second}, // 10 at once, then one a second
		{"tokens", provider.Limits{Tokens: 600}, 40, 30 * time.Second},    // 10 each
		{"large", provider.Limits{Tokens: 30}, 2, 30 * time.Second},       // more than ever goes at once
		{"none", provider.Limits{}, 40, 0},                                //
		{"at once", provider.Limits{Concurrent: 2}, 10, 5 * time.Second},  // one second each
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				step := good
				if c.limits.Concurrent > 0 {
					step = providertest.After(time.Second, good)
				}
				client := open(t, providertest.New(t, step), func(o *provider.Options) { o.Limits = c.limits })
				start := time.Now()
				var wg sync.WaitGroup
				for range c.ask {
					wg.Go(func() {
						if err := ask(t.Context(), client); err != nil {
							t.Errorf("Do = %v", err)
						}
					})
				}
				wg.Wait()
				if took := time.Since(start); took < c.least-6*time.Second || took > c.least+6*time.Second {
					t.Errorf("%d requests took %s, want about %s", c.ask, took, c.least)
				}
			})
		})
	}
}

func TestTurnAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := providertest.New(t, good)
		c := open(t, f, func(o *provider.Options) { o.Limits.Requests = 1 })
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := ask(ctx, c); err != nil {
			t.Fatalf("Do = %v", err)
		}
		start := time.Now()
		if err := ask(ctx, c); trilith.KindOf(err) != trilith.Unavailable || time.Since(start) > time.Second {
			t.Errorf("Do = %v after %s, want %s at once", err, time.Since(start), trilith.Unavailable)
		}
	})
}

// TestComplaintSlowsDown: after a 429 that names no time what follows is slower, and by and by fast again.
func TestComplaintSlowsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := open(t, providertest.New(t, providertest.Complaint(http.StatusTooManyRequests), good), nil)
		took := func(n int) time.Duration {
			start := time.Now()
			for range n {
				if err := ask(t.Context(), c); err != nil {
					t.Fatalf("Do = %v", err)
				}
			}
			return time.Since(start)
		}
		took(1)
		if d := took(10); d < 5*time.Second {
			t.Errorf("10 requests after a complaint took %s, want about one a second", d)
		}
		took(50)
		if d := took(10); d > 0 {
			t.Errorf("10 requests long after a complaint took %s, want no wait", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := open(t, providertest.New(t, providertest.Complaint(http.StatusTooManyRequests), good),
			func(o *provider.Options) { o.Limits.Requests = 6000 })
		var start time.Time
		for i := range 401 {
			if err := ask(t.Context(), c); err != nil {
				t.Fatalf("Do = %v", err)
			}
			if i == 0 {
				start = time.Now()
			}
		}
		// 1,000 were free at once before; now 100 a second are, and what was saved up in the pause
		if d := time.Since(start); d < time.Second || d > time.Minute {
			t.Errorf("400 requests after a complaint took %s, want some seconds", d)
		}
	})
}

// TestOnce: a request that is to be sent once is not repeated, even if that would help.
func TestOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 503, 429} {
		f := providertest.New(t, providertest.Complaint(status), good)
		var answer echo
		err := open(t, f, nil).Do(
			t.Context(), provider.Request{Path: "/echo", Body: echo{providertest.Text}, Once: true}, &answer)
		if trilith.KindOf(err) != trilith.Unavailable || err == nil || len(f.Requests()) != 1 {
			t.Errorf("Do once of a service that says %d = %v after %d requests, want unavailable after one", status,
				err, len(f.Requests()))
		}
	}
}
