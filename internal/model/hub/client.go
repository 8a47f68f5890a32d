package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// DefaultHub is the hub that is used unless another is configured.
const DefaultHub = "https://huggingface.co"

const (
	maxRedirects = 5
	// maxAnswer limits the size of one answer of a hub's API, in bytes. The listing of a repository with a thousand
	// files has 300,000.
	maxAnswer = 8 << 20
	// defaultStall is how long a hub may send nothing before a pull gives up.
	defaultStall = time.Minute
)

// errStalled is the cause of a request that was given up because the hub sent nothing.
var errStalled = errors.New("nothing was received for too long")

// Client sends requests to one hub. Its methods are safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
	stall time.Duration
}

// Options configure a client; the zero value uses DefaultHub without a token.
type Options struct {
	Address   string            // of the hub or a mirror; https, or http on the local machine
	Token     string            // sent to the hub's own host only; empty: none
	Transport http.RoundTripper // nil: direct, or through the proxy in the environment
	Stall     time.Duration     // how long a hub may send nothing; a minute if 0
}

// NewClient makes a client. It sends no request yet.
func NewClient(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(o.Address, DefaultHub), "/"))
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, trilith.Errorf(
			trilith.Invalid, "hub: write the address as %s, without a user, a password or a query", DefaultHub)
	}
	if !safe(base) {
		return nil, trilith.Errorf(
			trilith.Invalid, "hub: %s://%s is not safe; use https, or http for a hub on this machine",
			base.Scheme, base.Host)
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
			DisableCompression: true} // length and range refer to the file itself
	}
	return &Client{base: base, token: o.Token, http: &http.Client{Transport: o.Transport},
		stall: cmp.Or(o.Stall, defaultStall)}, nil
}

// Address returns the hub's address.
func (c *Client) Address() string { return c.base.String() }

// answer is a response that is given up if nothing arrives for too long.
type answer struct {
	*http.Response
	cancel context.CancelCauseFunc
	timer  *time.Timer
	ctx    context.Context
	stall  time.Duration
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.Body.Read(p)
	a.timer.Reset(a.stall)
	if err != nil && err != io.EOF && errors.Is(context.Cause(a.ctx), errStalled) {
		err = errStalled
	}
	return n, err
}

func (a *answer) Close() {
	a.timer.Stop()
	_ = a.Body.Close()
	a.cancel(nil)
}

// purpose says which redirects a request may follow.
type purpose bool

// get requests a path below the hub's address. The caller closes the answer. It is Unavailable if the hub does not
// answer; the caller handles a status that is not success.
func (c *Client) get(ctx context.Context, p purpose, address string, header http.Header) (*answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &answer{ctx: ctx, cancel: cancel, stall: c.stall}
	a.timer = time.AfterFunc(c.stall, func() { cancel(errStalled) })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		a.timer.Stop()
		cancel(nil)
		return nil, trilith.Errorf(trilith.Invalid, "hub: %q is not an address; write one such as %s", address, DefaultHub)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	asking := *c.http
	asking.CheckRedirect = c.redirects(p)
	a.Response, err = asking.Do(r)
	if err != nil {
		a.timer.Stop()
		stalled := errors.Is(context.Cause(ctx), errStalled)
		cancel(nil)
		if stalled {
			err = errStalled
		}
		return nil, c.unreachable(err)
	}
	return a, nil
}

const (
	listing  purpose = false // a listing: redirects within the hub only
	contents purpose = true  // bytes of a file: any redirect, because the hash is checked
)

// redirects returns the redirect policy of one request.
func (c *Client) redirects(p purpose) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		own := r.URL.Scheme == c.base.Scheme && r.URL.Host == c.base.Host
		if !own {
			r.Header.Del("Authorization")
		}
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		case !safe(r.URL) || c.base.Scheme == "https" && r.URL.Scheme != "https":
			return fmt.Errorf("it redirects to %s://%s, which is not safe", r.URL.Scheme, r.URL.Host)
		case p == listing && !own:
			return fmt.Errorf("it redirects a request for the list of files to %s; if you trust that hub, name it with --hub",
				r.URL.Host)
		}
		return nil
	}
}

// safe reports whether the traffic to u cannot be read or changed on its way.
func safe(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// unreachable returns the error for a hub that did not answer. It omits the target of a redirect, because such
// addresses are signed.
func (c *Client) unreachable(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return trilith.Errorf(trilith.Unavailable,
		"hub: %s does not answer; if it cannot be reached, copy the model's folder here by other means and run trilith model pull --from DIR NAME: %w", c.base.Host, err)
}

// refused maps a status that is not success to an error.
func (c *Client) refused(a *answer, what string) error {
	host := c.base.Host
	switch a.StatusCode {
	case http.StatusUnauthorized:
		return trilith.Errorf(trilith.Unauthenticated,
			"hub: %s does not show %s without a valid token; check the name, or set HF_TOKEN", host, what)
	case http.StatusForbidden:
		return trilith.Errorf(trilith.Forbidden,
			"hub: %s does not let you read %s; its terms may have to be accepted on the hub's page first", host, what)
	case http.StatusNotFound:
		return trilith.Errorf(trilith.NotFound, "hub: %s has no %s; check the name and the revision", host, what)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if wait := a.Header.Get("Retry-After"); wait != "" {
			return trilith.Errorf(trilith.Unavailable,
				"hub: %s is busy and asks for a pause of %.40q seconds; pull again then, and it resumes where it stopped", host, wait)
		}
		return trilith.Errorf(trilith.Unavailable, "hub: %s is busy; pull again later, and it resumes where it stopped", host)
	}
	return trilith.Errorf(trilith.Unavailable, "hub: %s answers %.60q for %s", host, a.Status, what)
}

// resolve returns the address of a file's contents.
func (c *Client) resolve(m Model, path string) string {
	return c.base.JoinPath(m.Repository, "resolve", m.Revision, path).String()
}
