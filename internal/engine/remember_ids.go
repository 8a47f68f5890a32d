package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// forgottenKey returns the key under which a forgotten memory with the same words is claimed.
func (w *write) forgottenKey(d ingest.Draft) role.Key {
	m := d.Memory
	m.Scope = w.scope
	return truth.ForgottenKey(&m)
}

// saidKey identifies the turn of a draft. The same words about somebody else are another turn.
func (w *write) saidKey(d ingest.Draft) role.Key {
	value := w.forgottenKey(d).Value
	if w.extraction != nil && w.extraction.whose != "" {
		value += "\x00" + w.extraction.whose
	}
	return role.Key{Space: role.KeySaid, Value: value}
}

// requestHash distinguishes requests under one idempotency key. The time to wait is not part of it.
func (w *write) requestHash() string {
	if w.hash != "" {
		return w.hash
	}
	r := w.req
	r.Wait, r.RequestKey = "", ""
	body, err := json.Marshal(struct {
		Scope trilith.Scope           `json:"scope"`
		R     trilith.RememberRequest `json:"request"`
	}{w.scope, r})
	if err != nil {
		return "" // ingest.Read has encoded the metadata before
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// sourceID derives the id if the caller names its items, so that importing the same history elsewhere gives the same
// ids.
func (w *write) sourceID(drafts []ingest.Draft, requestHash string) trilith.ID {
	switch {
	case w.req.RequestKey != "":
		return trilith.DeriveID("source", w.scope.Tenant, "request", w.req.RequestKey)
	case !slices.ContainsFunc(drafts, func(d ingest.Draft) bool { return d.Memory.ExternalID == "" }):
		return trilith.DeriveID("source", w.scope.Tenant, "external", truth.ScopeText(w.scope),
			drafts[0].Memory.ExternalID, requestHash)
	}
	return trilith.NewID(w.e.truth.Now())
}

// passages returns the ids of the document's current passages, including those stored before.
func (w *write) passages() []trilith.ID {
	var ids []trilith.ID
	for _, d := range w.kept {
		ids = append(ids, w.derivedID(truth.ScopeText(w.scope), d))
	}
	return ids
}

// derivedID returns the id of a draft that the caller names by an external id or by the request's key, otherwise "".
// The same name always leads to the same memory, and to its tombstone once it was erased.
func (w *write) derivedID(scopeKey string, d ingest.Draft) trilith.ID {
	switch {
	case d.Memory.ExternalID != "":
		return trilith.DeriveID("memory", w.scope.Tenant, "external", scopeKey, d.Memory.ExternalID)
	case w.req.RequestKey != "":
		return trilith.DeriveID("memory", w.scope.Tenant, "request", w.req.RequestKey, strconv.Itoa(d.Index)+
			strings.Repeat(" inserted", inserted([]ingest.Draft{d})))
	}
	return ""
}

// inserted counts the drafts of inserts.
func inserted(drafts []ingest.Draft) (n int) {
	for i := range drafts {
		if drafts[i].Inserted {
			n++
		}
	}
	return n
}
