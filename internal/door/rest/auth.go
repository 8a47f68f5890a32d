package rest

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
)

// LocalTenant is the tenant of a caller on a loopback listener without keys. Its admins are the operators: only they
// may rebuild, examine and copy the whole store over HTTP, which touches every tenant.
const LocalTenant = "default"

var localIdentity = trilith.Identity{Name: "local", Tenant: LocalTenant, Access: trilith.AccessAdmin}

// authenticator identifies the senders of requests. No other type knows the secrets that are not in the store.
type authenticator struct {
	engine  *engine.Engine
	local   bool   // the listener is a loopback address
	secret  string // a key besides those of the store; empty: none
	timeout time.Duration
	keyed   atomic.Bool // a key exists, or existed: credentials are needed from here on
}

// identifyPage says who sends a request to the API, where a page of our own may show its cookie instead of a key.
func (a *authenticator) identifyPage(r *http.Request) (trilith.Identity, error) {
	b := browserOf(r)
	if b.token == "" || credential(r.Header) != "" {
		return a.identify(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.timeout)
	defer cancel()
	open, err := a.open(ctx)
	if err != nil || open {
		return inZone(localIdentity, r, err)
	}
	if err := ownPage(r, true); err != nil {
		return trilith.Identity{}, err
	}
	who, err := a.engine.SignedIn(ctx, b.token)
	return inZone(who, r, notReady(err))
}

// identify says who sends r.
func (a *authenticator) identify(r *http.Request) (trilith.Identity, error) {
	who, err := a.holder(r)
	return inZone(who, r, err)
}

// holder says whose credential a request shows.
func (a *authenticator) holder(r *http.Request) (trilith.Identity, error) {
	ctx, cancel := context.WithTimeout(r.Context(), a.timeout)
	defer cancel()
	open, err := a.open(ctx)
	if err != nil {
		return trilith.Identity{}, err
	}
	if open {
		return localIdentity, nil
	}
	secret := credential(r.Header)
	if secret == "" {
		return trilith.Identity{},
			trilith.Errorf(trilith.Unauthenticated, "no API key: send the header Authorization: Bearer KEY")
	}
	if a.secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(a.secret)) == 1 {
		return localIdentity, nil
	}
	who, err := a.engine.Authenticate(ctx, secret)
	return who, notReady(err)
}

// schemes are the words before a key in the header Authorization, in lower case. All mean the same: clients of other
// memory services send theirs.
var schemes = []string{"bearer", "token", "api-key"}

// credential returns the key of a request; "" if it has none.
func credential(h http.Header) string {
	if scheme, secret, ok := strings.Cut(h.Get("Authorization"), " "); ok &&
		slices.Contains(schemes, strings.ToLower(scheme)) {
		return strings.TrimSpace(secret)
	}
	return h.Get("X-API-Key")
}

// zoneHeader names the caller's time zone once for all calls.
const zoneHeader = "X-Trilith-Time-Zone"

// inZone puts a caller into the time zone that the header of the request names.
func inZone(who trilith.Identity, r *http.Request, err error) (trilith.Identity, error) {
	if zone := r.Header.Get(zoneHeader); zone != "" && err == nil {
		who.TimeZone = zone
		if _, err = trilith.ZoneOf(zone); err != nil {
			err = trilith.Errorf(trilith.Invalid, "%s: %s", zoneHeader, trilith.MessageOf(err))
		}
	}
	return who, err
}

func permit(who trilith.Identity, o *op.Op) error {
	if !who.Access.Allows(o.Need) {
		return trilith.Errorf(trilith.Forbidden, "this needs the right %s; the key holds %s", o.Need, who.Access)
	}
	if o.Operator && who.Tenant != LocalTenant {
		return trilith.Errorf(trilith.Forbidden,
			"this works on the whole store and needs a key of tenant %q that holds the right %s", LocalTenant, o.Need)
	}
	return nil
}

// guardLocal keeps web pages away from a listener that needs no credential. A page of another site can make a browser
// send requests here: by a name of its own that resolves to 127.0.0.1 (then Host is that name), or directly. Then
// Origin is that site, or if a browser sends none, as for images and links, Sec-Fetch-Site shows it. The rule is the
// same for every path, including probes, which browsers do not send.
func (a *authenticator) guardLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open, err := a.open(r.Context())
		switch origin := r.Header.Get("Origin"); {
		case err != nil:
			fail(w, r.Context(), err)
		case open && !loopbackHost(r.Host):
			fail(w, r.Context(), trilith.Errorf(
				trilith.Forbidden, "host: without keys only loopback names such as localhost are answered"))
		case open && origin != "" && !sameHost(origin, r.Host):
			fail(w, r.Context(), trilith.Errorf(
				trilith.Forbidden, "origin: requests of other web sites are refused while no key protects this server"))
		case open && !ownSite(r.Header.Values("Sec-Fetch-Site")):
			fail(w, r.Context(), trilith.Errorf(
				trilith.Forbidden, "sec-fetch-site: requests of other web sites are refused while no key protects this server"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// open reports whether requests need no credential. Once a key was seen the answer stays no, even when the last key is
// revoked: revoking must never widen access. Until then it calls the engine every time, because another process may
// make the first key.
func (a *authenticator) open(ctx context.Context) (bool, error) {
	if !a.local || a.secret != "" || a.keyed.Load() {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	has, err := a.engine.HasKeys(ctx)
	if err = notReady(err); err != nil { // the keys are unknown, so no request is admitted
		return false, err
	}
	if has {
		a.requireKeys()
	}
	return !has, nil
}

// requireKeys ends the time in which no credential is needed.
func (a *authenticator) requireKeys() { a.keyed.Store(true) }

// loopbackHost reports whether a Host header names this machine by a name that no one else can give out.
func loopbackHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// ownSite reports whether a request comes from a page of this server, from the address bar, or from no browser at all.
// Another port of the same host is another server, so same-site is not enough.
func ownSite(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v != "same-origin" && v != "none" })
}
