package age

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/trilith-memory/trilith"
)

// vertex holds the properties of a vertex. Unknown ones are absent.
type vertex struct {
	ID          string   `json:"id"`
	FactID      string   `json:"fact_id,omitempty"` // of a Fact
	Type        string   `json:"type,omitempty"`
	Name        string   `json:"name,omitempty"`
	Identifiers []string `json:"identifiers,omitempty"` // of an Entity, such as email:ana@example.com
}

// properties is the vertex in the notation of AGE, which is JSON. The members are in a fixed order, so vertices with
// the same properties have the same text.
func (v vertex) properties() (string, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// vertices are the affected vertices of a graph, by label and id.
type vertices map[string]map[string]vertex

// verticesOf returns the ends of the edges of facts. Known entities have their properties.
func verticesOf(facts []trilith.Memory, known []trilith.Entity) vertices {
	vs := vertices{}
	for _, l := range vertexLabels {
		vs[l] = make(map[string]vertex)
	}
	for _, m := range facts {
		for i, e := range edgesOf(m) {
			if e != nil {
				vs[edgeLabels[i].start][e.start] = vertex{ID: e.start}
				vs[edgeLabels[i].end][e.end] = vertex{ID: e.end}
			}
		}
		node := factVertex(m.Fact.FactID)
		vs["Fact"][node.ID] = node
	}
	for _, e := range known {
		if v := entityVertex(e); vs["Entity"][v.ID].ID != "" {
			vs["Entity"][v.ID] = v
		}
	}
	return vs
}

// factVertex is the vertex of a fact node. All of it follows from the node's id, so facts that share a vertex agree
// about it.
func factVertex(factID string) vertex {
	typ, name, _ := strings.Cut(factID, ":")
	return vertex{ID: called(factID), FactID: shown(factID), Type: shown(typ), Name: shown(name)}
}

// entityVertex is the vertex of an entity that is known.
func entityVertex(e trilith.Entity) vertex {
	v := vertex{ID: called(string(e.ID)), Type: shown(e.Type), Name: shown(e.Name)}
	for _, i := range e.Identifiers {
		v.Identifiers = append(v.Identifiers, shown(i.Type+":"+i.Value))
	}
	return v
}

// shown is a text without the characters that AGE cannot hold.
func shown(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// entitiesOf returns the entities that facts are about, and those that their nodes name.
func entitiesOf(facts []trilith.Memory) []trilith.ID {
	var ids []trilith.ID
	for _, m := range facts {
		ids = append(ids, m.Fact.EntityID)
		if ref := m.Fact.Node.EntityRef; ref != "" {
			ids = append(ids, ref)
		}
	}
	return ids
}
