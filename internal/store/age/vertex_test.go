package age_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// documented is the question of docs/operating-postgres.md, in one column.
const documented = `MATCH (e:Entity)-[a:ASSERTS]->(f:Fact) WHERE 'email:ana@example.com' IN e.identifiers AND a.state = 'active' RETURN e.name + ' ' + a.verb + ' ' + f.type + ' ' + f.name`

// TestVertices reads who and what the vertices are, by Cypher alone, through what happens to entities.
func TestVertices(t *testing.T) {
	t.Parallel()
	f := open(t)
	mail, phone := trilith.Identifier{Type: "email", Value: "ana@example.com"},
		trilith.Identifier{Type: "phone", Value: "+4930901820"}
	oslo, tea, ben := fact(acme, "ana", "lives_in", "Location", "Oslo"),
		fact(acme, "ana", "likes", "Thing", "tea: \"green\" <ä>"),
		fact(acme, "ana", "knows", "Person", "Ben", naming("ben"))
	f.commit(t, acme, role.Batch{Memories: []trilith.Memory{oslo, tea, ben},
		Records: []role.Record{entity(t, "ana", "Ana Brook", mail)}})
	const entities, facts = `MATCH (e:Entity) RETURN e`,
		`MATCH (f:Fact) RETURN f.fact_id + ' is ' + f.type + ' and ' + f.name`
	f.wantCypher(t, "after the first facts", documented, `"Ana Brook knows Person Ben"`,
		`"Ana Brook likes Thing tea: \"green\" <ä>"`, `"Ana Brook lives_in Location Oslo"`)
	f.wantCypher(t, "after the first facts", facts, `"Location:Oslo is Location and Oslo"`,
		`"Person:Ben is Person and Ben"`, `"Thing:tea: \"green\" <ä> is Thing and tea: \"green\" <ä>"`)
	f.wantCypher(t, "while nothing is known of Ben", `MATCH (f:Fact)-[:NAMES]->(e:Entity) RETURN e.name`, "")
	f.wantSound(t, "acme")

	records := func(rs ...role.Record) role.Batch { return role.Batch{Records: rs} }
	f.commit(t, acme, records(entity(t, "ben", "Ben Hill"), entity(t, "zoe", "Zoe"))) // of Zoe there is no fact
	f.wantCypher(t, "after Ben got a record", `MATCH (e:Entity) RETURN e.name`, `"Ana Brook"`, `"Ben Hill"`)
	f.commit(t, acme, records(entity(t, "ana", "Ana Stone", mail, phone)))
	f.wantCypher(t, "after Ana got another name and a phone",
		`MATCH (e:Entity)-[:ASSERTS {verb: 'lives_in'}]->(f:Fact {type: 'Location'}) RETURN [e.name, e.type, e.identifiers, f.name]`,
		`["Ana Stone", "person", ["email:ana@example.com", "phone:+4930901820"], "Oslo"]`)
	f.commit(t, acme, records(entity(t, "ana", "Ana Stone")))
	f.wantCypher(t, "after Ana's identifiers were taken away", documented)
	f.wantSound(t, "acme")
	f.commit(t, acme, role.Batch{Memories: []trilith.Memory{oslo},
		Delete: []role.Ref{{Kind: role.RecordEntity, ID: person("ana")},
			{Kind: role.RecordEntity, ID: person("zoe")}}})
	f.wantCypher(t, "after Ana's record was deleted", `MATCH (e:Entity) RETURN coalesce(e.name, 'nobody')`,
		`"Ben Hill"`, `"nobody"`)
	f.wantSound(t, "acme")
	f.commit(t, acme, role.Batch{Delete: []role.Ref{{ID: oslo.ID}, {ID: tea.ID}, {ID: ben.ID}}})
	f.wantCypher(t, "after all facts were erased", entities)
	f.wantSound(t, "acme")
}

// TestVerticesOfOddTexts wants what AGE cannot hold to be left out, and what no index holds to be reported in full.
func TestVerticesOfOddTexts(t *testing.T) {
	t.Parallel()
	f := open(t)
	long := strings.Repeat("lang ", 600)
	f.commit(t, acme, put(fact(acme, "ana", "likes", "Thing", "te\x00a"), fact(acme, "ana", "likes", "Text", long),
		fact(acme, "ana", "likes", "", "\\u0041 \u2028 $$ '")))
	f.wantCypher(t, "with a NUL", `MATCH (f:Fact {type: 'Thing'}) RETURN f.name`, `"tea"`)
	f.wantCypher(t, "with a long name", `MATCH (f:Fact {type: 'Text'}) RETURN size(f.name)`, "3000")
	f.wantSound(t, "acme")
	if _, err := f.Rebuild(t.Context(), "acme"); err != nil {
		t.Errorf("Rebuild = %v, want nil", err)
	}
	f.wantSound(t, "acme")
}
