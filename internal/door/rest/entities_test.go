package rest_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// Through the client and the wire: change, merge, look around, look back, split.
func TestEntities(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	c, all := client.New(srv.URL), trilith.Scope{}
	assimilate := func(who trilith.Identifier, text string) trilith.ID {
		res, err := c.Assimilate(
			t.Context(), all, trilith.AssimilateRequest{Identifier: who, Content: text, Timestamp: "2025-01-01"})
		if err != nil {
			t.Fatal(err)
		}
		return res.Entity.ID
	}
	mail, name := trilith.Identifier{Type: "email", Value: "ana@example.com"},
		trilith.Identifier{Type: "name", Value: "Anna Berg"}
	ana, anna := assimilate(mail, "I love sailing."), assimilate(name, "I live in Oslo.")
	assimilate(trilith.Identifier{Type: "name", Value: "Ben Holm"}, "My wife is Anna Berg.")

	v, err := c.UpdateEntity(
		t.Context(), all, ana, trilith.EntityUpdate{Name: new("Ana Berg"), SetAttributes: map[string]any{"team": "roof"}})
	if err != nil || v.Name != "Ana Berg" || v.Attributes["team"] != "roof" {
		t.Fatalf("UpdateEntity = %+v, %v", v, err)
	}
	_, err = c.UpdateEntity(t.Context(), all, ana, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{name}})
	if err == nil || trilith.KindOf(err) != trilith.Conflict || !strings.Contains(trilith.MessageOf(err), "merge") {
		t.Errorf("UpdateEntity with another's identifier = %v, want conflict and the way out", err)
	}
	if v, err = c.MergeEntities(t.Context(), all, ana, trilith.MergeRequest{From: anna}); err != nil ||
		!slices.Equal(v.Identifiers, []trilith.Identifier{mail, name}) {
		t.Fatalf("MergeEntities = %+v, %v", v, err)
	}
	if gone, err := c.Entity(t.Context(), all, anna); err != nil || gone.MergedInto != ana {
		t.Errorf("Entity of the merged one = %+v, %v", gone, err)
	}
	around, err := c.Neighborhood(t.Context(), all, anna, trilith.NeighborhoodQuery{Hops: 1})
	if diff := cmp.Diff([]string{"has_wife Person:Anna Berg", "likes Preference:sailing", "lives_in Location:Oslo"},
		nodes(around.Facts)); err != nil || diff != "" || around.Entity.ID != ana {
		t.Errorf("Neighborhood = %+v, %v; facts (-want +got):\n%s", around.Entity, err, diff)
	}
	h, err := c.EntityHistory(t.Context(), all, ana, trilith.EntityHistoryQuery{Limit: 1})
	if err != nil || len(h.Items) != 1 || h.Items[0].Action != trilith.EntityMerged || h.Items[0].Other != anna ||
		h.NextCursor == "" {
		t.Errorf("EntityHistory = %+v, %v; want the merge, and more", h, err)
	}
	res, err := c.SplitEntity(t.Context(), all, ana, trilith.SplitRequest{Merged: anna})
	if err != nil || res.Out.ID != anna || !slices.Equal(res.Kept.Identifiers, []trilith.Identifier{mail}) {
		t.Errorf("SplitEntity = %+v, %v", res, err)
	}
	if got := e.do("GET", "/api/v1/graph/entities/"+string(anna)+"?view=neighborhood", ""); got.status != 200 ||
		!strings.Contains(got.body, `"Ben Holm"`) {
		t.Errorf("GET neighborhood = %d %s, want Ben in it", got.status, got.body)
	}
}
