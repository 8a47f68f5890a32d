// Package qdrant is a [role.VectorIndex] on a Qdrant server, over its REST API. Each generation has its own
// collection, named BASE_KEY, and BASE is an alias of the active one. All tenants share a collection; every request
// that reads or deletes points is restricted to one tenant. The payload of a point contains the fields that filters
// test, so the server checks most of a filter, and this package checks the rest.
package qdrant

import (
	"context"
	"log/slog"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// DefaultCollection is the base name of collections unless another is given.
const DefaultCollection = "trilith"

// Options configure an index.
type Options struct {
	qdrantapi.Options
	// Collection is the base of the collection names; [DefaultCollection] if empty. Two memories on one server need
	// different names.
	Collection string
	// Quantize stores a copy of each vector that is rounded to a byte for each component ("int8"), and searches the
	// copies first. Exact scores are computed from the whole vectors. Empty: no copies.
	Quantize string
	Replicas int // of each shard, in a cluster; 0: the server's default
	// Ordering of writes (weak, medium or strong) and Consistency of reads (majority, quorum, all or a number of
	// replicas) matter in a cluster only. Empty: the server's defaults.
	Ordering, Consistency string
	ShardKey              string       // for a server with sharding by key; empty: none
	Logger                *slog.Logger // nil: silent
}

// Oldest is the oldest supported version of the server: it has collection metadata and conditional updates.
const Oldest = "1.17"

// Vectors is the index. Its methods are safe for concurrent use, also by several processes.
type Vectors struct {
	o      Options
	client *qdrantapi.Client
	logger *slog.Logger
	words  atomic.Bool // the server has match.substring, and match.text compares words
	known  atomic.Bool // the version of the server was checked
	closed atomic.Bool

	mu          sync.Mutex
	collections map[string]*collection // existing collections of this index, by name
}

var (
	_ role.VectorIndex   = (*Vectors)(nil)
	_ role.RemoteVectors = (*Vectors)(nil)
)

var (
	baseForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	consistent   = regexp.MustCompile(`^(|majority|quorum|all|[1-9][0-9]?)$`)
	notInNames   = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	orderings    = map[string]bool{"": true, "weak": true, "medium": true, "strong": true}
	quantizeable = map[string]bool{"": true, "int8": true}
)

// New makes an index. It sends no request, so the server may be unavailable now.
func New(o Options) (*Vectors, error) {
	if o.Collection == "" {
		o.Collection = DefaultCollection
	}
	switch {
	case !baseForm.MatchString(o.Collection):
		return nil, trilith.Errorf(trilith.Invalid, "vectors: collection %.64q must be 1 to 64 characters of A-Z a-z 0-9 . _ -",
			o.Collection)
	case !orderings[o.Ordering]:
		return nil, trilith.Errorf(trilith.Invalid, "vectors: ordering %.32q is not one of weak, medium and strong", o.Ordering)
	case !consistent.MatchString(o.Consistency):
		return nil, trilith.Errorf(trilith.Invalid, "vectors: consistency %.32q is not one of majority, quorum, all and a number of replicas",
			o.Consistency)
	case !quantizeable[o.Quantize]:
		return nil, trilith.Errorf(trilith.Invalid, "vectors: quantize %.32q is not int8", o.Quantize)
	}
	client, err := qdrantapi.New(o.Options)
	if err != nil {
		return nil, err
	}
	v := &Vectors{o: o, client: client, logger: o.Logger, collections: map[string]*collection{}}
	if v.logger == nil {
		v.logger = slog.New(slog.DiscardHandler)
	}
	return v, nil
}

// Reach is [role.ReachAll].
func (*Vectors) Reach() role.Reach { return role.ReachAll }

// Location names the server and the base of the collections.
func (v *Vectors) Location() string { return "qdrant " + v.o.Collection }

// Made returns the unique name that the generation's collection got when it was created.
func (v *Vectors) Made(ctx context.Context, g trilith.Generation) (string, error) {
	const op = "qdrant.Made"
	if err := v.ready(ctx); err != nil {
		return "", err
	}
	name := v.CollectionOf(g)
	info, ok, err := v.client.Collection(ctx, name)
	if err == nil && !ok {
		v.forget(name) // its description is outdated
		if _, err = v.ensure(ctx, g); err == nil {
			info, ok, err = v.client.Collection(ctx, name)
		}
	}
	switch {
	case err != nil:
	case !ok:
		err = trilith.Errorf(trilith.Unavailable, "qdrant: the collection %s was removed while it was being created; repeat the request", name)
	case !v.isOurs(&info):
		err = v.foreign(name)
	}
	ours, _ := info.Config.Metadata[marker].(map[string]any)
	made, _ := ours["made"].(string)
	return made, trilith.WrapError(trilith.Unavailable, op, err)
}

func (v *Vectors) ready(ctx context.Context) error {
	if v.closed.Load() {
		return trilith.Errorf(trilith.Unavailable, "the vector index is closed")
	}
	return ctx.Err()
}

// maxName is the part of a generation's key that is used in a name; a hash at the end makes the name unique.
const maxName = 120

// CollectionOf returns the name of a generation's collection.
func (v *Vectors) CollectionOf(g trilith.Generation) string {
	key := notInNames.ReplaceAllString(g.Key(), "-")
	return v.o.Collection + "_" + key[max(0, len(key)-maxName):]
}

// Close closes the index. After that other methods are Unavailable.
func (v *Vectors) Close() error {
	v.closed.Store(true)
	v.client.Close()
	return nil
}

// Connect requests the server's version. It returns an error for a version that is too old, and for a collection of the
// same name that trilith did not make. Unavailable means that the server does not answer now; it may later. Collections
// of this base that the program made when it was called cairn are removed: their points are made again from the store.
func (v *Vectors) Connect(ctx context.Context) error {
	const op = "qdrant.Connect"
	if err := v.meet(ctx); err != nil {
		return trilith.WrapError(trilith.Unavailable, op, err)
	}
	names, err := v.client.Collections(ctx)
	if err != nil {
		return trilith.WrapError(trilith.Unavailable, op, err)
	}
	for _, name := range names {
		if name == v.o.Collection {
			return v.foreign(name)
		}
		if strings.HasPrefix(name, v.o.Collection+"_") {
			if err := v.removeFormer(ctx, name); err != nil {
				return trilith.WrapError(trilith.Unavailable, op, err)
			}
		}
	}
	return nil
}

// meet checks the server's version, once.
func (v *Vectors) meet(ctx context.Context) error {
	if v.known.Load() {
		return nil
	}
	version, err := v.client.Version(ctx)
	if err != nil {
		return err
	}
	major, minor, ok := parseVersion(version)
	oldMajor, oldMinor, _ := parseVersion(Oldest)
	if !ok || major < oldMajor || major == oldMajor && minor < oldMinor {
		return trilith.Errorf(trilith.Unsupported, "vectors: Qdrant at %s says that it is version %.32q; %s or newer is needed",
			v.client.Name(), version, Oldest)
	}
	v.words.Store(major > 1 || minor >= 20)
	v.known.Store(true)
	return nil
}

func parseVersion(s string) (major, minor int, ok bool) {
	first, rest, _ := strings.Cut(s, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(second)
	return major, minor, err == nil
}

// foreign returns the error for a collection that trilith did not make.
func (v *Vectors) foreign(name string) error {
	return trilith.Errorf(trilith.Conflict, "vectors: the collection %s at %s was not made by trilith, which does not mix its points with "+
		"those of others; import them with: trilith import --format qdrant %s?collection=%s, and name another with ?collection=NAME",
		name, v.client.Name(), v.client.Name(), name)
}

// Name describes the location of the index, for people.
func (v *Vectors) Name() string {
	return "qdrant at " + v.client.Name() + ", collection " + v.o.Collection
}

// removeFormer removes a collection of this base that the program made when it was called cairn.
func (v *Vectors) removeFormer(ctx context.Context, name string) error {
	info, ok, err := v.client.Collection(ctx, name)
	if err != nil || !ok || !v.madeAs(formerMarker, &info) {
		return err
	}
	v.logger.InfoContext(ctx, "qdrant: a collection of the program's first name is removed, and rebuilt from the store", slog.String("collection", name))
	return v.remove(ctx, name)
}

// reads returns the query parameters of requests that read, and writes those of requests that write and wait.
func (v *Vectors) reads() string {
	if v.o.Consistency == "" {
		return ""
	}
	return "?consistency=" + url.QueryEscape(v.o.Consistency)
}

func (v *Vectors) writes() string {
	if v.o.Ordering == "" {
		return "?wait=true"
	}
	return "?wait=true&ordering=" + v.o.Ordering
}

// body returns the body of a request on points, with the shard key if there is one.
func (v *Vectors) body(members map[string]any) map[string]any {
	if v.o.ShardKey != "" {
		members["shard_key"] = v.o.ShardKey
	}
	return members
}
