package trilith

import "time"

// Moment is a point on the two axes of time: when something held in the world, and when we knew it. A zero time leaves
// its axis open.
type Moment struct {
	World time.Time // what held then
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
