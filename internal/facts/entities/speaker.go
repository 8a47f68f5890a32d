package entities

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	// speakerFresh bounds how late it is noticed that another process stored the words of a second speaker. Writes of
	// this process are noticed at once.
	speakerFresh = 10 * time.Second
	maxSpeakers  = 10_000 // users whose speaker is kept
	maxSpellings = 4      // of one name, such as Kim and kim
)

// speakers keeps the only speaker of users, by tenant and user: finding out reads all of their turns.
type speakers struct {
	mu      sync.Mutex
	of      map[trilith.Scope]speaker
	changes int // writes that may have added or removed a speaker
}

type speaker struct {
	name string // empty: none, or several
	at   time.Time
}

// Meant is [Resolver.Visible], which also knows that a user is who speaks in their scope: the user id leads to the
// speaker, and the name to the user, if only that one has an entity.
func (es *Entities) Meant(ctx context.Context, s trilith.Scope, id trilith.Identifier) (Party, error) {
	r := es.Resolver(s, nil)
	p, missing := r.Visible(ctx, id)
	if trilith.KindOf(missing) != trilith.NotFound || id.Type != "name" && id.Type != "user_id" {
		return p, missing
	}
	user := s.User
	if id.Type == "user_id" {
		user = id.Value
	}
	name, err := es.onlySpeaker(ctx, s, user)
	switch {
	case err != nil || name == "":
		return Party{}, cmp.Or(err, missing)
	case id.Type == "user_id":
		id = trilith.Identifier{Type: "name", Value: name, Owner: trilith.UserOwner(user)}
	case names.Parse(name).Equal(names.Parse(id.Value)):
		id = trilith.Identifier{Type: "user_id", Value: user}
	default:
		return Party{}, missing
	}
	if p, err = r.Visible(ctx, id); trilith.KindOf(err) == trilith.NotFound {
		err = missing
	}
	return p, err
}

// Same returns the other entity that is one person with an entity: a user and the name under which they speak are one
// if all turns of the user have this speaker. Nothing is merged in the store: the answer holds for one reading, and it
// changes as soon as a second person speaks in the user's scope. ok is false if there is none.
func (es *Entities) Same(ctx context.Context, s trilith.Scope, v *trilith.Entity) (
	other trilith.Entity, owner trilith.Owner, ok bool, err error) {
	user, is := userOf(v)
	if user == "" {
		return other, "", false, nil
	}
	name, err := es.onlySpeaker(ctx, s, user)
	if err != nil || name == "" || SameName(v, name) == is {
		return other, "", false, err
	}
	owner = trilith.UserOwner(user)
	id := trilith.Identifier{Type: "user_id", Value: user}
	if is {
		id = trilith.Identifier{Type: "name", Value: name, Owner: owner}
	}
	p, known, err := es.Resolver(s, nil).Known(ctx, id)
	another, isUser := userOf(&p.Entity)
	ok = known && p.ID != v.ID && p.Type == "person" && another == user && isUser != is
	return p.Entity, owner, ok, err
}

// userOf returns the user that a person is or, if is is false, in whose scope the person is spoken of; empty for a
// person with several user ids, and for one of no user.
func userOf(v *trilith.Entity) (user string, is bool) {
	for _, id := range v.Identifiers {
		if id.Type != "user_id" {
			continue
		}
		if is {
			return "", false
		}
		user, is = id.Value, true
	}
	if !is && v.Type == "person" {
		user, _ = strings.CutPrefix(string(v.Owner), string(trilith.UserOwner("")))
		if user == string(v.Owner) {
			user = ""
		}
	}
	return user, is
}

// onlySpeaker returns the name that all turns of a user have for their speaker; empty if there is none.
func (es *Entities) onlySpeaker(ctx context.Context, s trilith.Scope, user string) (string, error) {
	if user == "" {
		return "", nil
	}
	within, c := trilith.Scope{Tenant: s.Tenant, User: user}, &es.speakers
	c.mu.Lock()
	known, before := c.of[within], c.changes
	c.mu.Unlock()
	now := es.truth.Now()
	if now.Sub(known.at) < speakerFresh {
		return known.name, nil
	}
	name, err := es.readSpeaker(ctx, within)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) >= maxSpeakers {
		clear(c.of)
	}
	if err == nil && c.changes == before {
		c.of[within] = speaker{name, now}
	}
	return name, err
}

// readSpeaker asks for one turn by another speaker than those it knows, until there is none. A turn without a speaker
// is the user's: a name that speaks as well is another person's.
func (es *Entities) readSpeaker(ctx context.Context, within trilith.Scope) (string, error) {
	filter := trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), truth.Unshared,
		trilith.Where("role", trilith.OpEq, trilith.RoleUser))
	var spelt []string
	for len(spelt) < maxSpellings {
		list := role.Listing{Filter: filter, Limit: 1}
		if len(spelt) > 0 {
			list.Filter = trilith.AllOf(filter, trilith.Where("speaker", trilith.OpNin, spelt))
		}
		more, name := false, ""
		for m, err := range es.truth.Store.List(ctx, within, list) {
			if err != nil {
				return "", err
			}
			more, name = true, m.Speaker
		}
		switch {
		case !more && len(spelt) > 0:
			return spelt[0], nil
		case name == "" || len(spelt) > 0 && !names.Parse(name).Equal(names.Parse(spelt[0])):
			return "", nil
		}
		spelt = append(spelt, name)
	}
	return "", nil
}

// committed forgets the speakers that a batch may have changed.
func (c *speakers) committed(tenant string, b *role.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range b.Memories {
		m := &b.Memories[i]
		within := trilith.Scope{Tenant: tenant, User: m.Scope.User}
		if m.Kind == trilith.KindEpisode && m.Role == trilith.RoleUser && c.of[within].name != m.Speaker {
			c.changes++
			delete(c.of, within)
		}
	}
	if len(b.Delete) > 0 {
		c.changes++
		clear(c.of)
	}
}

// Named returns the persons whom the owner of a scope calls by any of some names, each once, in no order.
func (es *Entities) Named(ctx context.Context, s trilith.Scope, called []string) ([]trilith.Entity, error) {
	keys := make([]role.Key, len(called))
	for i, name := range called {
		keys[i] = IdentifierKey(trilith.Identifier{Type: "name", Value: name, Owner: s.Owner()})
	}
	found, err := es.truth.Store.Find(ctx, truth.TenantOf(s), keys)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	vs, err := es.Resolver(s, nil).answering(ctx, slices.Collect(maps.Values(found)))
	return slices.DeleteFunc(vs, func(v trilith.Entity) bool { return v.Type != "person" }), err
}
