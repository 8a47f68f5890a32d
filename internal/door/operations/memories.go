package operations

import (
	"fmt"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/review"
)

// memoryRows are the operations on stored memories.
func memoryRows() []*op.Op {
	memory := op.Doc("Id of the memory")
	const key = "Your own key of the entry, of the very scope; a slash in it is written %2F"
	return []*op.Op{
		op.Write("remember", "POST /memories", engine.Changes.Remember,
			"Store what was said, a note, an entry or a document", op.Later),
		op.Read("list-memories", "GET /memories", (*review.Reviewer).List,
			"List memories, oldest first: active ones unless states are named", op.Standby,
			op.Large(op.Always[trilith.ListRequest]), op.Columns("id", "kind", "state", "text")),
		op.Read("get-memory", "GET /memories/{id}", (*engine.Engine).Get, "One memory", op.Standby, memory),
		op.Write("update-memory", "PATCH /memories/{id}", engine.Changes.Update,
			"Change a memory; absent members stay as they are"),
		op.Write("delete-memory", "DELETE /memories/{id}", engine.Changes.Delete, "Forget a memory, or erase it",
			op.Rights(func(r trilith.DeleteRequest) (string, trilith.Access) { return erasing(r.Erase) })),
		op.Read("memory-history", "GET /memories/{id}?view=history", (*engine.Engine).History,
			"What holds now and everything that it replaced, newest first", op.Standby, memory,
			op.Large(op.Always[trilith.ID])),
		op.Write("share-memory", "POST /memories/{id}/share", engine.Changes.Share,
			"Make a memory visible in a second scope: a reference, not a copy", op.Repeatable),
		op.Write("forget", "POST /forget", (*engine.Engine).Forget,
			"Take memories out of search; they can be brought back"),
		op.Admin("erase", "POST /admin/erase", (*engine.Engine).Erase,
			"Remove memories for good, with everything derived from them"),

		op.Read("list-keyed-entries", "GET /memories?view=keyed", (*engine.Engine).KeyedEntries,
			"List the entries of this very scope that have a key, oldest first",
			op.Large(op.Always[trilith.KeyedRequest]), op.Columns("id", "external_id", "text")),
		op.Write("put-entry", "PUT /memories/by-key/{key}", engine.Changes.PutEntry,
			"Store an entry under a key, in place of what the key has", op.Later, op.ScopeInBody),
		op.Read("get-keyed-entry", "GET /memories/by-key/{key}", (*engine.Engine).EntryByKey,
			"The entry that has a key", op.Name(key, trilith.MaxNameBytes)),
		op.Write("delete-keyed-entry", "DELETE /memories/by-key/{key}", engine.Changes.DeleteByKey,
			"Forget the entry that has a key, or erase it",
			op.Rights(func(r trilith.KeyedDelete) (string, trilith.Access) { return erasing(r.Erase) })),

		op.Write("add-entry", "POST /entries", (*engine.Engine).AddEntry, "Store a knowledge entry", op.Later),
		op.Read("get-entry", "GET /entries/{id}", (*engine.Engine).Entry, "One knowledge entry", memory),
		op.Read("similar-entries", "POST /entries/similar", (*engine.Engine).SimilarEntries,
			"The entries of a domain that are most like a text or an embedding",
			op.Columns("score", "memory.id", "memory.text")),

		op.Read("batch", "POST /batch", (*engine.Engine).Batch,
			"Run up to 1,000 operations one after the other, each with its own result or error, or all writes together. "+
				"Those that change something need the right writer",
			op.Large(op.Always[trilith.BatchRequest]), op.Rights(writing), op.Once),
	}
}

// writing is the right that the operations of a batch need.
func writing(r trilith.BatchRequest) (string, trilith.Access) {
	i := slices.IndexFunc(r.Operations, func(o trilith.Operation) bool { return o.Writes() })
	if i < 0 {
		return "", ""
	}
	return fmt.Sprintf("operations[%d]", i), trilith.AccessWriter
}

// erasing is the right that erasing needs.
func erasing(erase bool) (string, trilith.Access) {
	if erase {
		return "erase", trilith.AccessAdmin
	}
	return "", ""
}
