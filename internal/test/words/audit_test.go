package words_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

func auditChain() []trilith.AuditEntry {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var prev trilith.AuditEntry
	var chain []trilith.AuditEntry
	for i, action := range []string{"remember", "update", "forget"} {
		e := trilith.AuditEntry{At: at.Add(time.Duration(i) * time.Second), Actor: "local", Action: action,
			Target: "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4",
			Detail: map[string]string{"memories": "1", "kind": "note"}}.Seal(prev)
		chain = append(chain, e)
		prev = e
	}
	return chain
}

func TestSealAndVerifyAudit(t *testing.T) {
	t.Parallel()
	chain := auditChain()
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, chain); err != nil {
		t.Errorf("VerifyAudit(an untouched chain) = %v", err)
	}
	if err := trilith.VerifyAudit(chain[0], chain[1:]); err != nil {
		t.Errorf("VerifyAudit(the rest, after its predecessor) = %v", err)
	}
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, nil); err != nil {
		t.Errorf("VerifyAudit(nothing) = %v", err)
	}
	if diff := cmp.Diff(chain, auditChain()); diff != "" {
		t.Errorf("Seal: two stores given equal entries differ (-first +second):\n%s", diff)
	}
}

// TestVerifyAuditFindsTampering: the chain breaks at any change of the log.
func TestVerifyAuditFindsTampering(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		tamper func([]trilith.AuditEntry) []trilith.AuditEntry
	}{
		{"another actor", func(es []trilith.AuditEntry) []trilith.AuditEntry { es[1].Actor = "somebody"; return es }},
		{"another time", func(es []trilith.AuditEntry) []trilith.AuditEntry {
			es[1].At = es[1].At.Add(time.Hour)
			return es
		}},
		{"another action", func(es []trilith.AuditEntry) []trilith.AuditEntry { es[2].Action = "remember"; return es }},
		{"another target", func(es []trilith.AuditEntry) []trilith.AuditEntry { es[0].Target = ""; return es }},
		{"another detail", func(es []trilith.AuditEntry) []trilith.AuditEntry {
			es[0].Detail["memories"] = "2"
			return es
		}},
		{"an entry taken out", func(es []trilith.AuditEntry) []trilith.AuditEntry { return append(es[:1:1], es[2]) }},
		{"the first taken out", func(es []trilith.AuditEntry) []trilith.AuditEntry { return es[1:] }},
		{"two exchanged", func(es []trilith.AuditEntry) []trilith.AuditEntry { es[0], es[1] = es[1], es[0]; return es }},
		{"one repeated", func(es []trilith.AuditEntry) []trilith.AuditEntry { return append(es, es[2]) }},
		{"one sealed anew without its successors", func(es []trilith.AuditEntry) []trilith.AuditEntry {
			es[1].Actor = "somebody"
			es[1] = es[1].Seal(es[0])
			return es
		}},
	} {
		if err := trilith.VerifyAudit(trilith.AuditEntry{},
			c.tamper(auditChain())); trilith.KindOf(err) != trilith.Internal ||
			err == nil {
			t.Errorf("VerifyAudit(%s) = %v, want an error", c.name, err)
		}
	}
}

func TestSealDoesNotShareTheDetail(t *testing.T) {
	t.Parallel()
	detail := map[string]string{"memories": "1"}
	sealed := trilith.AuditEntry{Action: "forget", Detail: detail}.Seal(trilith.AuditEntry{})
	detail["memories"] = "1000"
	if got := sealed.Detail["memories"]; got != "1" {
		t.Errorf("Seal shares its detail with the caller: memories = %q, want %q", got, "1")
	}
}
