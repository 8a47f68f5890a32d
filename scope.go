package trilith

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxScopeValue is the longest scope value in bytes: every store can hold it in an indexed column.
const MaxScopeValue = 255

// SystemTenant holds trilith's own records (API keys, the generations, checkpoints of the appliers). No credential leads
// to it: names of tenants never begin with an underscore.
const SystemTenant = "_system"

// Scope says whose memory is meant. Tenant is the isolation boundary; it comes from the credential, never from a
// request body, and never appears in JSON. The other values narrow inside the tenant: an empty one does not restrict a
// read, one of white space alone is refused, and a memory has exactly the values that it was written with.
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

	// Change is the id under which what is committed can be undone; empty: it cannot. It restricts nothing and is not
	// stored with a memory.
	Change ID `json:"-"`

	// Fixed says what a caller may not speak as. It is not stored with a memory.
	Fixed Fixed `json:"-"`

	// System is the system that the caller may speak for: see [TellRequest]. It is not stored with a memory.
	System string `json:"-"`

	// Bound is the scope that the caller's key is bound to. It is not stored with a memory.
	Bound Bound `json:"-"`

	// Everyone says that a read sees what all users said: see [Scope.OfEveryone]. It is not stored with a memory.
	Everyone bool `json:"-"`
}

var tenantPattern = regexp.MustCompile(`^[A-Za-z0-9.-][A-Za-z0-9._-]{0,63}$`)

// ValidateTenant checks the name of a user's tenant: 1 to 64 of A-Z a-z 0-9 . _ - and no leading underscore.
func ValidateTenant(name string) error {
	if !tenantPattern.MatchString(name) {
		return Errorf(Invalid, "tenant: must be 1 to 64 characters of A-Z a-z 0-9 . _ - and not begin with _")
	}
	return nil
}

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

// CheckScopeValue refuses a value that a caller names in a scope and that names nothing, such as the empty one of an
// application that has lost its user: left out, a value restricts nothing, and the answer would be everybody's. Every
// edge asks it where it can still tell an empty value from one that was left out.
func CheckScopeValue(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return Errorf(Invalid, "%s: is blank; name one, or leave it out", name)
	}
	return nil
}

// ScopeField is one named value of a scope.
type ScopeField struct{ Name, Value string }

// OfEveryone returns the scope for a read of what a project is about: all that its users said in the project, and what
// is the user's own, wherever it was said. It is the scope itself without a project, and for a caller who is bound to a
// user.
func (s Scope) OfEveryone() Scope {
	s.Everyone = s.Project != "" && s.Bound.fill(Scope{}).User == ""
	return s
}

// Fields returns the narrowing values in a fixed order, empty ones included and the tenant left out. A user who does not
// narrow is empty.
func (s Scope) Fields() [6]ScopeField {
	if s.Everyone {
		s.User = ""
	}
	return [6]ScopeField{{"project", s.Project}, {"domain", s.Domain}, {"user", s.User},
		{"agent", s.Agent}, {"session", s.Session}, {"channel", s.Channel}}
}

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

// Bare returns the scope in its stored form: without the time zone, the actor, the change, the system, the caller's bound
// and what concerns reads.
func (s Scope) Bare() Scope {
	s.TimeZone, s.Actor, s.Change, s.System, s.Fixed, s.Bound, s.Everyone = "", "", "", "", Fixed{}, Bound{}, false
	return s
}

// System is the explicit permission to read across tenants. Background work holds one; a request never does.
// The zero value is not valid: [AsSystem] makes one.
type System struct{ purpose string }

// AsSystem makes a [System] for the named purpose, which drivers may put into their logs.
func AsSystem(purpose string) System { return System{purpose: purpose} }

// Validate refuses the zero value.
func (s System) Validate() error {
	if s.purpose == "" {
		return Errorf(Internal, "system scope without a purpose")
	}
	return nil
}
