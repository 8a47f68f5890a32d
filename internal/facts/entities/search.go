package entities

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// How well an entity matches the search text; a lower value is a better match.
const (
	matchesWhole = iota // a name equals the text
	matchesBegin        // a name begins with the text
	matchesWord         // a word of a name begins with the text
	matchesPart
	matchesNot
)

// rank is an entity's position in the results.
type rank struct {
	Match int        `json:"m"`
	Facts int        `json:"f,omitempty"`
	Heard time.Time  `json:"h,omitzero"`
	Name  string     `json:"n,omitempty"`
	ID    trilith.ID `json:"i"`
}

// SearchEntities searches entities by name. It reads the records of all entities of the tenant, so that it finds any
// part of a name.
func (es *Entities) SearchEntities(ctx context.Context, s trilith.Scope, q trilith.EntityQuery) (trilith.EntityList, error) {
	out := trilith.EntityList{Items: []trilith.FoundEntity{}}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err := cmp.Or(truth.CheckScope(s), err); err != nil {
		return out, err
	}
	q.Sort = cmp.Or(q.Sort, trilith.EntitiesByFacts)
	if !slices.Contains([]trilith.EntitySort{trilith.EntitiesByName, trilith.EntitiesByFacts, trilith.EntitiesByHeard},
		q.Sort) {
		return out, trilith.Errorf(trilith.Invalid, "sort: %.32q is not one of name, facts, heard", string(q.Sort))
	}
	var behind *rank
	if q.Cursor != "" {
		if err := truth.ReadCursor(q.Cursor, "this search", &behind); err != nil {
			return out, err
		}
	}
	tallies, err := es.tallies(ctx, s)
	if err != nil {
		return out, err
	}
	type found struct {
		trilith.FoundEntity
		at rank
	}
	whole := s.Bare() == (trilith.Scope{Tenant: s.Tenant}) || bound(s) // a bound caller is restricted anyway
	text := strings.ToLower(strings.Join(strings.Fields(q.Text), " "))
	var all []found
	for v, err := range es.after(ctx, s, "") {
		if err != nil {
			return out, err
		}
		match := matchOf(&v, text)
		t, known := tallies[v.ID]
		if v.MergedInto != "" || match == matchesNot || q.Type != "" && q.Type != v.Type || !known && !whole {
			continue
		}
		at := rank{Match: match, Facts: t.Facts, Heard: t.Heard, Name: strings.ToLower(v.Name), ID: v.ID}
		if behind == nil || compare(q.Sort, &at, behind) > 0 {
			all = append(all, found{trilith.FoundEntity{Entity: v, EntityTally: t}, at})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return compare(q.Sort, &a.at, &b.at) })
	var b truth.Bound
	for i := range all {
		if i == limit || !b.Holds(&all[i].FoundEntity) {
			out.NextCursor = truth.WriteCursor(all[i-1].at)
			return out, nil
		}
		out.Items = append(out.Items, all[i].FoundEntity)
	}
	return out, nil
}

// compare orders two results.
func compare(by trilith.EntitySort, a, b *rank) int {
	c := a.Match - b.Match
	switch by {
	case trilith.EntitiesByName:
		c = cmp.Or(c, strings.Compare(a.Name, b.Name))
	case trilith.EntitiesByFacts:
		c = cmp.Or(c, b.Facts-a.Facts)
	case trilith.EntitiesByHeard:
		c = cmp.Or(c, b.Heard.Compare(a.Heard))
	}
	return cmp.Or(c, cmp.Compare(a.ID, b.ID))
}

// matchOf returns how well an entity matches a text in lower case.
func matchOf(v *trilith.Entity, text string) int {
	best := matchesNot
	try := func(name string) {
		name = strings.ToLower(name)
		switch at := strings.Index(name, text); {
		case name == text || text == "":
			best = min(best, matchesWhole)
		case at == 0:
			best = min(best, matchesBegin)
		case strings.Contains(name, " "+text):
			best = min(best, matchesWord)
		case at > 0:
			best = min(best, matchesPart)
		}
	}
	try(v.Name)
	for _, alias := range v.Aliases {
		try(alias)
	}
	for _, id := range v.Identifiers {
		try(id.Value)
	}
	return best
}

// tallies counts the visible facts of each entity.
func (es *Entities) tallies(ctx context.Context, s trilith.Scope) (map[trilith.ID]trilith.EntityTally, error) {
	out := map[trilith.ID]trilith.EntityTally{}
	rows, err := truth.Tally(ctx, es.truth, s, trilith.Tally{By: []string{"entity_id"},
		Kinds:  []trilith.Kind{trilith.KindFact},
		States: []trilith.State{trilith.StateActive, trilith.StateSuperseded, trilith.StateExpired}, Unshared: true,
		At: es.truth.Now(), Last: true}, trilith.Filter{})
	for _, r := range rows {
		id := trilith.ID(r.Values[0])
		out[id] = trilith.EntityTally{ID: id, Facts: r.Active, Past: r.Count - r.Active, Heard: r.Last}
	}
	return out, err
}
