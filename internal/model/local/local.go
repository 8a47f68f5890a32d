// Package local is the embedder "local:NAME_OR_DIR": a sentence encoder of the BERT family, computed in this process
// from a folder as Hugging Face keeps them. Nothing leaves the machine, and nothing but the folder is needed.
//
// Package [bert] computes the model. This package knows the prefixes of models by name: a model was trained with them
// and its files do not mention them. It also distributes the work: texts are computed in portions, one portion on one
// core, as many at a time as there are cores, for all callers together.
package local

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/bert"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// portion is how many tokens are computed together, unless one text has more. Weights are read from memory once for a
// portion, so larger ones gain little, and the data that has to stay in the caches of a core grows with it. It also
// bounds the work that is still done after a context has ended.
const portion = 128

// known lists the settings that the files of well-known models do not contain. Vectors depend on it: a change makes a
// new variant.
var known = []struct {
	name     string
	aliases  []string // names of folders that hold it, too
	prefixes bert.Prefixes
}{
	{"all-MiniLM-L6-v2", nil, bert.Prefixes{}},
	{"e5-small-v2", nil, bert.Prefixes{Query: "query: ", Document: "passage: "}},
	{"arctic-embed-s", []string{"snowflake-arctic-embed-s"}, bert.Prefixes{Query: represent}},
	{"bge-small", []string{"bge-small-en-v1.5"}, bert.Prefixes{Query: represent}},
}

// represent is the instruction that the authors of bge and of arctic-embed give for questions.
const represent = "Represent this sentence for searching relevant passages: "

// Embedder is a [role.Embedder]. It holds its model in memory, and a workspace for each core.
type Embedder struct {
	model      *bert.Model
	generation trilith.Generation
	prefixes   bert.Prefixes
	idle       chan *bert.Workspace // workspaces that are not in use
}

var _ role.Embedder = (*Embedder)(nil)

// Params are the parameters of a setting.
var Params = []string{"precision"}

// Open opens the model that a setting local:NAME_OR_DIR?precision=int8 names, read with [Params]. A folder with a
// config.json is a model of the folder's name; for any other name find returns the folder. The precision is int8
// unless f32 is asked for. An error names the file that cannot be used: Invalid.
func Open(spec provider.Spec, find func(name string) (folder string, err error)) (*Embedder, error) {
	precision := bert.Precision(cmp.Or(spec.Param("precision"), string(bert.Int8)))
	if precision != bert.Int8 && precision != bert.Float32 {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: local: precision must be %s or %s", bert.Int8, bert.Float32)
	}
	if spec.Model == "" {
		return nil, trilith.Errorf(
			trilith.Invalid, "embedder: local needs the name of a model or its folder, for example local:all-MiniLM-L6-v2")
	}
	folder := spec.Model
	if _, err := os.Stat(filepath.Join(folder, "config.json")); err != nil {
		var err error
		if folder, err = find(spec.Model); err != nil {
			return nil, err
		}
	}
	model, err := bert.Load(os.DirFS(folder), precision)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: local: %s: %w", folder, err)
	}
	name, prefixes := nameOf(folder), model.Prefixes()
	for _, k := range known {
		if k.name == name || slices.Contains(k.aliases, name) {
			name = k.name
			if prefixes == (bert.Prefixes{}) {
				prefixes = k.prefixes
			}
		}
	}
	e := &Embedder{model: model, prefixes: prefixes, idle: make(chan *bert.Workspace, runtime.GOMAXPROCS(0)),
		generation: trilith.Generation{Provider: "local", Model: name, Dims: model.Dims(), Variant: string(precision) +
			" " + model.Fingerprint(),
			Recipe: 1, Threshold: true}}
	for range cap(e.idle) {
		e.idle <- new(bert.Workspace)
	}
	return e, nil
}

// nameOf returns the model's name: that of its folder, without the owner that comes before two hyphens.
func nameOf(folder string) string {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	name := filepath.Base(folder)
	if _, rest, ok := strings.Cut(name, "--"); ok && rest != "" {
		return rest
	}
	return name
}

// Generation describes the vectors. Its variant is the precision and a fingerprint of everything that makes up the
// model, so that another model in a folder of the same name is not taken for this one.
func (e *Embedder) Generation() trilith.Generation { return e.generation }

// Embed returns one embedding per text. A text without a piece that the model knows gets a nil vector. One that is
// longer than the model reads is cut at the last piece that fits. Safe for concurrent use; calls share the cores.
func (e *Embedder) Embed(ctx context.Context, use role.Use, texts []string) ([]role.Embedding, error) {
	prefix := e.prefixes.Document
	if use == role.ForQuery {
		prefix = e.prefixes.Query
	}
	out := make([]role.Embedding, len(texts))
	group, computing := errgroup.WithContext(ctx)
	var p batch
	for i, text := range texts {
		if computing.Err() != nil {
			break
		}
		ids, cut := e.model.Tokenize(nil, prefix, text)
		if len(ids) == 0 {
			continue
		}
		out[i] = role.Embedding{Vector: make(trilith.Vector, e.model.Dims()), Cut: cut}
		if p.tokens+len(ids) > portion {
			e.compute(computing, group, p)
			p = batch{}
		}
		p.add(ids, out[i].Vector)
	}
	e.compute(computing, group, p)
	err := group.Wait()
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// batch is a set of sequences that are computed together.
type batch struct {
	sequences [][]int32
	vectors   [][]float32
	tokens    int
}

func (b *batch) add(ids []int32, into []float32) {
	b.sequences, b.vectors, b.tokens = append(b.sequences, ids), append(b.vectors, into), b.tokens+len(ids)
}

// compute begins to compute a batch when a workspace is free.
func (e *Embedder) compute(ctx context.Context, group *errgroup.Group, b batch) {
	if b.tokens == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case w := <-e.idle:
		group.Go(func() error {
			defer func() { e.idle <- w }()
			e.model.Encode(w, b.sequences, b.vectors)
			for _, v := range b.vectors {
				if err := trilith.Vector(v).Validate(e.model.Dims()); err != nil {
					return trilith.Errorf(trilith.Internal,
						"embedder: the output of %s is not a vector; its weights are damaged: %v", e.generation, err)
				}
			}
			return nil
		})
	}
}

// Close does nothing: the embedder holds only memory.
func (e *Embedder) Close() error { return nil }
