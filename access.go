package trilith

import "time"

// Access is the set of rights of a credential.
type Access string

// Allows reports whether a holds the right want.
func (a Access) Allows(want Access) bool {
	rank := map[Access]int{AccessReader: 1, AccessWriter: 2, AccessAdmin: 3}
	return rank[want] > 0 && rank[a] >= rank[want]
}

// The rights, each including the one before.
const (
	AccessReader Access = "reader"
	AccessWriter Access = "writer"
	AccessAdmin  Access = "admin"
)

// APIKeyRequest asks for an API key.
type APIKeyRequest struct {
	Name   string `json:"name" doc:"Name of the user of the key; the audit shows it" minLength:"1" maxLength:"255"`
	Tenant string `json:"-"`
	Access Access `json:"access" doc:"What it may do; with a scope no more than writer" enum:"reader,writer,admin"`
	// Scope binds the key: see [Identity].
	Scope     Scope      `json:"scope,omitzero" doc:"Bind the key to these values: it reads and writes nothing else; a time zone is that of requests that name none"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When the key ends by itself; never if absent"`
	System    string     `json:"system,omitempty" doc:"The system that the key may speak for when it tells facts; none if absent" maxLength:"64"`
}

// APIKey describes a credential without its secret.
type APIKey struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Tenant    string     `json:"tenant"`
	Access    Access     `json:"access"`
	Scope     *Scope     `json:"scope,omitempty"` // that it is bound to; absent: the whole tenant
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // when it expires
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
	System    string     `json:"system,omitempty"` // that it may speak for: see [TellRequest]
}

// Ended reports whether the key was revoked or its time is over.
func (k *APIKey) Ended(now time.Time) bool {
	return k.RevokedAt != nil || k.ExpiresAt != nil && !k.ExpiresAt.After(now)
}

// Identity is the sender of a request: the name for the audit, the tenant and the rights. With a scope it is bound to
// that scope: the caller sees and changes nothing outside it, and nothing that belongs to the whole tenant.
type Identity struct {
	Name   string
	Tenant string
	Access Access
	Scope  Scope // what the key is bound to, and its time zone; the zero scope: nothing
	// TimeZone is where the caller of one request says to be, for scopes that name none; it goes before that of the key.
	TimeZone string
	KeyID    ID     // of the key; empty without one
	System   string // that the key may speak for
}
