package firestore

import (
	"context"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Collection is a collection of another program. Collection only reads it and never writes. All methods are safe for
// concurrent use.
type Collection struct {
	c      *client
	parent string // path of the parent document; "": none
	id     string
}

// Keys for metadata in the results of [Collection.Documents]; no field has such a name.
const (
	DocumentID = "__name__"       // the last part of its path
	DocumentAt = "__createTime__" // when it was made, as RFC 3339
)

// documentsEach is how many documents one call reads: each may have 1 MiB.
const documentsEach = 32

// OpenCollection opens a collection by its path, such as notes or teams/red/notes. Only the options that identify the
// database apply. It sends no request.
func OpenCollection(o Options, path string) (*Collection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	parts := strings.Split(path, "/")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || len(parts)%2 == 0 {
			return nil, trilith.Errorf(trilith.Invalid, "collection: %.100q is not the path of a collection", path)
		}
	}
	parent, id := parts[:len(parts)-1], parts[len(parts)-1]
	return &Collection{c: newClient(&o), parent: strings.Join(parent, "/"), id: id}, nil
}

// Count returns the number of documents.
func (x *Collection) Count(ctx context.Context) (int64, error) {
	n, err := x.c.aggregate(ctx, x.parent, of(x.id, false), "")
	return n, failed("firestore.Count", err)
}

// Documents yields all documents in the order of their ids, with values as in JSON: texts, float64, bool, nil, lists
// and maps. Times become texts of RFC 3339, integers beyond the precision of float64 become texts, vectors become lists
// of numbers, and bytes become nil. The first error ends the sequence.
func (x *Collection) Documents(ctx context.Context) iter.Seq2[map[string]any, error] {
	return func(yield func(map[string]any, error) bool) {
		for after := ""; ; {
			q := of(x.id, false).by(byName, ascending).limit(documentsEach)
			if after != "" {
				q.after(reference(after))
			}
			docs, err := x.c.run(ctx, x.parent, q)
			if err != nil {
				yield(nil, failed("firestore.Documents", err))
				return
			}
			for i := range docs {
				d := docs[i].Fields.plain()
				d[DocumentID] = last(docs[i].Name)
				if at := docs[i].CreateTime; !at.IsZero() {
					d[DocumentAt] = at.Format(time.RFC3339Nano)
				}
				if !yield(d, nil) {
					return
				}
			}
			if len(docs) < documentsEach {
				return
			}
			after = docs[len(docs)-1].Name
		}
	}
}

// Close closes the connections.
func (x *Collection) Close() { x.c.http.CloseIdleConnections() }

// plain converts the fields of a document to values as in JSON; see [Collection.Documents].
func (f fields) plain() map[string]any {
	out := make(map[string]any, len(f)+2)
	for name, v := range f {
		out[name] = v.plain()
	}
	return out
}

func (v *value) plain() any {
	switch {
	case v == nil:
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		if n := *v.Int; n <= -1<<53 || n >= 1<<53 {
			return strconv.FormatInt(n, 10)
		}
		return float64(*v.Int)
	case v.Double != nil:
		if x := float64(*v.Double); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
		return nil
	case v.Text != nil:
		return *v.Text
	case v.Time != nil:
		return v.Time.Format(time.RFC3339Nano)
	case v.Name != nil:
		return *v.Name
	case v.Point != nil:
		return map[string]any{"latitude": v.Point.Latitude, "longitude": v.Point.Longitude}
	case v.List != nil:
		out := make([]any, len(v.List.Values))
		for i, x := range v.List.Values {
			out[i] = x.plain()
		}
		return out
	case v.Map != nil:
		if v.vector() != nil && v.Map.Fields.text("__type__") == "__vector__" {
			return v.Map.Fields["value"].plain()
		}
		return v.Map.Fields.plain()
	}
	return nil
}

// Name describes the location of the collection.
func (x *Collection) Name() string {
	parts := strings.Split(x.c.database, "/") // projects/P/databases/D
	return "firestore://" + parts[1] + "/" + parts[3] + "?collection=" + strings.TrimPrefix(x.parent+"/"+x.id, "/")
}
