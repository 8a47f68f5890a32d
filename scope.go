package trilith

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxScopeValue is the longest scope value in bytes: every store can hold it in an indexed column.
const MaxScopeValue = 255

// SystemTenant holds trilith's own records (API keys, the generations, checkpoints of the appliers). No credential leads
// to it: names of tenants never begin with an underscore.
const SystemTenant = "_system"

// Scope says whose memory is meant. Tenant is the isolation boundary; it comes from the credential, never from a
// request body, and never appears in JSON. The other values narrow inside the tenant: an empty one does not restrict
// a read, one of only white space is refused, and a memory has exactly the values that it was written with.
type Scope struct {
	Tenant  string `json:"-"`
	Project string `json:"project,omitempty" doc:"Project that the memory belongs to" maxLength:"255"`
	Domain  string `json:"domain,omitempty" doc:"Knowledge domain" maxLength:"255"`
	User    string `json:"user,omitempty" doc:"Person whose memory it is" maxLength:"255"`
	Agent   string `json:"agent,omitempty" doc:"Agent that wrote or reads" maxLength:"255"`
	Session string `json:"session,omitempty" doc:"Conversation or run" maxLength:"255"`
	Channel string `json:"channel,omitempty" doc:"Where it was said, for example chat or e-mail" maxLength:"255"`

	// TimeZone is where the caller's days are: those of words ("yesterday"), and of times without an offset. It restricts
	// nothing and is not stored with a memory.
	TimeZone string `json:"time_zone,omitempty" doc:"IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset" maxLength:"64"`

	// Actor names who acts, for the audit log. It restricts nothing and is not stored with a memory.
	Actor string `json:"-"`

	// Change is the id by which the commit can be undone; it cannot if the id is empty. It restricts nothing and is
	// not stored with a memory.
	Change ID `json:"-"`

	// Fixed lists the roles and speakers that a caller may not claim. It is not stored with a memory.
	Fixed Fixed `json:"-"`

	// System is the system that the caller may speak for: see [TellRequest]. It is not stored with a memory.
	System string `json:"-"`

	// Bound is the scope that the caller's key is bound to. It is not stored with a memory.
	Bound Bound `json:"-"`

	// Everyone says that a read sees what all users said: see [Scope.OfEveryone]. It is not stored with a memory.
	Everyone bool `json:"-"`
}

var tenantPattern = regexp.MustCompile(`^[A-Za-z0-9.-][A-Za-z0-9._-]{0,63}$`)

// Validate checks every value of the scope, and that it is within the caller's bound. The system tenant is accepted
// here; edges use [ValidateTenant].
func (s Scope) Validate() error {
	if s.Tenant != SystemTenant {
		if err := ValidateTenant(s.Tenant); err != nil {
			return err
		}
	}
	for _, f := range s.Fields() {
		switch {
		case len(f.Value) > MaxScopeValue:
			return Errorf(Invalid, "%s: is %d bytes long, at most %d are allowed", f.Name, len(f.Value), MaxScopeValue)
		case !utf8.ValidString(f.Value):
			return Errorf(Invalid, "%s: is not valid UTF-8", f.Name)
		case strings.ContainsRune(f.Value, 0):
			return Errorf(Invalid, "%s: contains a NUL character", f.Name)
		}
	}
	if _, err := ZoneOf(s.TimeZone); err != nil {
		return Errorf(Invalid, "time_zone: %s", MessageOf(err))
	}
	return s.Bound.check(s)
}

// ValidateTenant checks the name of a user's tenant: 1 to 64 of A-Z a-z 0-9 . _ - and no leading underscore.
func ValidateTenant(name string) error {
	if !tenantPattern.MatchString(name) {
		return Errorf(Invalid, "tenant: must be 1 to 64 characters of A-Z a-z 0-9 . _ - and not begin with _")
	}
	return nil
}

// OfEveryone returns the scope for a read about a whole project: everything that its users said in the project, and
// the user's own memories, wherever they were said. It is the scope itself without a project, and for a caller who is
// bound to a user.
func (s Scope) OfEveryone() Scope {
	s.Everyone = s.Project != "" && s.Bound.Fill(Scope{}).User == ""
	return s
}

// ScopeMembers are the members of a scope in a request: [ScopeNames], and the time zone.
var ScopeMembers = append(slices.Clip(ScopeNames), "time_zone")

// Part is where the value with one of the [ScopeMembers] is; nil for another name.
func (s *Scope) Part(name string) *string {
	parts := [...]*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel, &s.TimeZone}
	if i := slices.Index(ScopeMembers, name); i >= 0 {
		return parts[i]
	}
	return nil
}

// Covers reports whether s contains the scope m: the tenants are equal, and so is every value that s sets. The
// visibility of a fact depends on its owner, too: see [Scope.Sees].
func (s Scope) Covers(m Scope) bool {
	if s.Tenant == "" || s.Tenant != m.Tenant {
		return false
	}
	have := m.Fields()
	for i, f := range s.Fields() {
		if f.Value != "" && f.Value != have[i].Value {
			return false
		}
	}
	return true
}

// System is the explicit permission to read across tenants. Background work holds one; a request never does.
// The zero value is not valid: [AsSystem] makes one.
type System struct{ purpose string }

// Bare returns the scope in its stored form: without the time zone, the actor, the change, the system, the caller's bound
// and what concerns reads.
func (s Scope) Bare() Scope {
	s.TimeZone, s.Actor, s.Change, s.System, s.Fixed, s.Bound, s.Everyone = "", "", "", "", Fixed{}, Bound{}, false
	return s
}

// AsSystem makes a [System] for the named purpose, which drivers may put into their logs.
func AsSystem(purpose string) System { return System{purpose: purpose} }

// Validate refuses the zero value.
func (s System) Validate() error {
	if s.purpose == "" {
		return Errorf(Internal, "system scope without a purpose")
	}
	return nil
}

// ScopeNames are the names of the narrowing values of a scope, in the order of [Scope.Fields].
var ScopeNames = []string{"project", "domain", "user", "agent", "session", "channel"}

// CheckScopes checks the values of scopes in JSON for a value of type t, as [CheckScopeValue] does; null is none
// either. Decoded, such a value could not be told from one that was left out. It checks nothing else: a value that
// does not fit the type is left to the decoder.
func CheckScopes(data []byte, t reflect.Type) error { return checkScopes(data, t, "") }

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

func checkScopes(data []byte, t reflect.Type, at string) error {
	switch t.Kind() {
	case reflect.Pointer:
		return checkScopes(data, t.Elem(), at)
	case reflect.Slice:
		var items []json.RawMessage
		if t.Elem().Kind() == reflect.Uint8 || json.Unmarshal(data, &items) != nil {
			return nil
		}
		for i, item := range items {
			if err := checkScopes(item, t.Elem(), fmt.Sprintf("%s[%d].", strings.TrimSuffix(at, "."), i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if t == reflect.TypeFor[Scope]() && string(data) == "null" {
			return Errorf(Invalid, "%s: is null; name one, or leave it out", strings.TrimSuffix(at, "."))
		}
		var given map[string]json.RawMessage
		if reflect.PointerTo(t).Implements(unmarshalerType) || json.Unmarshal(data, &given) != nil {
			return nil
		}
		for f := range t.Fields() {
			if err := checkMember(data, given, f, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// ScopeField is one named value of a scope.
type ScopeField struct{ Name, Value string }

// Fields returns the narrowing values in a fixed order, empty ones included and the tenant left out. A user who does not
// narrow is empty.
func (s Scope) Fields() [6]ScopeField {
	if s.Everyone {
		s.User = ""
	}
	return [6]ScopeField{{"project", s.Project}, {"domain", s.Domain}, {"user", s.User},
		{"agent", s.Agent}, {"session", s.Session}, {"channel", s.Channel}}
}

// checkMember checks a member of an object that decodes into a field of its struct.
func checkMember(data []byte, given map[string]json.RawMessage, f reflect.StructField, at string) error {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	value, there := given[name]
	switch {
	case f.Anonymous && name == "":
		return checkScopes(data, f.Type, at)
	case !there:
		return nil
	case f.Type.Kind() == reflect.String && slices.Contains(ScopeMembers, name):
		return CheckScopeJSON(at+name, value)
	}
	return checkScopes(value, f.Type, at+name+".")
}

// CheckScopeJSON is [CheckScopeValue] for a value as JSON.
func CheckScopeJSON(name string, value []byte) error {
	if string(value) == "null" {
		return Errorf(Invalid, "%s: is null; name one, or leave it out", name)
	}
	var text string
	if json.Unmarshal(value, &text) != nil { // no text: the decoder's error names the type
		return nil
	}
	return CheckScopeValue(name, text)
}

// CheckScopeValue refuses a value that a caller names in a scope and that names nothing, such as the empty one of an
// application that has lost its user: left out, a value restricts nothing, and the answer would be everybody's. Every
// edge asks it where it can still tell an empty value from one that was left out.
func CheckScopeValue(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return Errorf(Invalid, "%s: is blank; name one, or leave it out", name)
	}
	return nil
}

// Access is the set of rights of a credential.
type Access string

// The rights, each including the one before.
const (
	AccessReader Access = "reader"
	AccessWriter Access = "writer"
	AccessAdmin  Access = "admin"
)

// Allows reports whether a holds the right want.
func (a Access) Allows(want Access) bool {
	rank := map[Access]int{AccessReader: 1, AccessWriter: 2, AccessAdmin: 3}
	return rank[want] > 0 && rank[a] >= rank[want]
}

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

// Identity is the sender of a request: the name for the audit, the tenant and the rights. With a scope it is bound to
// that scope: the caller sees and changes nothing outside it, and nothing that belongs to the whole tenant.
type Identity struct {
	Name   string
	Tenant string
	Access Access
	Scope  Scope // binds the key, and gives its time zone; the zero scope binds nothing
	// TimeZone is where the caller of one request says to be, for scopes that name none; it goes before that of the key.
	TimeZone string
	KeyID    ID     // of the key; empty without one
	System   string // that the key may speak for
}

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

// ID identifies a source, a memory, a record or a job inside its tenant: a UUID in canonical lower-case text.
// The order of ids is the byte order of that text on every store.
type ID string

// idNamespace is the one namespace of all derived ids. It must never change, because ids derived from it are stored.
var idNamespace = [16]byte{0x7c, 0x41, 0xca, 0x18, 0x9a, 0x1e, 0x4b, 0x0d, 0x8f, 0x63, 0x3d, 0x20, 0x5e,
	0x0b, 0x71, 0xa4}

// DeriveID returns the UUIDv5 of the parts. Every part is preceded by its length, so no two lists of parts share an id.
func DeriveID(parts ...string) ID {
	h := sha1.New()
	h.Write(idNamespace[:])
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var b [16]byte
	copy(b[:], h.Sum(nil))
	return formatUUID(b, 5)
}

// NewID returns a UUIDv7 for the time t: ids made later sort later, which keeps inserts at one end of a B-tree.
func NewID(t time.Time) ID {
	var b [16]byte
	rand.Read(b[6:]) // never fails since Go 1.24
	ms := uint64(t.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	return formatUUID(b, 7)
}

func formatUUID(b [16]byte, version byte) ID {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:36], b[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return ID(out[:])
}

// UnmarshalText is [IDOf].
func (id *ID) UnmarshalText(text []byte) error {
	*id = IDOf(string(text))
	return nil
}

// IDOf reads an id that a caller wrote: a UUID in capitals is the same in lower case, and anything else stays.
func IDOf(text string) ID {
	if id := ID(strings.ToLower(text)); id.Validate() == nil {
		return id
	}
	return ID(text)
}

// Validate checks that the id is a UUID in canonical lower-case text.
func (id ID) Validate() error {
	ok := len(id) == 36
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			ok = c == '-'
		} else {
			ok = '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		}
	}
	if !ok {
		return Errorf(Invalid, "id: %.64q is not a UUID in lower case", string(id))
	}
	return nil
}

// MaxObjectBytes bounds the data of an [Object], encoded as JSON.
const MaxObjectBytes = 2 * MaxTextBytes

// Object is a small record that a program stores next to its memories: a user, a thread, an agent. No search finds
// it and nothing is derived from it. Type and name identify it in the tenant.
type Object struct {
	Type string `json:"type"`
	Name string `json:"name"`
	// Scope is whose it is: an export of that scope holds it, and an erasure removes it.
	Scope     Scope          `json:"scope"`
	Data      map[string]any `json:"data,omitempty"` // without its secrets
	Version   int64          `json:"version"`        // 1 at first; raised by every put
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}
