package compose

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/standby"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/wait"
)

// Parameters of a store's URL that are trilith's, not PostgreSQL's.
const (
	vectorIndexParam     = "vector_index"
	vectorIndexFromParam = "vector_index_from"
	standbysParam        = "standbys"
	standbyLagParam      = "standby_lag"
	standbyWaitParam     = "standby_wait"
	copyUpToParam        = "copy_up_to"
)

// serverParams are our own parameters in a store's URL.
type serverParams struct {
	vectors  postgres.VectorOptions
	standbys []string // addresses
	bounds   standby.Bounds
	copyUpTo int // memories up to which a process copies the indexes; 0: never
}

// defaultCopyUpTo memories with vectors of 384 dimensions take some 450 MB in copies.
const defaultCopyUpTo = 150_000

// maxStandbyTime bounds the times in the parameters of standbys.
const maxStandbyTime = time.Hour

// postgresStore takes our parameters out of a store's URL.
func postgresStore(store string) (url string, p serverParams, err error) {
	p.bounds = standby.Bounds{Lag: standby.DefaultLag, Wait: standby.DefaultWait}
	p.copyUpTo = defaultCopyUpTo
	before, query, found := strings.Cut(store, "?")
	if !found {
		return store, p, nil
	}
	var kept []string
	bounded := "" // the parameter that bounds standbys
	for param := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(param, "="); name {
		case vectorIndexParam:
			p.vectors.Index = value
		case vectorIndexFromParam:
			if p.vectors.IndexFrom, err = strconv.Atoi(value); err != nil || p.vectors.IndexFrom < 1 {
				return "", p, trilith.Errorf(
					trilith.Invalid, "store: %s=%.20s must be a number of vectors, at least 1", name, value)
			}
		case copyUpToParam:
			if p.copyUpTo, err = strconv.Atoi(value); err != nil || p.copyUpTo < 0 {
				return "", p, trilith.Errorf(
					trilith.Invalid, "store: %s=%.20s must be a number of memories; 0 copies none", name, value)
			}
		case standbysParam:
			p.standbys = append(p.standbys, strings.Split(value, ",")...)
		case standbyLagParam, standbyWaitParam:
			d, err := time.ParseDuration(value)
			if err != nil || d < 0 || d > maxStandbyTime {
				return "", p, trilith.Errorf(trilith.Invalid, "store: %s=%.20s must be a time such as 500ms, at most %v", name,
					value, maxStandbyTime)
			}
			bounded = name
			if name == standbyLagParam {
				p.bounds.Lag = d
			} else {
				p.bounds.Wait = d
			}
		default:
			kept = append(kept, param)
		}
	}
	if bounded != "" && len(p.standbys) == 0 {
		return "", p, trilith.Errorf(trilith.Invalid, "store: %s is about standbys, and %s names none", bounded, standbysParam)
	}
	if len(kept) == 0 {
		return before, p, nil
	}
	return before + "?" + strings.Join(kept, "&"), p, nil
}

// openStandbys passes the standbys of the store's server to the engine.
func openStandbys(t truth, c *engine.Config, bounds standby.Bounds) {
	if t.server == nil || len(t.server.Standbys()) == 0 {
		return
	}
	var servers []standby.Server
	for _, s := range t.server.Standbys() {
		of := engine.Standby{Store: s, Text: c.Text, Vectors: c.Vectors, Graph: c.Graph}
		if text, ok := c.Text.(*postgres.Text); ok {
			of.Text = s.Text(text)
		}
		if vectors, ok := c.Vectors.(*postgres.Vectors); ok {
			of.Vectors = s.Vectors(vectors)
		}
		if _, ok := c.Graph.(walk.Graph); ok {
			of.Graph = walk.OverStore(s)
		}
		c.Standbys.Servers, servers = append(c.Standbys.Servers, of), append(servers, s)
	}
	c.Standbys.Chooser = func(catchUp func(context.Context) error, logger *slog.Logger) role.Standbys {
		return standby.New(standby.Config{Primary: t.server, Servers: servers, Bounds: bounds, CatchUp: catchUp,
			Logger: logger})
	}
}

// StorePause is the pause between two attempts to reach a database.
const StorePause = 250 * time.Millisecond

// openServer opens a database, and waits a while for one that does not serve yet.
func (s *Settings) openServer(ctx context.Context, o postgres.Options) (*postgres.Store, error) {
	warned := false
	for end := time.Now().Add(s.AwaitStore); ; {
		server, err := postgres.Open(ctx, o)
		if !postgres.Away(err) || !time.Now().Before(end) {
			return server, err
		}
		if !warned {
			warned = true
			s.say("%s. Waiting for it, %v at most.", strings.TrimSuffix(trilith.MessageOf(err), "; repeat"), s.AwaitStore)
		}
		if err := wait.For(ctx, StorePause); err != nil {
			return nil, err
		}
	}
}

// Away reports whether err says that a database does not serve now and may do so later.
func Away(err error) bool { return postgres.Away(err) }

// StoreName returns a store's name for display, without the password in its URL.
func StoreName(store string) string {
	if !IsPostgres(store) {
		return store
	}
	if _, err := url.Parse(store); err != nil {
		return "postgres:"
	}
	return Masked(store)
}

// IsPostgres reports whether a store is in PostgreSQL.
func IsPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// MakeDatabase creates a new database on the server of a URL and returns its URL.
func MakeDatabase(ctx context.Context, url string) (string, error) {
	return postgres.MakeDatabase(ctx, url)
}

// DropDatabase removes a database that [MakeDatabase] made.
func DropDatabase(ctx context.Context, url string) error { return postgres.DropDatabase(ctx, url) }

// FactsView describes a view of a tenant's facts, and its reader.
type FactsView = postgres.FactsView

// MakeFactsView creates or replaces the view in the database of a store.
func MakeFactsView(ctx context.Context, store string, v FactsView) error {
	return postgres.MakeFactsView(ctx, store, v)
}

// DropFactsView removes the view from the database of a store.
func DropFactsView(ctx context.Context, store string, v FactsView) error {
	return postgres.DropFactsView(ctx, store, v)
}
