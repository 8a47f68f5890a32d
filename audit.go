package trilith

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
)

// Seal returns e as the entry after prev (the zero entry for the first): numbered, with the hash of its predecessor and
// its own hash. Two stores given equal entries compute equal chains.
func (e AuditEntry) Seal(prev AuditEntry) AuditEntry {
	e.Seq = prev.Seq + 1
	e.At = Time(e.At)
	e.Detail = maps.Clone(e.Detail)
	e.PrevHash = prev.Hash
	e.Hash = ""
	body, err := json.Marshal(e) // struct order and sorted map keys: canonical
	if err != nil {
		panic("trilith: an audit entry is always encodable: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte(prev.Hash+"\n"), body...))
	e.Hash = hex.EncodeToString(sum[:])
	return e
}

// VerifyAudit checks a run of entries that begins after prev: numbers without gaps and an unbroken chain.
func VerifyAudit(prev AuditEntry, entries []AuditEntry) error {
	for _, e := range entries {
		if want := e.Seal(prev); want.Seq != e.Seq || want.Hash != e.Hash || want.PrevHash != e.PrevHash {
			return Errorf(Internal, "audit: entry %d does not follow from entry %d", e.Seq, prev.Seq)
		}
		prev = e
	}
	return nil
}
