package transfer

import (
	"cmp"
	"context"
	"iter"
	"path"
	"strings"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
)

// Mycel is the format of knowledge entries that an interviewing application stores in Firestore: documents with
// domainSchemaId, category, title, content and key fields. [OpenMycel] reads it.
const Mycel = "mycel"

// MycelCollection is the collection of the entries unless another is named.
const MycelCollection = "knowledgeEntries"

// Documents is a collection of documents with fields as JSON would hold them.
type Documents interface {
	Name() string // the location, without secrets
	Count(ctx context.Context) (int64, error)
	// Documents yields each with its id as __name__ and the time when it was made as __createTime__.
	Documents(ctx context.Context) iter.Seq2[map[string]any, error]
}

// MycelOptions configure the import.
type MycelOptions struct {
	// Dims is the number of dimensions of the active generation, if embeddings are imported; 0: they are not.
	Dims int
	// Model is the model of the active generation. An entry with an embedding of another model is imported without it.
	Model string
}

// MycelSource is a collection of entries, opened only for reading. Size and Position are safe for concurrent use;
// everything else is for one caller.
type MycelSource struct {
	o    MycelOptions
	from Documents
	size int64
	read atomic.Int64
}

// OpenMycel counts the entries; NotFound if there are none. It writes nothing.
func OpenMycel(ctx context.Context, from Documents, o MycelOptions) (*MycelSource, error) {
	n, err := from.Count(ctx)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, trilith.Errorf(trilith.NotFound, "path: there are no entries in %s; name another collection with "+
			"?collection=NAME", from.Name())
	}
	return &MycelSource{o: o, from: from, size: n}, nil
}

// Size returns the number of entries.
func (s *MycelSource) Size() int64 { return s.size }

// Position returns the number of entries read so far.
func (s *MycelSource) Position() int64 { return s.read.Load() }

// Items yields the entries in the order of their ids.
func (s *MycelSource) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		line := 0
		for d, err := range s.from.Documents(ctx) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			line++
			s.read.Add(1)
			item, err := s.entry(d)
			item.Path, item.Line = s.from.Name(), line
			if err != nil {
				item, err = Item{}, &LineError{Path: item.Path, Line: line, Err: err}
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// placed are the fields with an equivalent in an entry; all others become metadata.
var placed = []string{"__name__", "__createTime__", "domainSchemaId", "category", "title", "content", "confidence",
	"sessionId", "userId", "projectId", "tags", "createdAt", "created_at", "timestamp", "embedding", "embeddingModel",
	"embeddingGeneratedAt"}

// structuredFields hold the key fields and other structured data, as maps, or as lists and single values.
var structuredFields = []string{"structured", "structuredData", "keyFields"}

func (s *MycelSource) entry(d map[string]any) (Item, error) {
	id := text(d, "__name__")
	e := &trilith.Entry{Content: text(d, "content")}
	if strings.TrimSpace(e.Content) == "" {
		return Item{}, trilith.Errorf(trilith.Invalid, "entry %.100s: content: is empty, must say what is known", id)
	}
	long := map[string]any{}
	short := func(key string) string {
		v := strings.TrimSpace(text(d, key))
		if len(v) > trilith.MaxNameBytes {
			long[key] = v
			return clip(v)
		}
		return v
	}
	e.Category, e.Title = short("category"), short("title")
	e.Structured = structured(d)
	if c, ok := d["confidence"].(float64); ok && c >= 0 && c <= 1 {
		e.Confidence = c
	}
	at := stampOf(d["createdAt"]).or(when(d), stampOf(d["__createTime__"]), stampAt(undated))
	about := merged(rest(d, append(placed, structuredFields...)...), long)
	if len(about) == 0 {
		about = nil
	}
	item := Item{Scope: trilith.Scope{Domain: scopeValue(text(d, "domainSchemaId")),
		Session: scopeValue(text(d, "sessionId")), User: scopeValue(text(d, "userId")),
		Project: scopeValue(text(d, "projectId"))},
		Request: &trilith.RememberRequest{Entry: e, ExternalID: externalID(id), Timestamp: string(at), Imported: true,
			Metadata: about, Tags: tags(textsOf(d["tags"]))}}
	if item.Request.Vector, item.Omitted = s.embedding(d); len(long) > 0 && item.Request.Vector != nil {
		item.Request.Vector, item.Omitted = nil, map[string]int{embedAgain: 1} // it is of another text
	}
	return item, nil
}

// structured returns the structured data of an entry. Parts that cannot be stored are left out.
func structured(d map[string]any) map[string]any {
	var out map[string]any
	for _, key := range structuredFields {
		switch v := d[key].(type) {
		case nil:
		case map[string]any:
			out = merged(out, v)
		default:
			out = merged(out, map[string]any{key: v})
		}
	}
	kept, err := others(out)
	if err != nil {
		return nil
	}
	return kept
}

func textsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// embedding returns the embedding of an entry, if it can be compared with those of the active generation, or the name
// under which it is left out. Firestore returns a vector and an array of numbers in the same way.
func (s *MycelSource) embedding(d map[string]any) (trilith.Vector, map[string]int) {
	list, _ := d["embedding"].([]any)
	if len(list) == 0 {
		return nil, nil
	}
	out := make(trilith.Vector, len(list))
	numbers := true
	for i, x := range list {
		n, ok := x.(float64)
		out[i], numbers = float32(n), numbers && ok
	}
	// models/text-embedding-004 and text-embedding-004 are one
	model := path.Base(cmp.Or(text(d, "embeddingModel"), s.o.Model))
	switch {
	case s.o.Dims == 0 || !numbers:
		return nil, map[string]int{embedAgain: 1}
	case model != path.Base(s.o.Model):
		return nil, map[string]int{"embeddings of another model (texts are embedded again)": 1}
	case len(out) != s.o.Dims:
		return nil, map[string]int{"embeddings of another number of dimensions (texts are embedded again)": 1}
	}
	return out, nil
}

// embedAgain says of embeddings that they were left out.
const embedAgain = "embeddings (texts are embedded again)"
