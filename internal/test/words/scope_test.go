package words_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
)

func TestValidateTenant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tenant string
		ok           bool
	}{
		{"one letter", "a", true},
		{"all allowed sorts", "Team-7.eu_west", true},
		{"64 bytes", strings.Repeat("x", 64), true},
		{"65 bytes", strings.Repeat("x", 65), false},
		{"empty", "", false},
		{"leading underscore, as the system's", "_system", false},
		{"Unicode letter", "café", false},
		{"space", "my team", false},
		{"slash", "a/b", false},
		{"line break at the end", "team\n", false},
		{"NUL", "team\x00", false},
	} {
		err := trilith.ValidateTenant(c.tenant)
		if (err == nil) != c.ok {
			t.Errorf("ValidateTenant(%s: %q) = %v, want ok %v", c.name, c.tenant, err, c.ok)
		}
		if err != nil && trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("ValidateTenant(%q) has kind %v, want %v", c.tenant, trilith.KindOf(err), trilith.Invalid)
		}
		if got := (trilith.Scope{Tenant: c.tenant}).Validate() == nil; got != (c.ok || c.tenant == trilith.SystemTenant) {
			t.Errorf("Scope{Tenant: %q}.Validate() ok = %v", c.tenant, got)
		}
	}
}

func TestScopeValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		ok          bool
	}{
		{"empty does not restrict", "", true},
		{"any Unicode", "Zoë 🪨 山", true},
		{"255 bytes", strings.Repeat("u", trilith.MaxScopeValue), true},
		{"256 bytes", strings.Repeat("u", trilith.MaxScopeValue+1), false},
		{"256 bytes in 128 letters", strings.Repeat("é", 128), false},
		{"invalid UTF-8", "a\xff", false},
		{"NUL", "a\x00b", false},
	} {
		for i, s := range []trilith.Scope{{Project: c.value}, {Domain: c.value}, {User: c.value}, {Agent: c.value},
			{Session: c.value}, {Channel: c.value}} {
			s.Tenant = "t"
			err := s.Validate()
			if (err == nil) != c.ok {
				t.Errorf("Validate() of %s = %s: %v, want ok %v", s.Fields()[i].Name, c.name, err, c.ok)
			}
			if err != nil && !strings.HasPrefix(trilith.MessageOf(err), s.Fields()[i].Name+": ") {
				t.Errorf("Validate() of %s = %s says %q, want the field named first", s.Fields()[i].Name, c.name,
					trilith.MessageOf(err))
			}
		}
	}
}

func TestScopeCovers(t *testing.T) {
	t.Parallel()
	ana := trilith.Scope{Tenant: "t", User: "ana", Session: "s1"}
	for _, c := range []struct {
		name  string
		scope trilith.Scope
		want  bool
	}{
		{"the tenant alone", trilith.Scope{Tenant: "t"}, true},
		{"one equal value", trilith.Scope{Tenant: "t", User: "ana"}, true},
		{"the same scope", ana, true},
		{"an actor restricts nothing", trilith.Scope{Tenant: "t", User: "ana", Actor: "key-7"}, true},
		{"another user", trilith.Scope{Tenant: "t", User: "ben"}, false},
		{"case counts", trilith.Scope{Tenant: "t", User: "Ana"}, false},
		{"a value the memory does not have", trilith.Scope{Tenant: "t", User: "ana", Project: "p"}, false},
		{"another tenant", trilith.Scope{Tenant: "u", User: "ana"}, false},
		{"no tenant", trilith.Scope{User: "ana"}, false},
	} {
		if got := c.scope.Covers(ana); got != c.want {
			t.Errorf("Covers(%s) = %v, want %v", c.name, got, c.want)
		}
	}
	if (trilith.Scope{}).Covers(trilith.Scope{}) {
		t.Error("Covers: an empty tenant covers an empty tenant, want nothing to be covered without one")
	}
}

// TestScopeNarrowing: setting one more value never shows more.
func TestScopeNarrowing(t *testing.T) {
	t.Parallel()
	value := rapid.SampledFrom([]string{"", "a", "b"})
	scope := rapid.Custom(func(t *rapid.T) trilith.Scope {
		return trilith.Scope{Tenant: "t", Project: value.Draw(t, "project"), Domain: value.Draw(t, "domain"),
			User:  value.Draw(t, "user"),
			Agent: value.Draw(t, "agent"), Session: value.Draw(t, "session"), Channel: value.Draw(t, "channel")}
	})
	rapid.Check(t, func(t *rapid.T) {
		wide, memory := scope.Draw(t, "wide"), scope.Draw(t, "memory")
		narrow := wide
		narrow.User = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "narrower user")
		if wide.User == "" && narrow.Covers(memory) && !wide.Covers(memory) {
			t.Fatalf("%+v covers %+v although the wider %+v does not", narrow, memory, wide)
		}
	})
}

func TestScopeJSONHidesTheTenant(t *testing.T) {
	t.Parallel()
	out, err := json.Marshal(trilith.Scope{Tenant: "t", User: "ana", Actor: "key-7"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), `{"user":"ana"}`; got != want {
		t.Errorf("Marshal(Scope) = %s, want %s", got, want)
	}
	var s trilith.Scope
	if err := json.Unmarshal([]byte(`{"tenant":"other","Tenant":"other","actor":"root","user":"ana"}`),
		&s); err != nil {
		t.Fatal(err)
	}
	if want := (trilith.Scope{User: "ana"}); s != want {
		t.Errorf("Unmarshal of a body that names a tenant = %+v, want %+v: the tenant comes from the credential", s,
			want)
	}
}

func TestSystemNeedsAPurpose(t *testing.T) {
	t.Parallel()
	if err := (trilith.System{}).Validate(); err == nil {
		t.Error("System{}.Validate() = nil, want an error: nobody reads across tenants by accident")
	}
	if err := trilith.AsSystem("index").Validate(); err != nil {
		t.Errorf("AsSystem(%q).Validate() = %v", "index", err)
	}
}
