package main

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/age"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/tables"
	"github.com/cairn-memory/cairn/internal/textproc"
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

// openPostgres opens all roles that keep something in one database.
func (a *app) openPostgres(ctx context.Context, o *opened, c *engine.Config, analyzer textproc.Analyzer) error {
	url, vectors, err := postgresStore(a.Store)
	if err != nil {
		return err
	}
	options := postgres.Options{URL: url, Now: time.Now}
	if a.Graph == ageGraph {
		options.Projections = []postgres.Projection{age.Projection{}}
	}
	store, err := postgres.Open(ctx, options)
	if err != nil {
		return err
	}
	o.name = storeName(a.Store)
	c.Store, c.Log, c.Queue, c.Text, c.Graph = store, store, store, store.Text(analyzer), tables.New(store)
	if a.Graph == ageGraph {
		c.Graph = age.New(store)
	}
	if c.Embedder != nil {
		vectors.Logger = c.Logger
		index, err := store.Vectors(ctx, vectors)
		if err != nil {
			return errors.Join(err, store.Close())
		}
		c.Vectors = index
	}
	return nil
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
