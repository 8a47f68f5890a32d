package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/postgres"
)

// isPostgres reports whether a store lies in PostgreSQL.
func isPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// Parameters of a store's URL that are ours, not PostgreSQL's.
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
				return "", o, cairn.Errorf(cairn.Invalid, "store: %s=%.20s must be a number of vectors, at least 1", name, value)
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

// databaseWait is how long a command waits for a database that starts, recovers or is away. A service waits for as long as it takes.
const databaseWait = 10 * time.Second

// openServer opens a database, and waits a while for one that does not serve now.
func (a *app) openServer(ctx context.Context, o postgres.Options) (*postgres.Store, error) {
	told := false
	for end := time.Now().Add(a.await); ; {
		server, err := postgres.Open(ctx, o)
		if !postgres.Away(err) || !time.Now().Before(end) {
			return server, err
		}
		if !told {
			told = true
			fmt.Fprintf(a.stderr, "cairn: %s. Waiting for it, %v at most.\n", strings.TrimSuffix(cairn.MessageOf(err), "; repeat"), a.await)
		}
		if err := pause(ctx, databasePause); err != nil {
			return nil, err
		}
	}
}

// databasePause is how long a database is left alone between two attempts.
const databasePause = 250 * time.Millisecond

// pause returns after a time, or with the error of a context that ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// storeName is how a store is shown: without the password that its URL may hold.
func storeName(store string) string {
	if !isPostgres(store) {
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
