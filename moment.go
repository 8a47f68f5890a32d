package cairn

import "time"

// Moment is a point on the two axes of time: when something held in the world, and when we knew it. A zero time leaves its
// axis open.
type Moment struct {
	World time.Time // what held then
	Known time.Time // as it was known then: nothing that was stored later, and nothing that was found out later
}

// IsZero reports whether both axes are open.
func (t Moment) IsZero() bool { return t.World.IsZero() && t.Known.IsZero() }

// States are those in which memories are looked for at the moment: what has been replaced since held then, and what was
// rejected or forgotten since was still known.
func (t Moment) States() []State {
	switch {
	case !t.Known.IsZero():
		return []State{StateActive, StateSuperseded, StateExpired, StateRetracted}
	case !t.World.IsZero():
		return []State{StateActive, StateSuperseded, StateExpired}
	}
	return []State{StateActive}
}

// Holds reports whether the memory held and was known at the moment. An end that was not known yet counts for none.
func (t Moment) Holds(m *Memory) bool {
	foreseen := t.Known.IsZero() || m.SupersededAt == nil || !m.SupersededAt.After(t.Known)
	switch {
	case !t.Known.IsZero() && (m.RecordedAt.After(t.Known) || m.SupersededAt != nil && foreseen):
		return false
	case t.World.IsZero():
		return true
	}
	return !m.EventTime.After(t.World) && (m.ValidUntil == nil || m.ValidUntil.After(t.World) || !foreseen)
}

// Filter accepts what [Moment.Holds] accepts.
func (t Moment) Filter() Filter {
	var all []Filter
	ends := []Filter{Where("valid_until", OpEq, nil), Where("valid_until", OpGt, t.World)}
	if !t.Known.IsZero() {
		late := Where("superseded_at", OpGt, t.Known)
		all = append(all, Where("recorded_at", OpLte, t.Known), Filter{Or: []Filter{Where("superseded_at", OpEq, nil), late}})
		ends = append(ends, late)
	}
	if !t.World.IsZero() {
		all = append(all, Where("event_time", OpLte, t.World), Filter{Or: ends})
	}
	return AllOf(all...)
}
