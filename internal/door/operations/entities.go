package operations

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/recall"
)

// entityRows are the operations on whom and what facts are about.
func entityRows() []*op.Op {
	return []*op.Op{
		op.Read("list-entities", "GET /graph/entities", (*entities.Entities).Entities,
			"List entities by ascending id, without those that were merged into others", op.Standby,
			op.Columns("id", "type", "name")),
		op.Read("search-entities", "GET /graph/entities?view=search", (*entities.Entities).SearchEntities,
			"Entities by what they are called, with the number of their facts", op.Standby,
			op.Columns("entity.id", "entity.type", "entity.name", "facts")),
		op.Read("get-entity", "GET /graph/entities/{id}", (*entities.Entities).Entity,
			"One entity", op.Doc("Id of the entity"), op.Standby),
		op.Write("update-entity", "PATCH /graph/entities/{id}", (*entities.Entities).UpdateEntity,
			"Change what an entity is called and known by; absent members stay as they are"),
		op.Write("merge-entities", "POST /graph/entities/{id}/merge", engine.Changes.MergeEntities,
			"Make another entity a part of this one, with its facts"),
		op.Write("split-entity", "POST /graph/entities/{id}/split", engine.Changes.SplitEntity,
			"Take a part of an entity out of it, or undo a merge", op.Columns("out.id", "out.name", "kept.id", "kept.name")),
		op.Read("entity-history", "GET /graph/entities/{id}?view=history", (*entities.Entities).EntityHistory,
			"What was changed of an entity, when and by whom, newest first", op.Standby),
		op.Read("entity-neighborhood", "GET /graph/entities/{id}?view=neighborhood", (*recall.Reader).Neighborhood,
			"Facts and entities around an entity", op.Standby),
		op.Read("entity-facts", "GET /graph/entities/{id}?view=facts", (*recall.Reader).FactsOf,
			"All facts of an entity, those that hold and those that do no longer, with their quotes", op.Standby,
			op.Large(op.Always[trilith.EntityFactsQuery])),
	}
}

// relationRows are the operations on what facts have to do with each other.
func relationRows() []*op.Op {
	return []*op.Op{
		op.Write("relate-facts", "POST /facts/{id}/relations", (*relations.Relations).Relate,
			"Say how a fact bears on another one of its owner", op.Columns("id", "type", "from", "to")),
		op.Read("fact-relations", "GET /facts/{id}?view=relations", (*relations.Relations).Of,
			"What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it",
			op.Named("Relations")),
		op.Write("unrelate-facts", "DELETE /facts/{id}/relations/{relation}", (*relations.Relations).Unrelate,
			"Take back a relation of a fact"),
	}
}
