package truth

import (
	"encoding/json"
	"time"

	"github.com/cairn-memory/cairn"
)

// ScopeText encodes a scope as a unique text, for keys and hashes.
func ScopeText(s cairn.Scope) string {
	var parts [6]string
	for i, f := range s.Fields() {
		parts[i] = f.Value
	}
	body, err := json.Marshal(parts)
	if err != nil {
		return "" // strings always encode
	}
	return string(body)
}

func SessionID(s cairn.Scope) cairn.ID { return cairn.DeriveID("session", s.Tenant, ScopeText(s)) }

// ExternalKey returns the key of a caller's own id, which is unique in its scope.
func ExternalKey(scopeKey, external string) cairn.Key {
	return cairn.Key{Space: cairn.KeyExternal, Value: scopeKey + "\x00" + external}
}

func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
