package transfer

import (
	"iter"
	"strings"

	"github.com/trilith-memory/trilith"
)

// graphRecord is a line of the MCP reference memory server: an entity or a relation. The answer of its tool read_graph
// has lists of both.
type graphRecord struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	relation

	Entities  []graphRecord `json:"entities"`
	Relations []relation    `json:"relations"`
}

// readMCPMemory reads every observation as a note that names its entity, and every relation as a note. The file knows
// no ids and no times.
func readMCPMemory(in input) iter.Seq2[Item, error] {
	return gathered(in, func(g *gatherer, e element) bool {
		var r graphRecord
		ok, more := g.object(e, &r)
		return more && (!ok || g.graphRecord(e.line, &r))
	})
}

func (g *gatherer) graphRecord(line int, r *graphRecord) bool {
	switch {
	case r.Entities != nil || r.Relations != nil:
		for _, e := range r.Entities {
			if !g.entity(line, &e) {
				return false
			}
		}
		for _, rel := range r.Relations {
			if !g.relation(line, rel) {
				return false
			}
		}
		return true
	case r.Type == "entity":
		return g.entity(line, r)
	case r.Type == "relation":
		return g.relation(line, r.relation)
	}
	return g.bad(line, trilith.Errorf(trilith.Invalid, "type: %.32q is neither entity nor relation", r.Type))
}

// entity stores observations with the name in front: "likes tea" by itself names no person. An entity without
// observations is stored as its name.
func (g *gatherer) entity(line int, r *graphRecord) bool {
	if r.Name == "" {
		return g.bad(line, trilith.Errorf(trilith.Invalid, "an entity needs a name"))
	}
	about := metadata("entity", r.Name, "entity_type", r.EntityType)
	note := func(kind, content string) bool {
		return g.request(line, trilith.Scope{}, trilith.RememberRequest{Note: &trilith.Note{Type: kind, Content: content},
			ExternalID: contentID(kind, r.Name, content), Metadata: about})
	}
	if len(r.Observations) == 0 {
		content := r.Name
		if r.EntityType != "" {
			content += " (" + r.EntityType + ")"
		}
		return note(entityNote, content)
	}
	for _, o := range r.Observations {
		if strings.TrimSpace(o) != "" && !note(observationNote, r.Name+": "+o) {
			return false
		}
	}
	return true
}
