package trilith

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// timeLayouts are the forms of time that requests may use; those without an offset are on the caller's clock.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", "2006-01-02"}

// OptionalTime is [Time] of a time that may be missing.
func OptionalTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(Time(*t))
}

// MaxOffset is the widest offset from UTC that a time keeps, in minutes.
const MaxOffset = 18 * 60

var zones sync.Map // of *time.Location, by name; those that exist are a few hundred

// ZoneOf returns the time zone of an IANA name, or of an offset from UTC such as +05:30; of an empty name nil.
func ZoneOf(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	if at, err := time.Parse("-07:00", name); err == nil && name == at.Format("-07:00") {
		if _, seconds := at.Zone(); max(seconds, -seconds) <= MaxOffset*60 {
			return time.FixedZone("", seconds), nil
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, Errorf(Invalid, "%.70q is no time zone; write an IANA name such as Europe/Berlin, or an offset such as +05:30",
			name)
	}
	zones.Store(name, zone)
	return zone, nil
}

// CalendarDay is the day that the clock of t shows, as its beginning in UTC: days of different offsets are compared so.
func CalendarDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// OnClock puts the times at which a memory holds, ends and is due on a clock that is some minutes ahead of UTC, that of
// whoever told it; stores keep one offset a memory. A fact is changed in place.
func (m *Memory) OnClock(minutes int) {
	m.EventTime = AtOffset(m.EventTime, minutes)
	if m.ValidUntil != nil {
		m.ValidUntil = new(AtOffset(*m.ValidUntil, minutes))
	}
	if m.Fact != nil && m.Fact.ActionDeadline != nil {
		m.Fact.ActionDeadline = new(AtOffset(*m.Fact.ActionDeadline, minutes))
	}
}

// ParseTime reads a time as 2025-06-30, 2025-06-30T15:04 or RFC 3339, and keeps its offset. Without one it is UTC. Years run
// from 1 to 9999 in UTC.
func ParseTime(s string) (time.Time, error) { return ParseTimeIn(s, time.UTC) }

// ParseTimeIn is [ParseTime] for a caller in a zone: a time without an offset is one on their clock, and an instant in UTC
// ("Z") is shown on it.
func ParseTimeIn(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.ParseInLocation(layout, s, zone)
		if err != nil {
			continue
		}
		if y := t.UTC().Year(); y < 1 || y > 9999 {
			break
		}
		if t.Location() == time.UTC {
			t = t.In(zone)
		}
		return Local(t), nil
	}
	return time.Time{}, Errorf(Invalid, "%s is not a time; write 2025-06-30 or 2025-06-30T15:04:05Z",
		fmt.Sprintf("%.40q", s))
}

// Local is an instant as stores keep it together with the offset from UTC of whoever told it, in whole minutes,
// so that its calendar day is theirs. An offset that is not of whole minutes, or over [MaxOffset], is left out.
func Local(t time.Time) time.Time { return AtOffset(t, OffsetOf(t)) }

// AtOffset is the instant t, truncated as by [Time], on a clock that is some minutes ahead of UTC; in UTC if that clock
// shows a year that JSON cannot write.
func AtOffset(t time.Time, minutes int) time.Time {
	t = Time(t)
	there := t.In(time.FixedZone("", minutes*60))
	if y := there.Year(); minutes == 0 || y < 1 || y > 9999 {
		return t
	}
	return there
}

// Time is an instant as stores keep it: in UTC, truncated to microseconds, the coarsest precision of a supported store.
func Time(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// OffsetOf returns the minutes by which the clock of t is ahead of UTC, as [Local] keeps them.
func OffsetOf(t time.Time) int {
	_, seconds := t.Zone()
	if seconds%60 != 0 || seconds > MaxOffset*60 || seconds < -MaxOffset*60 {
		return 0
	}
	return seconds / 60
}

// Moment is a point on the two axes of time: when something held in the world, and when we knew it. A zero time leaves
// its axis open.
type Moment struct {
	World time.Time // the facts that held then
	Known time.Time // as known then, without anything stored or found out later
}

// IsZero reports whether both axes are open.
func (t Moment) IsZero() bool { return t.World.IsZero() && t.Known.IsZero() }

// States returns the states of memories that may have held at that time: a memory that was replaced since held then,
// and one that was rejected or forgotten since was still known.
func (t Moment) States() []State {
	switch {
	case !t.Known.IsZero():
		return []State{StateActive, StateSuperseded, StateExpired, StateRetracted}
	case !t.World.IsZero():
		return []State{StateActive, StateSuperseded, StateExpired}
	}
	return []State{StateActive}
}

// Holds reports whether the memory held and was known at the moment. An end that was not known yet does not count; a
// memory known to be rejected or forgotten held at no time.
func (t Moment) Holds(m *Memory) bool {
	unknown := !t.Known.IsZero() && m.SupersededAt != nil && m.SupersededAt.After(t.Known) // its end
	switch {
	case !t.Known.IsZero() && m.RecordedAt.After(t.Known):
		return false
	case t.World.IsZero():
		return t.Known.IsZero() || m.SupersededAt == nil || unknown
	case m.EventTime.After(t.World):
		return false
	case unknown:
		return true
	}
	return (t.Known.IsZero() || m.State != StateRetracted) && (m.ValidUntil == nil || m.ValidUntil.After(t.World))
}

// Filter accepts the memories that [Moment.Holds] accepts.
func (t Moment) Filter() Filter {
	var all []Filter
	unknown := Where("superseded_at", OpGt, t.Known)
	if !t.Known.IsZero() {
		all = append(all, Where("recorded_at", OpLte, t.Known))
	}
	lasts := Filter{Or: []Filter{Where("valid_until", OpEq, nil), Where("valid_until", OpGt, t.World)}}
	switch {
	case t.World.IsZero() && !t.Known.IsZero():
		all = append(all, Filter{Or: []Filter{Where("superseded_at", OpEq, nil), unknown}})
	case !t.World.IsZero() && t.Known.IsZero():
		all = append(all, Where("event_time", OpLte, t.World), lasts)
	case !t.World.IsZero():
		all = append(all, Where("event_time", OpLte, t.World),
			Filter{Or: []Filter{unknown, AllOf(Where("state", OpNe, StateRetracted), lasts)}})
	}
	return AllOf(all...)
}

// Bound holds the values of a scope that a caller is bound to by its key: those of [Scope.Fields], in order; empty ones
// are open. A scope with a Bound is refused if it differs from one of the values, so that no operation can see more
// than the key. The zero value binds to nothing.
type Bound [6]string

// Owner is the owner of people's statements about themselves if only the bound values of a scope are known.
func (b Bound) Owner() Owner {
	s := b.Fill(Scope{})
	return s.Owner()
}

// Widest returns the widest scope that the caller of this one may name.
func (s Scope) Widest() Scope {
	return s.Bound.Fill(Scope{Tenant: s.Tenant, Actor: s.Actor, Change: s.Change, Fixed: s.Fixed, Bound: s.Bound})
}

// check returns Forbidden for a scope outside its bound.
func (b Bound) check(s Scope) error {
	for i, f := range s.Fields() {
		switch {
		case b[i] == "" || b[i] == f.Value:
		case f.Value == "":
			return Errorf(Forbidden, "%s: the key is bound to one, and this operation works on more", f.Name)
		default:
			return Errorf(Forbidden, "%s: the key is bound to another; leave %s out", f.Name, f.Name)
		}
	}
	return nil
}

// Within returns a scope that a caller names under the tenant of its credential. Bound values are filled in. A user or
// a project that they leave open is a value like any other: see [Scope.Within]. A time zone of the credential is that of
// scopes that name none.
func (id Identity) Within(s Scope) Scope {
	s.Tenant, s.Actor, s.System = id.Tenant, id.Name, id.System
	s.Bound = id.Scope.asBound()
	if s.Bound != (Bound{}) {
		s.Fixed = Fixed{NotAsUser: id.Scope.User == "", NotAsProject: id.Scope.Project == ""}
	}
	s.TimeZone = cmp.Or(s.TimeZone, id.TimeZone, id.Scope.TimeZone)
	return s.Bound.Fill(s)
}

// asBound converts the scope to a bound.
func (s Scope) asBound() (b Bound) {
	for i, f := range s.Fields() {
		b[i] = f.Value
	}
	return b
}

// Fill sets the values that the scope leaves open.
func (b Bound) Fill(s Scope) Scope {
	for i, to := range []*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel} {
		if *to == "" {
			*to = b[i]
		}
	}
	return s
}

// Bytes estimates the stored size of a memory without encoding it: its text, its metadata and the quotes of a fact.
func (m *Memory) Bytes() int {
	n := len(m.Text) + bytesIn(m.Metadata)
	if m.Entry != nil {
		n += len(m.Entry.Content) + bytesIn(m.Entry.Structured)
	}
	if m.Summary != nil {
		for _, id := range m.Summary.Sources {
			n += len(id)
		}
	}
	if m.Fact != nil {
		for i := range m.Fact.Evidence {
			n += len(m.Fact.Evidence[i].Quote)
		}
	}
	return n
}

// bytesIn counts the strings of a JSON value; other values count as many bytes as a number in memory.
func bytesIn(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		n = len(v)
	case []any:
		for _, x := range v {
			n += bytesIn(x)
		}
	case map[string]any:
		for k, x := range v {
			n += len(k) + bytesIn(x)
		}
	case nil:
	default:
		n = 8
	}
	return n
}

// escapeLen is the length of an escape such as \u00e5.
const escapeLen = 6

// CheckJSON returns an error for JSON whose strings, including member names, are not valid text: invalid UTF-8, and
// escapes such as \ud800 that are half of a character. A decoder would silently replace either, and the stored text
// would differ from the input. It does not otherwise check that data is JSON.
func CheckJSON(data []byte) error {
	if !utf8.Valid(data) {
		return Errorf(Invalid, "is not valid UTF-8")
	}
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 || at+1 == len(data) {
			return nil
		}
		if data = data[at:]; data[1] != 'u' {
			data = data[2:]
			continue
		}
		r, ok := escaped(data)
		if !ok { // no JSON
			data = data[2:]
			continue
		}
		data = data[escapeLen:]
		if !utf16.IsSurrogate(r) {
			continue
		}
		low, ok := escaped(data)
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return Errorf(Invalid, `holds \u%04x, which is half of a character; write both halves, or leave it out`, r)
		}
		data = data[escapeLen:]
	}
}

// escaped reads the escape that data begins with.
func escaped(data []byte) (r rune, ok bool) {
	if len(data) < escapeLen || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	for _, c := range data[2:escapeLen] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
