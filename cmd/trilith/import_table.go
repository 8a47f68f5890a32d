package main

import (
	"context"
	"errors"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// tableFlags are the flags of an import from a database. A URL with a password should be in a setting: others can see
// the command line.
type tableFlags struct {
	ImportURL  string `help:"The database to import facts from, if no path is given; better in the environment, because others see the command line." placeholder:"URL"`
	Table      string `help:"Table of the facts: NAME or SCHEMA.NAME; conversation_facts if left out." placeholder:"NAME"`
	Embeddings string `help:"Embedder of the table's vectors, as --embedder names it; vectors that can be compared with ours are kept." placeholder:"URL" path:""`
}

// choose determines the source of the import.
func (c *importCmd) choose() error {
	if len(c.Paths) == 0 && c.ImportURL != "" {
		c.Paths = []string{c.ImportURL}
	}
	if len(c.Paths) == 0 {
		return trilith.Errorf(trilith.Invalid, "path: name a file, a folder or the URL of a database")
	}
	for _, path := range c.Paths {
		switch {
		case transfer.IsQdrant(path):
			if c.Format != "" && c.Format != transfer.Qdrant || c.Table+c.Embeddings != "" {
				return trilith.Errorf(trilith.Invalid, "format: a Qdrant server holds %s, no table, and no embeddings that can be kept",
					transfer.Qdrant)
			}
		case compose.IsFirestore(path):
			if c.Format != "" && c.Format != transfer.Mycel || c.Table != "" {
				return trilith.Errorf(trilith.Invalid, "format: a database in Firestore holds %s, and no table", transfer.Mycel)
			}
		case c.Format == transfer.Mycel:
			return trilith.Errorf(trilith.Invalid, "path: write firestore://PROJECT/DATABASE?collection=NAME for %s",
				transfer.Mycel)
		case c.Format == transfer.Qdrant:
			return trilith.Errorf(trilith.Invalid, "path: write http://HOST:6333?collection=NAME for a Qdrant server")
		case transfer.IsDatabase(path):
			if c.Format != "" && c.Format != transfer.ConversationFacts {
				return trilith.Errorf(trilith.Invalid, "format: a database holds %s, not %.32q",
					transfer.ConversationFacts, c.Format)
			}
		case c.Format == transfer.ConversationFacts:
			return trilith.Errorf(trilith.Invalid, "path: %s come from a database; write postgres://USER@HOST/DATABASE",
				transfer.ConversationFacts)
		case c.Table != "" || c.Embeddings != "":
			return trilith.Errorf(trilith.Invalid, "table: and embeddings are for the import from a database")
		}
	}
	return nil
}

// importOne imports a file, a folder or a table.
func (c *importCmd) importOne(ctx context.Context, a *app, m *opened, path string, o transfer.Options,
	with []transfer.Extra) (transfer.Report, error) {
	if transfer.IsQdrant(path) {
		return c.importQdrant(ctx, a, m, path, o)
	}
	if compose.IsFirestore(path) {
		return c.importMycel(ctx, a, m, path, o)
	}
	if !transfer.IsDatabase(path) {
		return a.importPath(ctx, m, path, c.Format, o, with...)
	}
	if c.Embeddings != "" {
		if err := a.sameGeneration(c.Embeddings, m); err != nil {
			return transfer.Report{}, err
		}
	}
	t, err := transfer.OpenFactTable(
		ctx, transfer.FactTableOptions{URL: path, Table: c.Table, Vectors: c.Embeddings != "", Now: time.Now})
	if err != nil {
		return transfer.Report{}, err
	}
	r, err := a.importFrom(ctx, m, t.Name(), t, t.Items(ctx), o)
	return r, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
}

// importQdrant imports collections of another application.
func (c *importCmd) importQdrant(ctx context.Context, a *app, m *opened, path string, o transfer.Options) (
	transfer.Report, error) {
	q, err := transfer.OpenQdrant(ctx, transfer.QdrantOptions{URL: path, Key: a.getenv("QDRANT_API_KEY")})
	if err != nil {
		return transfer.Report{}, err
	}
	defer q.Close()
	return a.importFrom(ctx, m, q.Name(), q, q.Items(ctx), o)
}

// importMycel imports entries of another application from Firestore.
func (c *importCmd) importMycel(ctx context.Context, a *app, m *opened, path string, o transfer.Options) (
	transfer.Report, error) {
	var options transfer.MycelOptions
	if c.Embeddings != "" {
		if err := a.sameGeneration(c.Embeddings, m); err != nil {
			return transfer.Report{}, err
		}
		g := m.Generation()
		options.Dims, options.Model = g.Dims, g.Model
	}
	entries, err := a.composed().OpenCollection(path, transfer.MycelCollection)
	if err != nil {
		return transfer.Report{}, err
	}
	defer entries.Close()
	s, err := transfer.OpenMycel(ctx, entries, options)
	if err != nil {
		return transfer.Report{}, err
	}
	return a.importFrom(ctx, m, entries.Name(), s, s.Items(ctx), o)
}

// sameGeneration returns an error for embeddings that cannot be compared with those of the active generation.
func (a *app) sameGeneration(setting string, m *opened) error {
	e, err := a.composed().OpenEmbedder(setting)
	if err != nil {
		return trilith.Errorf(trilith.KindOf(err), "embeddings: %s", trilith.MessageOf(err))
	}
	if e == nil {
		return trilith.Errorf(trilith.Invalid, "embeddings: name the model that made them, or leave it out")
	}
	theirs, ours := index.Generation(e), m.Generation()
	if err := e.Close(); err != nil {
		return err
	}
	theirs.Address, ours.Address = "", "" // the caller that names the model says that it is the same one
	if theirs.Key() != ours.Key() {
		return trilith.Errorf(trilith.Invalid,
			"embeddings: are of %s, the active ones of %s, and the two cannot be compared; leave --embeddings out, and the texts are embedded again", theirs, ours)
	}
	return nil
}

// displayed is a path as it may be shown.
func displayed(path string) string {
	if transfer.IsDatabase(path) {
		return transfer.DatabaseName(path)
	}
	return path
}
