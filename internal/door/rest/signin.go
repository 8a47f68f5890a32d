package rest

import (
	"mime"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// maxSignIns limits the attempts to sign in from one address within a minute.
const maxSignIns = 10

// A cookie is bound to a host but not to a port, so two servers on one machine would share a name that has none.
const (
	localCookie  = "trilith-"         // and the port: on a loopback name, where browsers take no secure cookie over HTTP
	secureCookie = "__Host-trilith"   // everywhere else
	cookieLife   = trilith.SignInMost // the store ends a sign-in that is not used before that
	sameOrigin   = "same-origin"      // the value of Sec-Fetch-Site that a cookie counts with
	fetchSite    = "Sec-Fetch-Site"   // which no page can set
	formText     = "text/plain"       // which a form of another site can send
	formURL      = "application/x-www-form-urlencoded"
)

type signInRequest struct {
	Key  string `json:"key,omitempty" doc:"An API key" maxLength:"255"`
	Link string `json:"link,omitempty" doc:"What a link of trilith ui holds; it works once" maxLength:"255"`
}

// signedIn says who a browser is from now on.
type signedIn struct {
	Name   string         `json:"name"`
	Tenant string         `json:"tenant"`
	Access trilith.Access `json:"access"`
}

type signedOut struct {
	SignedOut bool `json:"signed_out"`
}

var (
	describedSignIn  = describedCookie("Needs a key in the body. The cookie counts for the server's own pages on /api/v1 only.")
	describedSignOut = describedCookie("Ends the sign-in that the request's cookie holds.")
)

// describedCookie describes an operation that needs no key and sets the cookie.
func describedCookie(text string) op.Option {
	return op.Described(func(_ *op.Describer, n op.Node) {
		n["description"], n["security"] = text, []any{}
		answer := n["responses"].(op.Node)["200"].(op.Node)
		answer["headers"] = op.Node{"Set-Cookie": op.Node{"schema": op.Node{"type": "string"}}}
	})
}

// signIn lets a page work without a key: its browser uses a cookie instead, which it sends only to this server and shows
// to no script.
func (s *ownRoutes) signIn(x *exchange, in signInRequest) (signedIn, error) {
	var token string
	var who trilith.Identity
	var err error
	switch {
	case in.Key != "" && in.Link == "":
		token, who, err = s.engine.SignIn(x.ctx, in.Key)
	case in.Link != "" && in.Key == "":
		token, who, err = s.engine.UseSignInLink(x.ctx, in.Link)
	default:
		err = trilith.Errorf(trilith.Invalid, "key: give a key, or the link of trilith ui, and not both")
	}
	if err != nil {
		return signedIn{}, notReady(err)
	}
	x.w.Header().Set("Set-Cookie", browserOf(x.r).cookie(token, int(cookieLife/time.Second)))
	return signedIn{who.Name, who.Tenant, who.Access}, nil
}

func (s *ownRoutes) signOut(x *exchange, _ op.None) (signedOut, error) {
	b := browserOf(x.r)
	if b.token != "" {
		if err := s.engine.SignOut(x.ctx, b.token); err != nil {
			return signedOut{}, notReady(err)
		}
	}
	x.w.Header().Set("Set-Cookie", b.cookie("", -1))
	return signedOut{SignedOut: true}, nil
}

// admitPage rejects pages of other sites, which could sign a browser in to another memory, and guessing.
func (s *edge) admitPage(w http.ResponseWriter, r *http.Request) error {
	err := ownPage(r, false)
	if err == nil && r.Method == http.MethodPost && !s.attempts.admit(r.RemoteAddr, s.now()) {
		w.Header().Set("Retry-After", "60")
		err = trilith.Errorf(trilith.Exhausted, "more than %d attempts to sign in within a minute; wait", maxSignIns)
	}
	return err
}

// browser holds the data about a browser in its request.
type browser struct {
	name   string // of its cookie
	secure bool
	token  string // empty: it has none
}

func browserOf(r *http.Request) browser {
	b := browser{name: secureCookie, secure: true}
	if loopbackHost(r.Host) {
		_, port, _ := net.SplitHostPort(r.Host)
		b = browser{name: localCookie + port}
	}
	if c, err := r.Cookie(b.name); err == nil {
		b.token = c.Value
	}
	return b
}

// cookie returns the header that gives the browser a token for some seconds; a negative number removes it.
func (b browser) cookie(token string, seconds int) string {
	c := http.Cookie{Name: b.name, Value: token, Path: "/", MaxAge: seconds, Secure: b.secure, HttpOnly: true,
		SameSite: http.SameSiteStrictMode}
	return c.String()
}

// ownPage reports whether a request comes from a page of this server, or if that is not certain, from no other site. A
// browser says so in headers that no page can set; content types that a form of another site can send are rejected too.
func ownPage(r *http.Request, certain bool) error {
	sites, origin := r.Header.Values(fetchSite), r.Header.Get("Origin")
	switch {
	case len(sites) > 1, len(sites) == 1 && sites[0] != sameOrigin, certain && len(sites) == 0:
		return trilith.Errorf(trilith.Forbidden,
			"sec-fetch-site: a browser's cookie counts for the server's own pages only; send a key")
	case origin != "" && !sameHost(origin, r.Host):
		return trilith.Errorf(trilith.Forbidden,
			"origin: a browser's cookie counts for the server's own pages only; send a key")
	case r.Method == http.MethodGet, r.Method == http.MethodHead, r.ContentLength == 0:
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind == formText || kind == formURL || kind == formKind && r.URL.Path != prefix+"/imports" {
		return trilith.Errorf(trilith.Forbidden, "content-type: pages send application/json")
	}
	return nil
}

// attempts counts how often addresses try to sign in.
type attempts struct {
	mu    sync.Mutex
	since time.Time
	count map[string]int
}

// admit counts one attempt and reports whether it may be made. It starts again every minute.
func (a *attempts) admit(address string, now time.Time) bool {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if trilith.Over(a.since.Add(time.Minute), now, time.Minute) {
		a.since, a.count = now, map[string]int{}
	}
	a.count[address]++
	return a.count[address] <= maxSignIns
}
