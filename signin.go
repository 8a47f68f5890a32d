package trilith

import "time"

// SignIn authenticates a browser without sending a key with every request. It ends with its key, or when it expires.
type SignIn struct {
	ID        ID        `json:"id"`
	KeyID     ID        `json:"key_id,omitempty"` // of the key; empty: of somebody who may open the store
	Tenant    string    `json:"tenant"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	Link      bool      `json:"link,omitempty"` // it was not used yet, and makes one sign-in that is no link
}

// How long a [SignIn] lasts.
const (
	SignInIdle     = 12 * time.Hour     // without a request
	SignInMost     = 7 * 24 * time.Hour // whatever happens
	SignInLinkLife = time.Minute        // of an unused link
)
