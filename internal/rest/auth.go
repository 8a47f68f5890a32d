package rest

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// LocalTenant is the tenant of a caller on a loopback listener without keys. Its admins are the operators: they alone
// may rebuild, examine and copy the whole store over HTTP, which touches every tenant.
const LocalTenant = "default"

var localIdentity = cairn.Identity{Name: "local", Tenant: LocalTenant, Access: cairn.AccessAdmin}

// open reports whether requests need no credential. Once a key was seen the answer stays no, even when the last key is
// revoked: revoking must never widen access. Until then the engine is asked every time, because the first key may be
// made by another process.
func (s *server) open(ctx context.Context) (bool, error) {
	if !s.Local || s.keyed.Load() {
		return false, nil
	}
	has, err := s.Engine.HasKeys(ctx)
	if err = notReady(err); err != nil { // whether there are keys is not known: nobody is let in
		return false, err
	}
	if has {
		s.keyed.Store(true)
	}
	return !has, nil
}

// identify says who sends r.
func (s *server) identify(r *http.Request) (cairn.Identity, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
	defer cancel()
	open, err := s.open(ctx)
	if err != nil {
		return cairn.Identity{}, err
	}
	if open {
		return localIdentity, nil
	}
	secret := credential(r.Header)
	if secret == "" {
		return cairn.Identity{},
			cairn.Errorf(cairn.Unauthenticated, "no API key: send the header Authorization: Bearer KEY")
	}
	who, err := s.Engine.Authenticate(ctx, secret)
	return who, notReady(err)
}

// schemes are the words before a key in the header Authorization, in lower case. All mean the same: clients of other
// memory services send theirs.
var schemes = []string{"bearer", "token", "api-key"}

// credential returns the key of a request; empty if it holds none.
func credential(h http.Header) string {
	if scheme, secret, ok := strings.Cut(h.Get("Authorization"), " "); ok &&
		slices.Contains(schemes, strings.ToLower(scheme)) {
		return strings.TrimSpace(secret)
	}
	return h.Get("X-API-Key")
}

func permit(who cairn.Identity, o operation) error {
	if !who.Access.Allows(o.need) {
		return cairn.Errorf(cairn.Forbidden, "this needs the right %s; the key holds %s", o.need, who.Access)
	}
	if o.operator && who.Tenant != LocalTenant {
		return cairn.Errorf(cairn.Forbidden,
			"this works on the whole store and needs a key of tenant %q that holds the right %s", LocalTenant, o.need)
	}
	return nil
}

// guardLocal keeps web pages away from a listener that asks for no credential. A page of another site can make a
// browser send requests here: by a name of its own that resolves to 127.0.0.1 (then Host is that name), or directly.
// Then Origin is that site, or where a browser sends none, as for images and links, Sec-Fetch-Site says so. The rule is
// the same for every path, also for probes: what asks for them is no browser.
func (s *server) guardLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open, err := s.open(r.Context())
		switch origin := r.Header.Get("Origin"); {
		case err != nil:
			s.fail(w, r.Context(), err)
		case open && !loopbackHost(r.Host):
			s.fail(w, r.Context(), cairn.Errorf(
				cairn.Forbidden, "host: without keys only loopback names such as localhost are answered"))
		case open && origin != "" && !sameHost(origin, r.Host):
			s.fail(w, r.Context(), cairn.Errorf(
				cairn.Forbidden, "origin: requests of other web sites are refused while no key protects this server"))
		case open && !ownSite(r.Header.Values("Sec-Fetch-Site")):
			s.fail(w, r.Context(), cairn.Errorf(
				cairn.Forbidden, "sec-fetch-site: requests of other web sites are refused while no key protects this server"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ownSite reports whether a request comes from a page of this server, from the address bar, or from no browser at all.
// Another port of the same host is another server, so same-site is not enough.
func ownSite(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v != "same-origin" && v != "none" })
}

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
