package truth

import (
	"encoding/json"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func SessionID(s trilith.Scope) trilith.ID {
	return trilith.DeriveID("session", s.Tenant, ScopeText(s))
}

// ScopeText encodes the stored form of a scope as a unique text, for keys and hashes.
func ScopeText(s trilith.Scope) string {
	var parts [6]string
	for i, f := range s.Bare().Fields() {
		parts[i] = f.Value
	}
	body, err := json.Marshal(parts)
	if err != nil {
		return "" // strings always encode
	}
	return string(body)
}

// ExternalKey returns the key of a caller's own id, which is unique in its scope.
func ExternalKey(scopeKey, external string) role.Key {
	return role.Key{Space: role.KeyExternal, Value: scopeKey + "\x00" + external}
}

func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
