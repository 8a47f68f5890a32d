package firestore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// index is an index that queries need in addition to the automatic ones of every field.
type index struct {
	collection string
	group      bool     // for queries across all collections of the name
	fields     []string // name, name DESC, or name CONTAINS
	dims       int      // dimensions of the vectors after the fields; 0: none
	why        string
}

// single is a field that has other single-field indexes than Firestore's automatic ones.
type single struct {
	collection, field string
	group             bool // indexed in ascending order across tenants; otherwise not at all
	why               string
}

// composites are the indexes that the queries of this package need, without those for vectors.
var composites = []index{
	{collection: memoriesIn, group: true, fields: []string{fieldShard, fieldChange}, why: "the change log"},
	{collection: memoriesIn, fields: []string{fieldKeys + " CONTAINS", fieldRecorded}, why: "listings, oldest first"},
	{collection: memoriesIn, fields: []string{fieldKeys + " CONTAINS", fieldRecorded + " DESC"},
		why: "listings, newest first"},
	{collection: memoriesIn, fields: []string{fieldKeys + " CONTAINS", fieldEvent + " DESC"},
		why: "listings by when it was said"},
	{collection: memoriesIn, fields: []string{fieldKeys + " CONTAINS", fieldSeq}, why: "conversations in their order"},
	{collection: jobsIn, group: true, fields: []string{fieldQueue, fieldDue}, why: "jobs that are due"},
	{collection: jobsIn, group: true, fields: []string{fieldQueue, fieldKind, fieldDue},
		why: "jobs of some kinds that are due"},
	{collection: embeddingsIn, group: true, fields: []string{fieldPrefix, fieldAt},
		why: "the oldest of kept embeddings"},
	{collection: jobsIn, fields: []string{fieldState, fieldID + " DESC"}, why: "listings of jobs"},
}

// singles are fields that no query compares, or only across tenants. An index costs storage, and an index of ascending
// values limits the writes per second.
var singles = []single{
	{embeddingsIn, fieldPrefix, true, "how many embeddings are kept"},
	{vectorsIn, fieldPrefix, true, "all vectors, to remove them"},
	{vectorsIn, fieldGen, true, "a generation that is dropped"},
	{vectorsIn, fieldBody, false, "bytes"},
	{memoriesIn, fieldBody, false, "bytes"},
	{jobsIn, fieldBody, false, "bytes"},
	{embeddingsIn, fieldVector, false, "bytes"},
	{recordsIn, fieldBody, false, "bytes"},
	{auditIn, fieldBody, false, "bytes"},
	{chunksIn, fieldBody, false, "bytes"},
	{rowsIn, fieldBody, false, "bytes"},
	{claimsIn, fieldBody, false, "bytes"},
	{memoriesIn, fieldChange, false, "rises with every write"},
	{memoriesIn, fieldRecorded, false, "rises with every write"},
	{memoriesIn, fieldEvent, false, "rises with every write"},
	{memoriesIn, fieldSeq, false, "found by keys alone"},
	{jobsIn, fieldDue, false, "rises with every write"},
}

// The format of firestore.indexes.json.
type (
	jsonIndex struct {
		Collection string      `json:"collectionGroup"`
		Scope      string      `json:"queryScope"`
		Fields     []jsonField `json:"fields"`
	}
	jsonField struct {
		Path   string      `json:"fieldPath,omitempty"`
		Order  string      `json:"order,omitempty"`
		Array  string      `json:"arrayConfig,omitempty"`
		Vector *jsonVector `json:"vectorConfig,omitempty"`
		Scope  string      `json:"queryScope,omitempty"`
	}
	jsonVector struct {
		Dims int      `json:"dimension"`
		Flat struct{} `json:"flat"`
	}
	jsonSingle struct {
		Collection string      `json:"collectionGroup"`
		Field      string      `json:"fieldPath"`
		Indexes    []jsonField `json:"indexes"`
	}
)

// IndexesJSON returns firestore.indexes.json for vectors of some dimensions.
func IndexesJSON(dims ...int) []byte {
	var file struct {
		Indexes   []jsonIndex  `json:"indexes"`
		Overrides []jsonSingle `json:"fieldOverrides"`
	}
	for _, x := range indexesFor(dims) {
		j := jsonIndex{Collection: x.collection, Scope: scopeOf(x.group)}
		for _, f := range x.fields {
			j.Fields = append(j.Fields, fieldOf(f))
		}
		if x.dims > 0 {
			j.Fields = append(j.Fields, jsonField{Path: fieldVector, Vector: &jsonVector{Dims: x.dims}})
		}
		file.Indexes = append(file.Indexes, j)
	}
	for _, x := range singles {
		j := jsonSingle{Collection: x.collection, Field: x.field, Indexes: []jsonField{}}
		if x.group {
			j.Indexes = []jsonField{{Order: ascending, Scope: scopeOf(true)}, {Order: ascending, Scope: scopeOf(false)}}
		}
		file.Overrides = append(file.Overrides, j)
	}
	out, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		panic("firestore: a list of texts is always encodable: " + err.Error())
	}
	return append(out, '\n')
}

// Terraform returns the indexes as resources of Google's provider. It lists the document name before a vector; without
// it every plan wants to create the index again.
func Terraform(dims ...int) []byte {
	var b strings.Builder
	b.WriteString("# Made by go test ./internal/store/firestore -run TestIndexFiles -update. The indexes of a memory in Firestore.\n\n" +
		"variable \"project\" {\n  type = string\n}\n\nvariable \"database\" {\n  type    = string\n  default = \"(default)\"\n}\n")
	for n, x := range indexesFor(dims) {
		fmt.Fprintf(&b, "\n# %s\nresource \"google_firestore_index\" \"trilith_%d\" {\n  project     = var.project\n  database    = var.database\n"+
			"  collection  = %q\n  query_scope = %q\n", x.why, n+1, x.collection, scopeOf(x.group))
		for _, name := range x.fields {
			f := fieldOf(name)
			form := "  fields {\n    field_path = %q\n    order      = %q\n  }\n"
			if f.Array != "" {
				form = "  fields {\n    field_path   = %q\n    array_config = %q\n  }\n"
			}
			fmt.Fprintf(&b, form, f.Path, cmp.Or(f.Array, f.Order))
		}
		if x.dims > 0 {
			fmt.Fprintf(&b, "  fields {\n    field_path = \"__name__\"\n    order      = %q\n  }\n  fields {\n    field_path = %q\n"+
				"    vector_config {\n      dimension = %d\n      flat {}\n    }\n  }\n", ascending, fieldVector,
				x.dims)
		}
		b.WriteString("}\n")
	}
	for _, x := range singles {
		fmt.Fprintf(&b, "\n# %s\nresource \"google_firestore_field\" \"%s_%s\" {\n  project    = var.project\n  database   = var.database\n"+
			"  collection = %q\n  field      = %q\n  index_config {\n", x.why, x.collection, x.field, x.collection,
			x.field)
		if x.group {
			for _, group := range []bool{true, false} {
				fmt.Fprintf(&b, "    indexes {\n      order       = %q\n      query_scope = %q\n    }\n", ascending,
					scopeOf(group))
			}
		}
		b.WriteString("  }\n}\n")
	}
	return []byte(b.String())
}

// Commands returns the indexes as gcloud command lines, one each; database is "(default)" or a name.
func Commands(project, database string, dims ...int) []string {
	var out []string
	where := " --project=" + project + " --database='" + database + "'"
	for _, x := range indexesFor(dims) {
		scope := strings.ReplaceAll(strings.ToLower(scopeOf(x.group)), "_", "-")
		c := "gcloud firestore indexes composite create" + where + " --collection-group=" + x.collection + " --query-scope=" + scope
		for _, name := range x.fields {
			f := fieldOf(name)
			if f.Array != "" {
				c += " --field-config=field-path=" + f.Path + ",array-config=contains"
			} else {
				c += " --field-config=field-path=" + f.Path + ",order=" + strings.ToLower(f.Order)
			}
		}
		if x.dims > 0 {
			c += fmt.Sprintf(" --field-config=field-path=%s,vector-config='{\"dimension\":\"%d\",\"flat\":{}}'",
				fieldVector, x.dims)
		}
		out = append(out, c)
	}
	for _, x := range singles {
		c := "gcloud firestore indexes fields update " + x.field + where + " --collection-group=" + x.collection
		if x.group {
			c += " --index=order=ascending,query-scope=collection-group --index=order=ascending,query-scope=collection"
		} else {
			c += " --disable-indexes"
		}
		out = append(out, c)
	}
	return out
}

// indexesFor returns all indexes for vectors of some dimensions.
func indexesFor(dims []int) []index {
	out := slices.Clone(composites)
	for _, n := range dims {
		out = append(out, index{collection: vectorsIn, fields: []string{fieldKeys + " CONTAINS"}, dims: n,
			why: "the nearest vectors"})
	}
	return out
}

func scopeOf(group bool) string {
	if group {
		return "COLLECTION_GROUP"
	}
	return "COLLECTION"
}

// fieldOf parses a field of an index.
func fieldOf(f string) jsonField {
	name, how, _ := strings.Cut(f, " ")
	switch how {
	case "CONTAINS":
		return jsonField{Path: name, Array: how}
	case "DESC":
		return jsonField{Path: name, Order: descending}
	}
	return jsonField{Path: name, Order: ascending}
}
