package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestAnswersSayWhatWasMasked: every operation that takes texts or data reports which secrets it masked, and where in
// the request they were. A read reports nothing, and neither does a write without secrets.
func TestAnswersSayWhatWasMasked(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	check := func(what string, got trilith.Masking, n int, places ...string) {
		t.Helper()
		if diff := cmp.Diff(trilith.Masking{Masked: n, MaskedIn: places}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	note := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "see beside"}})
	update := trilith.UpdateRequest{Text: new("keys " + rig.AWSKey + " and 4111 1111 1111 1111"), RequestKey: "once",
		Metadata: &map[string]any{"api": map[string]any{"keys": []any{"a", rig.AWSKey}}, rig.AWSKey: 1.0},
		Tags:     &[]string{"a", rig.AWSKey}}
	for _, what := range []string{"first", "repeated"} {
		m, err := e.Update(t.Context(), rig.Ana, note.ID, update)
		must(err)
		check("Update, "+what, m.Masking, 5, "metadata", "metadata.api.keys[1]", "tags[1]", "text")
	}
	m, err := e.Get(t.Context(), rig.Ana, note.ID)
	must(err)
	check("Get", m.Masking, 0)
	m, err = e.Update(t.Context(), rig.Ana, note.ID, trilith.UpdateRequest{Tags: &[]string{"b"}})
	must(err)
	check("Update without a secret", m.Masking, 0)

	entry := trilith.EntryRequest{
		Entry: trilith.Entry{Title: "Slate " + rig.AWSKey, Content: "Lasts.",
			Structured: map[string]any{"vault": map[string]any{"password": "Sommer2024!"}}},
		Metadata: map[string]any{"token": rig.AWSKey}, ExternalID: "slate"}
	for _, what := range []string{"first", "repeated"} {
		added, err := e.AddEntry(t.Context(), rig.Ana, entry)
		must(err)
		check("AddEntry, "+what, added.Masking, added.Masked, "metadata.token", "structured.vault.password", "title")
	}

	who := trilith.Identifier{Type: "email", Value: "ben@example.org"}
	said, err := e.Assimilate(
		t.Context(), rig.Ana, trilith.AssimilateRequest{Identifier: who, Content: "I live in Oslo.", Timestamp: "2025-01-10",
			Extract: trilith.ExtractRules})
	must(err)
	v, err := e.UpdateEntity(t.Context(), rig.Ana, said.Entity.ID,
		trilith.EntityUpdate{SetAttributes: map[string]any{"api": map[string]any{"key": rig.AWSKey}}})
	must(err)
	check("UpdateEntity", v.Masking, 1, "set_attributes.api.key")
	v, err = e.Entity(t.Context(), rig.Ana, v.ID)
	must(err)
	check("Entity", v.Masking, 0)

	fact, err := e.VerifyFact(t.Context(), rig.Ana, said.Facts[0].ID,
		trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: "asked with " + rig.AWSKey})
	must(err)
	check("VerifyFact", fact.Masking, 1, "note")
	report, err := e.Decide(
		t.Context(), rig.Ana, trilith.BulkDecision{IDs: []trilith.ID{fact.ID}, Decision: trilith.DecideVerify,
			Note: "asked with " + rig.AWSKey})
	must(err)
	check("Decide", report.Masking, 1, "note")
	pair, err := e.SupersedeFact(t.Context(), rig.Ana, fact.ID,
		trilith.SupersedeRequest{Text: "I live in Bergen.", At: "2025-06-02", Note: rig.AWSKey})
	must(err)
	check("SupersedeFact", pair.Masking, 1, "note")
	_, err = e.SupersedeFact(t.Context(), rig.Ana, pair.By.ID,
		trilith.SupersedeRequest{Text: "Mmh, my key is " + rig.AWSKey + "."})
	rig.WantError(t, "SupersedeFact by words with a secret", err, trilith.Invalid, "contains a secret")

	receipt, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{note.ID},
		Reason: "leaked " + rig.AWSKey})
	must(err)
	check("Erase", receipt.Masking, 1, "reason")
	if strings.Contains(receipt.Reason, rig.AWSKey) {
		t.Errorf("Erase answers the reason %q", receipt.Reason)
	}
	if _, err := e.SplitEntity(
		t.Context(), rig.Ana, v.ID, trilith.SplitRequest{Identifiers: []trilith.Identifier{who},
			Name: rig.AWSKey}); trilith.KindOf(
		err) != trilith.Invalid || !strings.HasPrefix(trilith.MessageOf(err), "name: holds a key") {
		t.Errorf("SplitEntity under a secret = %v, want it refused for its name", err)
	}
	var all strings.Builder
	for it, err := range e.Export(t.Context(), rig.Ana) {
		must(err)
		body, err := json.Marshal(it)
		must(err)
		if it.Source == nil && strings.Contains(string(body), `"masked_in"`) {
			t.Errorf("an export holds what an answer says: %s", body)
		}
		all.Write(body)
	}
	log, err := e.Audit(t.Context(), rig.Ana, 0, 100)
	must(err)
	body, err := json.Marshal(log)
	must(err)
	if all.Write(body); strings.Contains(all.String(), rig.AWSKey) {
		t.Errorf("the export or the audit holds a secret: %s", all.String())
	}
}
