package qdrant

import (
	"context"
	"fmt"
	"slices"

	"github.com/trilith-memory/trilith"
)

// Examine checks the server, the collection of the active generation, and its alias.
func (v *Vectors) Examine(ctx context.Context, g trilith.Generation) ([]trilith.Check, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	const name = "qdrant"
	bad := func(fix, format string, args ...any) []trilith.Check {
		return []trilith.Check{{Name: name, Detail: fmt.Sprintf(format, args...), Fix: fix}}
	}
	version, err := v.client.Version(ctx)
	if err == nil {
		err = v.Connect(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return bad("see that the server runs and that TRILITH_VECTORS names it", "%s", trilith.MessageOf(err)), nil
	}
	info, ok, err := v.client.Collection(ctx, v.CollectionOf(g))
	switch {
	case err != nil:
		return bad("see the log of the server", "%s", trilith.MessageOf(err)), ctx.Err()
	case !ok:
		return bad("trilith reindex", "version %s; the collection %s is not there", version, v.CollectionOf(g)), nil
	}
	err = v.fits(v.CollectionOf(g), g, info.Config.Params.Vectors)
	if !v.isOurs(&info) {
		err = v.foreign(v.CollectionOf(g))
	}
	if err != nil {
		return bad("trilith reindex", "%s", trilith.MessageOf(err)), nil
	}
	aliases, err := v.client.Aliases(ctx)
	if err != nil {
		return bad("see the log of the server", "%s", trilith.MessageOf(err)), ctx.Err()
	}
	detail := fmt.Sprintf("version %s, collection %s with %d points, status %s", version, v.CollectionOf(g), info.PointsCount, info.Status)
	var missing []string
	for key := range indexes {
		if _, ok := info.Schema[key]; !ok {
			missing = append(missing, key)
		}
	}
	slices.Sort(missing)
	switch {
	case info.Status == "red":
		return bad("see the log of the server", "%s", detail), nil
	case aliases[v.o.Collection] != v.CollectionOf(g):
		return bad("restart a process that serves the memory", "%s; the alias %s does not lead to it", detail, v.o.Collection), nil
	case len(missing) > 0: // slower, but not wrong
		return []trilith.Check{{Name: name, OK: true, Detail: fmt.Sprintf("%s; without payload indexes on %q, filters are slower", detail, missing),
			Fix: "allow the API key to make payload indexes, and restart"}}, nil
	}
	return []trilith.Check{{Name: name, OK: true, Detail: detail}}, nil
}
