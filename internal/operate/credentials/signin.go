package credentials

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	signInRenewal = time.Hour // a sign-in is written again at most this often
	endedSignIns  = 100       // how many expired sign-ins a new one removes
)

// SignIns are the sign-ins of browsers. Its methods are safe for concurrent use.
type SignIns struct {
	truth *truth.Truth
	keys  *Keys
}

// NewSignIns returns the sign-ins that the truth holds, made with the keys.
func NewSignIns(t *truth.Truth, keys *Keys) *SignIns { return &SignIns{t, keys} }

// SignIn gives the holder of a key a token that is valid until the key or the sign-in ends. The store keeps the token's
// hash.
func (si *SignIns) SignIn(ctx context.Context, secret string) (token string, who trilith.Identity, err error) {
	k, err := si.keys.keyOf(ctx, secret)
	if err != nil {
		return "", trilith.Identity{}, err
	}
	token, err = si.makeSignIn(ctx, trilith.SignIn{KeyID: k.ID, Tenant: k.Tenant}, trilith.SignInIdle, nil)
	return token, identityOf(k), err
}

// UseSignInLink exchanges the token of a link, once.
func (si *SignIns) UseSignInLink(ctx context.Context, link string) (token string, who trilith.Identity, err error) {
	r, in, err := si.signIn(ctx, link)
	if err == nil && !in.Link {
		err = errNotSignedIn()
	}
	if err != nil {
		return "", trilith.Identity{}, err
	}
	token, err = si.makeSignIn(ctx, trilith.SignIn{Tenant: in.Tenant}, trilith.SignInIdle, &r)
	if trilith.KindOf(err) == trilith.Conflict { // somebody else has used it meanwhile
		err = errNotSignedIn()
	}
	return token, linked(in), err
}

// makeSignIn stores a sign-in, in the place of a link if there was one, and removes some expired ones.
func (si *SignIns) makeSignIn(ctx context.Context, in trilith.SignIn, life time.Duration, link *role.Record) (
	token string, err error) {
	now := si.truth.Now()
	in.ID, in.CreatedAt, in.ExpiresAt = trilith.NewID(now), now, now.Add(life)
	token = rand.Text() + rand.Text()
	detail := map[string]string{"tenant": in.Tenant}
	if in.KeyID != "" {
		detail["key"] = string(in.KeyID)
	}
	action := "session.open"
	if in.Link {
		action = "session.link"
	}
	b := role.Batch{Claims: []role.Claim{{Key: signInKey(token), Owner: in.ID}},
		Audit: si.truth.Audit(truth.SystemScope, action, in.ID, detail)}
	if err := b.Put(role.RecordSignIn, in.ID, in); err != nil {
		return "", err
	}
	if link != nil {
		b.Expect = []role.Expect{{Kind: role.RecordSignIn, ID: link.ID, Version: link.Version}}
		b.Delete = []role.Ref{{Kind: role.RecordSignIn, ID: link.ID}}
	}
	old, err := si.truth.ReadRecords(ctx, truth.SystemScope,
		role.RecordListing{Kind: role.RecordSignIn, Limit: endedSignIns})
	if err != nil {
		return "", err
	}
	for _, r := range old {
		was, err := truth.Decode[trilith.SignIn](r)
		if err == nil && was.ExpiresAt.Before(now) && (link == nil || r.ID != link.ID) {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordSignIn, ID: r.ID})
		}
	}
	_, err = si.truth.Commit(ctx, truth.SystemScope, b)
	return token, err
}

// SignedIn returns the identity that a token gives, and prolongs its life.
func (si *SignIns) SignedIn(ctx context.Context, token string) (trilith.Identity, error) {
	r, in, err := si.signIn(ctx, token)
	switch {
	case err != nil:
		return trilith.Identity{}, err
	case in.Link:
		return trilith.Identity{}, errNotSignedIn()
	}
	who := linked(in)
	if in.KeyID != "" {
		k, err := si.keys.keyRecord(ctx, in.KeyID)
		if trilith.KindOf(err) == trilith.Unauthenticated {
			err = errNotSignedIn()
		}
		if err != nil {
			return trilith.Identity{}, err
		}
		who = identityOf(k)
	}
	si.renew(ctx, r, in)
	return who, nil
}

// SignInLink returns a token that signs one browser in once, as the admin of a tenant, because everybody who may open
// the store could make a key as well.
func (si *SignIns) SignInLink(ctx context.Context, tenant string) (token string, err error) {
	if err := trilith.ValidateTenant(tenant); err != nil {
		return "", err
	}
	return si.makeSignIn(ctx, trilith.SignIn{Tenant: tenant, Link: true}, trilith.SignInLinkLife, nil)
}

// linked is the identity of a sign-in without a key.
func linked(in trilith.SignIn) trilith.Identity {
	return trilith.Identity{Name: "local", Tenant: in.Tenant, Access: trilith.AccessAdmin}
}

// renew extends a sign-in that is used. If that fails it ends earlier, which does no harm.
func (si *SignIns) renew(ctx context.Context, r role.Record, in trilith.SignIn) {
	now := si.truth.Now()
	until := now.Add(trilith.SignInIdle)
	if most := in.CreatedAt.Add(trilith.SignInMost); until.After(most) {
		until = most
	}
	if until.Sub(in.ExpiresAt) < signInRenewal {
		return
	}
	in.ExpiresAt = until
	var b role.Batch
	if b.Replace(role.RecordSignIn, r.ID, r.Version, in) == nil {
		_, _ = si.truth.Commit(ctx, truth.SystemScope, b)
	}
}

// SignOut signs the holder of a token out. An unknown token is no error.
func (si *SignIns) SignOut(ctx context.Context, token string) error {
	r, in, err := si.signIn(ctx, token)
	if trilith.KindOf(err) == trilith.Unauthenticated {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = si.truth.Commit(ctx, truth.SystemScope, role.Batch{
		Delete: []role.Ref{{Kind: role.RecordSignIn, ID: r.ID}},
		Audit:  si.truth.Audit(truth.SystemScope, "session.close", in.ID, map[string]string{"tenant": in.Tenant}),
	})
	return err
}

// signIn returns the sign-in of a token, unless it has expired.
func (si *SignIns) signIn(ctx context.Context, token string) (r role.Record, in trilith.SignIn, err error) {
	key := signInKey(token)
	owners, err := si.truth.Find(ctx, truth.SystemScope, []role.Key{key})
	if err != nil {
		return r, in, err
	}
	id, ok := owners[key]
	if !ok {
		return r, in, errNotSignedIn()
	}
	rs, err := si.truth.RecordsOf(ctx, truth.SystemScope, role.RecordSignIn, id)
	if err != nil {
		return r, in, err
	}
	if len(rs) == 0 {
		return r, in, errNotSignedIn()
	}
	in, err = truth.Decode[trilith.SignIn](rs[0])
	if err == nil && !si.truth.Now().Before(in.ExpiresAt) {
		err = errNotSignedIn()
	}
	return rs[0], in, err
}

func signInKey(token string) role.Key {
	sum := sha256.Sum256([]byte(token))
	return role.Key{Space: role.KeySignIn, Value: hex.EncodeToString(sum[:])}
}

// errNotSignedIn is the same for an unknown token, an expired one, and one whose key was revoked.
func errNotSignedIn() error {
	return trilith.Errorf(trilith.Unauthenticated, "this browser is not signed in, or no longer; sign in with a key")
}
