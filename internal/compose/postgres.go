package compose

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/wait"
)

// IsPostgres reports whether a store is in PostgreSQL.
func IsPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// Parameters of a store's URL that are cairn's, not PostgreSQL's.
const (
	vectorIndexParam     = "vector_index"
	vectorIndexFromParam = "vector_index_from"
)

// postgresStore takes our parameters out of a store's URL.
func postgresStore(store string) (url string, o postgres.VectorOptions, err error) {
	before, query, found := strings.Cut(store, "?")
	if !found {
		return store, o, nil
	}
	var kept []string
	for param := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(param, "="); name {
		case vectorIndexParam:
			o.Index = value
		case vectorIndexFromParam:
			if o.IndexFrom, err = strconv.Atoi(value); err != nil || o.IndexFrom < 1 {
				return "", o, cairn.Errorf(
					cairn.Invalid, "store: %s=%.20s must be a number of vectors, at least 1", name, value)
			}
		default:
			kept = append(kept, param)
		}
	}
	if len(kept) == 0 {
		return before, o, nil
	}
	return before + "?" + strings.Join(kept, "&"), o, nil
}

// openServer opens a database, and waits a while for one that does not serve now.
func (s *Settings) openServer(ctx context.Context, o postgres.Options) (*postgres.Store, error) {
	warned := false
	for end := time.Now().Add(s.AwaitStore); ; {
		server, err := postgres.Open(ctx, o)
		if !postgres.Away(err) || !time.Now().Before(end) {
			return server, err
		}
		if !warned {
			warned = true
			s.say("%s. Waiting for it, %v at most.", strings.TrimSuffix(cairn.MessageOf(err), "; repeat"), s.AwaitStore)
		}
		if err := wait.For(ctx, StorePause); err != nil {
			return nil, err
		}
	}
}

// StorePause is the pause between two attempts to reach a database.
const StorePause = 250 * time.Millisecond

// StoreName returns a store's name for display, without the password in its URL.
func StoreName(store string) string {
	if !IsPostgres(store) {
		return store
	}
	u, err := url.Parse(store)
	if err != nil {
		return "postgres:"
	}
	q := u.Query()
	q.Del("password")
	q.Del("sslpassword")
	u.RawQuery = q.Encode()
	return u.Redacted()
}

// Away reports whether err says that a database does not serve now and may do so later.
func Away(err error) bool { return postgres.Away(err) }

// MakeDatabase makes a database of its own on the server of a URL and returns its URL.
func MakeDatabase(ctx context.Context, url string) (string, error) {
	return postgres.MakeDatabase(ctx, url)
}

// DropDatabase removes a database that [MakeDatabase] made.
func DropDatabase(ctx context.Context, url string) error { return postgres.DropDatabase(ctx, url) }

// FactsView describes a view of a tenant's facts, and its reader.
type FactsView = postgres.FactsView

// MakeFactsView makes the view in the database of a store, or changes the one that is there.
func MakeFactsView(ctx context.Context, store string, v FactsView) error {
	return postgres.MakeFactsView(ctx, store, v)
}

// DropFactsView removes the view from the database of a store.
func DropFactsView(ctx context.Context, store string, v FactsView) error {
	return postgres.DropFactsView(ctx, store, v)
}
