package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// TestReference tells what an agent of the protocol's own memory server does, with the texts that it reads.
func TestReference(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"reference"}, func(t *testing.T, _ *rig, p *peer) {
		rope := args{"name": "rope", "entityType": "tool", "observations": []string{"It is 30 m long."}}
		for _, c := range []struct {
			tool string
			args args
			text string
		}{
			{"read_graph", nil, `{"entities":[],"relations":[]}`},
			{"create_entities", args{"entities": []args{rope,
				{"name": "Ana", "entityType": "person", "observations": []string{}}}},
				`[{"name":"rope","entityType":"tool","observations":["It is 30 m long."]},{"name":"Ana","entityType":"person","observations":[]}]`},
			{"create_entities", args{"entities": []args{rope}}, `[]`},
			{"add_observations", args{"observations": []args{{"entityName": "Ana",
				"contents": []string{"She sails.", "She sails.", "She lives in Bergen."}}}},
				`[{"entityName":"Ana","addedObservations":["She sails.","She lives in Bergen."]}]`},
			{"add_observations", args{"observations": []args{}}, `[]`},
			{"create_relations", args{"relations": []args{{"from": "Ana", "to": "rope", "relationType": "owns"}}},
				`[{"from":"Ana","to":"rope","relationType":"owns"}]`},
			{"create_relations", args{"relations": []args{{"from": "Ana", "to": "rope", "relationType": "owns"}}}, `[]`},
			{"search_nodes", args{"query": "30 M"}, `{"entities":[{"name":"rope","entityType":"tool","observations":["It is 30 m long."]}],"relations":[{"from":"Ana","to":"rope","relationType":"owns"}]}`},
			{"search_nodes", args{"query": "In which city does Ana live?"}, `{"entities":[{"name":"Ana","entityType":"person","observations":["She sails.","She lives in Bergen."]}],"relations":[{"from":"Ana","to":"rope","relationType":"owns"}]}`},
			{"search_nodes", args{"query": "submarine"}, `{"entities":[],"relations":[]}`},
			{"delete_observations", args{"deletions": []args{{"entityName": "Ana", "observations": []string{"She sails.", "Never said."}},
				{"entityName": "nobody", "observations": []string{"x"}}}}, `Observations deleted successfully`},
			{"open_nodes", args{"names": []string{"Ana", "nobody"}}, `{"entities":[{"name":"Ana","entityType":"person","observations":["She lives in Bergen."]}],"relations":[{"from":"Ana","to":"rope","relationType":"owns"}]}`},
			{"delete_entities", args{"entityNames": []string{"rope", "nobody"}}, `Entities deleted successfully`},
			{"read_graph", nil, `{"entities":[{"name":"Ana","entityType":"person","observations":["She lives in Bergen."]}],"relations":[]}`},
			{"create_entities", args{"entities": []args{rope}}, `[{"name":"rope","entityType":"tool","observations":["It is 30 m long."]}]`},
			{"create_relations", args{"relations": []args{{"from": "rope", "to": "Ana", "relationType": "belongs to"}}},
				`[{"from":"rope","to":"Ana","relationType":"belongs to"}]`},
			{"delete_relations", args{"relations": []args{{"from": "rope", "to": "Ana", "relationType": "belongs to"}}},
				`Relations deleted successfully`},
			{"open_nodes", args{"names": []string{"rope"}}, `{"entities":[{"name":"rope","entityType":"tool","observations":["It is 30 m long."]}],"relations":[]}`},
		} {
			res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
			if err != nil || res.IsError {
				t.Fatalf("%s(%v) = %+v, %v", c.tool, c.args, res, err)
			}
			if diff := cmp.Diff(c.text, res.Content[0].(*mcp.TextContent).Text); diff != "" {
				t.Errorf("%s(%v) (-want +got):\n%s", c.tool, c.args, diff)
			}
		}
		p.fails(t, "add_observations", args{"observations": []args{
			{"entityName": "nobody", "contents": []string{"x"}}}}, trilith.NotFound, "entityName: ")
		p.fails(t, "create_entities", args{"entities": []args{
			{"name": " ", "entityType": "x", "observations": []string{}}}}, trilith.Invalid, "name: ")
	})
}

// TestReferenceAtOnce: agents that add observations to one entity at the same time lose none.
func TestReferenceAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.overPipes(t, local("reference"))
	if _, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_entities", Arguments: args{
		"entities": []args{{"name": "log", "entityType": "book", "observations": []string{}}}}}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	const writers = 8
	for i := range writers {
		go func() {
			_, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "add_observations", Arguments: args{
				"observations": []args{{"entityName": "log", "contents": []string{"Entry " + string(rune('a'+i))}}}}})
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_graph"})
	if err != nil {
		t.Fatal(err)
	}
	var graph struct {
		Entities []struct{ Observations []string }
	}
	if err := json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &graph); err != nil {
		t.Fatal(err)
	}
	if n := len(graph.Entities[0].Observations); n != writers {
		t.Errorf("%d observations, want %d", n, writers)
	}
}
