package firestoretest

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// database holds documents by collection, then by id.
type database struct {
	name        string
	collections map[string]map[string]*document
}

type document struct {
	path             string // below documents/
	fields           fields
	created, updated time.Time
}

// write is one write of a commit.
type write struct {
	Update *struct {
		Name   string
		Fields map[string]any
	}
	UpdateMask *struct{ FieldPaths []string }
	Delete     string
	// CurrentDocument is the precondition.
	CurrentDocument *struct {
		Exists     *bool
		UpdateTime string
	}
}

// change is a write that was read.
type change struct {
	path   string
	fields fields // nil: delete
}

// pathOf returns the path of a document below the database, after checking that it can be one.
func (db *database) pathOf(name string) (string, error) {
	path, ok := strings.CutPrefix(name, db.name+"/documents/")
	if !ok {
		return "", invalid("document name %q is not in database %q", name, db.name)
	}
	parts := strings.Split(path, "/")
	if len(parts)%2 != 0 {
		return "", invalid("document name %q has an odd number of parts", name)
	}
	for _, p := range parts {
		reserved := len(p) >= 4 && strings.HasPrefix(p, "__") && strings.HasSuffix(p, "__")
		if p == "" || p == "." || p == ".." || reserved || len(p) > 1500 || !utf8.ValidString(p) {
			return "", invalid("document name %q has a part that is no id", name)
		}
	}
	return path, nil
}

func (db *database) get(path string) *document {
	at := strings.LastIndexByte(path, '/')
	return db.collections[path[:at]][path[at+1:]]
}

func (db *database) nameOf(d *document) string { return db.name + "/documents/" + d.path }

// check reads a write and compares it with the stored document.
func (db *database) check(w *write) (change, error) {
	if (w.Update == nil) == (w.Delete == "") {
		return change{}, invalid("a write is an update or a delete")
	}
	if w.UpdateMask != nil {
		return change{}, invalid("the double knows no update masks")
	}
	name := w.Delete
	if w.Update != nil {
		name = w.Update.Name
	}
	path, err := db.pathOf(name)
	if err != nil {
		return change{}, err
	}
	c := change{path: path}
	if w.Update != nil {
		if c.fields, err = decodeFields(w.Update.Fields, 1, false); err != nil {
			return change{}, err
		}
		if n := size(c.fields); n > maxDocument {
			return change{}, invalid("document %q has %d bytes, over the limit of %d", name, n, maxDocument)
		}
	}
	now := db.get(path)
	switch p := w.CurrentDocument; {
	case p == nil:
	case p.Exists != nil && *p.Exists && now == nil:
		return change{}, refuse(http.StatusNotFound, "NOT_FOUND", "No document to update: %s", name)
	case p.Exists != nil && !*p.Exists && now != nil:
		return change{}, refuse(http.StatusConflict, "ALREADY_EXISTS", "Document already exists: %s", name)
	case p.UpdateTime != "":
		want, err := time.Parse(time.RFC3339Nano, p.UpdateTime)
		if err != nil {
			return change{}, invalid("updateTime: %v", err)
		}
		if now == nil || !now.updated.Equal(want) {
			return change{}, refuse(http.StatusBadRequest, "FAILED_PRECONDITION",
				"the stored version does not match the required base version of %s", name)
		}
	}
	return c, nil
}

func (db *database) apply(c change, at time.Time) {
	cut := strings.LastIndexByte(c.path, '/')
	collection, id := c.path[:cut], c.path[cut+1:]
	if c.fields == nil {
		delete(db.collections[collection], id)
		if len(db.collections[collection]) == 0 {
			delete(db.collections, collection)
		}
		return
	}
	in := db.collections[collection]
	if in == nil {
		in = make(map[string]*document)
		db.collections[collection] = in
	}
	d := &document{path: c.path, fields: c.fields, created: at, updated: at}
	if old := in[id]; old != nil {
		d.created = old.created
	}
	in[id] = d
}

func (s *Server) charge(c change) {
	if c.fields == nil {
		s.bill.Deletes++
	} else {
		s.bill.Writes++
	}
}

// commit carries out all writes or none.
func (s *Server) commit(db *database, writes []write) (any, error) {
	changes := make([]change, len(writes))
	for i := range writes {
		c, err := db.check(&writes[i])
		if err != nil {
			return nil, err
		}
		changes[i] = c
	}
	at := s.tick()
	results := make([]any, len(changes))
	for i, c := range changes {
		db.apply(c, at)
		s.charge(c)
		results[i] = map[string]any{}
		if c.fields != nil {
			results[i] = map[string]any{"updateTime": stamp(at)}
		}
	}
	return map[string]any{"writeResults": results, "commitTime": stamp(at)}, nil
}

// codes are the numbers of gRPC, which give the status of each write of a batch.
var codes = map[string]int{"INVALID_ARGUMENT": 3, "NOT_FOUND": 5, "ALREADY_EXISTS": 6, "FAILED_PRECONDITION": 9}

// batchWrite carries out each write for itself.
func (s *Server) batchWrite(db *database, writes []write) (any, error) {
	named := make(map[string]bool)
	for i := range writes {
		name := writes[i].Delete
		if writes[i].Update != nil {
			name = writes[i].Update.Name
		}
		if named[name] {
			return nil, invalid("a batch names %s twice", name)
		}
		named[name] = true
	}
	results, status := make([]any, len(writes)), make([]any, len(writes))
	for i := range writes {
		results[i], status[i] = map[string]any{}, map[string]any{}
		c, err := db.check(&writes[i])
		if err != nil {
			f := err.(*failure)
			status[i] = map[string]any{"code": codes[f.Status], "message": f.Message}
			continue
		}
		at := s.tick()
		db.apply(c, at)
		s.charge(c)
		if c.fields != nil {
			results[i] = map[string]any{"updateTime": stamp(at)}
		}
	}
	return map[string]any{"writeResults": results, "status": status}, nil
}

// batchGet reads documents in one state. Missing ones are answered, and billed, too.
func (s *Server) batchGet(db *database, names []string, only map[string]bool) (any, error) {
	at := stamp(s.tick())
	out := make([]any, 0, len(names))
	seen := make(map[string]bool)
	for _, name := range names {
		path, err := db.pathOf(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		parts := strings.Split(path, "/")
		s.read("batchGet", parts[len(parts)-2], 1)
		if d := db.get(path); d != nil {
			out = append(out, map[string]any{"found": db.wire(d, only), "readTime": at})
		} else {
			out = append(out, map[string]any{"missing": name, "readTime": at})
		}
	}
	return out, nil
}

// wire is a document as it is answered: some of its fields, or with nil all.
func (db *database) wire(d *document, only map[string]bool) map[string]any {
	f := d.fields
	if only != nil {
		f = make(fields)
		for name := range only {
			if v, ok := d.fields[name]; ok {
				f[name] = v
			}
		}
	}
	return map[string]any{"name": db.nameOf(d), "fields": encodeFields(f), "createTime": stamp(d.created),
		"updateTime": stamp(d.updated)}
}
