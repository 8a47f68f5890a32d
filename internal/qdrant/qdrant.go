// Package qdrant is a [cairn.VectorIndex] on a Qdrant server, over its REST API. Each generation has a collection of
// its own, named BASE_KEY, and BASE is an alias of the one in force. All tenants share a collection; every request that
// reads or deletes points is narrowed to one tenant. What filters test lies in the payload of a point, so the server
// checks most of a filter, and the rest is checked here.
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

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/qdrantapi"
)

// DefaultCollection is the base name of collections where no other is given.
const DefaultCollection = "cairn"

// Options say where vectors lie and how they are kept.
type Options struct {
	qdrantapi.Options
	// Collection is the base of the names of collections; [DefaultCollection] if empty. Two memories on one server need
	// two.
	Collection string
	// Quantize keeps a copy of each vector rounded to a byte for each component ("int8"), which is searched first.
	// Scores that must be exact are computed from the whole vectors. Empty: no copy.
	Quantize string
	Replicas int // of each shard, in a cluster; 0: what the server does by itself
	// Ordering of writes (weak, medium or strong) and Consistency of reads (majority, quorum, all or a number of
	// replicas) matter in a cluster only. Empty: what the server does by itself.
	Ordering, Consistency string
	ShardKey              string       // of a server that shards by key; empty: none
	Logger                *slog.Logger // nil: silent
}

// Oldest is the oldest version of the server that works: it keeps metadata of collections and updates under a
// condition.
const Oldest = "1.17"

// Vectors is the index. Its methods are safe for concurrent use, by several processes too.
type Vectors struct {
	o      Options
	client *qdrantapi.Client
	logger *slog.Logger
	words  atomic.Bool // match.text compares words, and match.substring is there
	known  atomic.Bool // the version of the server is known, and works
	closed atomic.Bool

	mu          sync.Mutex
	collections map[string]*collection // those that are there and ours, by name
}

var (
	_ cairn.VectorIndex     = (*Vectors)(nil)
	_ cairn.Reacher         = (*Vectors)(nil)
	_ cairn.VectorAnnouncer = (*Vectors)(nil)
	_ cairn.VectorExaminer  = (*Vectors)(nil)
	_ cairn.VectorLocator   = (*Vectors)(nil)
)

var (
	baseForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	consistent   = regexp.MustCompile(`^(|majority|quorum|all|[1-9][0-9]?)$`)
	notInNames   = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	orderings    = map[string]bool{"": true, "weak": true, "medium": true, "strong": true}
	quantizeable = map[string]bool{"": true, "int8": true}
)

// New makes an index. Nothing is sent: a server that is away now may be there later.
func New(o Options) (*Vectors, error) {
	if o.Collection == "" {
		o.Collection = DefaultCollection
	}
	switch {
	case !baseForm.MatchString(o.Collection):
		return nil, cairn.Errorf(cairn.Invalid, "vectors: collection %.64q must be 1 to 64 characters of A-Z a-z 0-9 . _ -",
			o.Collection)
	case !orderings[o.Ordering]:
		return nil, cairn.Errorf(cairn.Invalid, "vectors: ordering %.32q is not one of weak, medium and strong", o.Ordering)
	case !consistent.MatchString(o.Consistency):
		return nil, cairn.Errorf(cairn.Invalid, "vectors: consistency %.32q is not one of majority, quorum, all and a number of replicas",
			o.Consistency)
	case !quantizeable[o.Quantize]:
		return nil, cairn.Errorf(cairn.Invalid, "vectors: quantize %.32q is not int8", o.Quantize)
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

// Name says where the index lies, for people.
func (v *Vectors) Name() string {
	return "qdrant at " + v.client.Name() + ", collection " + v.o.Collection
}

// Reach is [cairn.ReachAll].
func (*Vectors) Reach() cairn.Reach { return cairn.ReachAll }

// Location names the server and the base of the collections.
func (v *Vectors) Location() string { return "qdrant " + v.o.Collection }

// Made is a name that the collection of the generation was given when it was made.
func (v *Vectors) Made(ctx context.Context, g cairn.Generation) (string, error) {
	const op = "qdrant.Made"
	if err := v.ready(ctx); err != nil {
		return "", err
	}
	name := v.CollectionOf(g)
	info, ok, err := v.client.Collection(ctx, name)
	if err == nil && !ok {
		v.forget(name) // whatever was known of it
		if _, err = v.ensure(ctx, g); err == nil {
			info, ok, err = v.client.Collection(ctx, name)
		}
	}
	switch {
	case err != nil:
	case !ok:
		err = cairn.Errorf(cairn.Unavailable, "qdrant: the collection %s was removed while it was being created; repeat the request", name)
	case !v.isOurs(&info):
		err = v.foreign(name)
	}
	ours, _ := info.Config.Metadata[marker].(map[string]any)
	made, _ := ours["made"].(string)
	return made, cairn.WrapError(cairn.Unavailable, op, err)
}

// Close ends the index. Other methods then answer Unavailable.
func (v *Vectors) Close() error {
	v.closed.Store(true)
	v.client.Close()
	return nil
}

func (v *Vectors) ready(ctx context.Context) error {
	if v.closed.Load() {
		return cairn.Errorf(cairn.Unavailable, "the vector index is closed")
	}
	return ctx.Err()
}

// Connect asks the server for its version and refuses one that is too old, and a collection of our name that is not
// ours. Unavailable says that the server does not answer now, and nothing about later.
func (v *Vectors) Connect(ctx context.Context) error {
	const op = "qdrant.Connect"
	if err := v.meet(ctx); err != nil {
		return cairn.WrapError(cairn.Unavailable, op, err)
	}
	names, err := v.client.Collections(ctx)
	if err != nil {
		return cairn.WrapError(cairn.Unavailable, op, err)
	}
	for _, name := range names {
		if name == v.o.Collection {
			return v.foreign(name)
		}
	}
	return nil
}

// foreign refuses a collection that cairn did not make.
func (v *Vectors) foreign(name string) error {
	return cairn.Errorf(cairn.Conflict, "vectors: the collection %s at %s was not made by cairn, which does not mix its points with "+
		"those of others; import them with: cairn import --format qdrant %s?collection=%s, and name another with ?collection=NAME",
		name, v.client.Name(), v.client.Name(), name)
}

// meet learns the version of the server, once.
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
		return cairn.Errorf(cairn.Unsupported, "vectors: Qdrant at %s says that it is version %.32q; %s or newer is needed",
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

// maxName is how much of a generation's key goes into a name; the hash at its end makes it unique.
const maxName = 120

// CollectionOf is the name of the collection of a generation.
func (v *Vectors) CollectionOf(g cairn.Generation) string {
	key := notInNames.ReplaceAllString(g.Key(), "-")
	return v.o.Collection + "_" + key[max(0, len(key)-maxName):]
}

// reads is the query of paths that read, and writes of those that write and answer when it is done.
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

// body is that of a request on points, with the shard key if there is one.
func (v *Vectors) body(members map[string]any) map[string]any {
	if v.o.ShardKey != "" {
		members["shard_key"] = v.o.ShardKey
	}
	return members
}
