package rest_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// vectors are facts of a person, as a repository of vectors stores them: a node with a type, and a verb.
type vectors struct {
	t  *testing.T
	to teller
}

func person(name string) trilith.Identifier { return trilith.Identifier{Type: "crm_id", Value: name} }

func (v vectors) add(who, verb, kind, name string) trilith.Memory {
	v.t.Helper()
	m, err := v.to.TellFact(v.t.Context(), trilith.Scope{}, trilith.TellRequest{Subject: new(person(who)), Verb: verb,
		ValueType: kind, Value: name})
	if err != nil {
		v.t.Fatalf("telling %s %s %s:%s: %v", who, verb, kind, name, err)
	}
	return m
}

// search returns the fact nodes that a lookup answers for a question, with a minimum of the score.
func (v vectors) search(who, question string, k int, least float64) (ids []string, hits []trilith.LookupHit) {
	v.t.Helper()
	got, err := v.to.Lookup(v.t.Context(), trilith.Scope{}, trilith.LookupRequest{Identifier: person(who),
		Query: question, TopK: k,
		MinScore: least, Debug: true})
	if trilith.Is(err, trilith.NotFound) {
		return nil, nil
	}
	if err != nil {
		v.t.Fatal(err)
	}
	for _, m := range got.Facts {
		ids = append(ids, m.Fact.FactID)
	}
	return ids, got.Debug.Hits
}

// remove forgets the facts with all of these members, and returns how many there were.
func (v vectors) remove(members ...string) int {
	v.t.Helper()
	var all []trilith.Filter
	for i := 0; i < len(members); i += 2 {
		all = append(all, trilith.Where(members[i], trilith.OpEq, members[i+1]))
	}
	got, err := v.to.Forget(v.t.Context(), trilith.Scope{}, trilith.ForgetRequest{Filter: trilith.AllOf(all...)})
	if err != nil {
		v.t.Fatal(err)
	}
	return len(got.IDs)
}

// TestToldVectors: what a repository of vectors promises the program that extracts facts and searches them by a person.
func TestToldVectors(t *testing.T) {
	t.Parallel()
	same := func(t *testing.T, got []string, want ...string) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	for name, test := range map[string]func(t *testing.T, a, b vectors){
		"add: a fact is there": func(t *testing.T, a, _ vectors) {
			if m := a.add("kim", "lives_in", "Location", "Paris"); m.State != trilith.StateActive ||
				m.Fact.FactID != "Location:Paris" {
				t.Errorf("told %+v", m)
			}
		},
		"add: twice is once": func(t *testing.T, a, _ vectors) {
			first, second := a.add("kim", "lives_in", "Location", "Paris"), a.add("kim", "lives_in", "Location", "Paris")
			ids, _ := a.search("kim", "Where does the person live?", 10, 0)
			if same(t, ids, "Location:Paris"); first.ID != second.ID || len(second.Fact.Evidence) != 1 {
				t.Errorf("told twice: %+v, then %+v", first, second)
			}
		},
		"add: what is stored": func(t *testing.T, a, _ vectors) {
			m := a.add("kim", "enjoys", "Hobby", "Hiking")
			if x := m.Fact; x.Verb != "enjoys" || x.EntityID == "" ||
				x.RelationshipKey != string(x.EntityID)+":enjoys:Hobby:Hiking" ||
				m.Text != "kim enjoys Hiking." {
				t.Errorf("told %q %+v", m.Text, m.Fact)
			}
		},
		"add: two verbs of one node are two": func(t *testing.T, a, _ vectors) {
			if a.add("kim", "enjoys", "Hobby", "Hiking").ID == a.add("kim", "teaches_others", "Hobby", "Hiking").ID {
				t.Error("two verbs have one fact")
			}
			ids, _ := a.search("kim", "Hiking", 10, 0)
			same(t, ids, "Hobby:Hiking", "Hobby:Hiking")
		},
		"add: several of a verb stay": func(t *testing.T, a, _ vectors) {
			a.add("kim", "enjoys", "Hobby", "Hiking")
			a.add("kim", "enjoys", "Hobby", "Photography")
			ids, _ := a.search("kim", "hobbies", 10, 0)
			same(t, ids, "Hobby:Hiking", "Hobby:Photography")
		},
		"add: one home replaces another": func(t *testing.T, a, _ vectors) {
			a.add("kim", "lives_in", "Location", "Paris")
			a.add("kim", "lives_in", "Location", "Oslo")
			ids, _ := a.search("kim", "Where does kim live?", 10, 0)
			same(t, ids, "Location:Oslo")
		},
		"search: the fact that answers comes first": func(t *testing.T, a, _ vectors) {
			a.three("kim")
			if ids, _ := a.search("kim", "Where does kim live, lives in?", 3, 0); len(ids) == 0 ||
				ids[0] != "Location:Paris" {
				t.Errorf("found %q", ids)
			}
		},
		"search: top k": func(t *testing.T, a, _ vectors) {
			a.three("kim")
			if ids, _ := a.search("kim", "kim", 2, 0); len(ids) != 2 {
				t.Errorf("found %q, want two", ids)
			}
		},
		"search: a minimum of the score": func(t *testing.T, a, _ vectors) {
			a.three("kim")
			ids, _ := a.search("kim", "zebra crossing", 10, 0.99)
			same(t, ids)
		},
		"search: by score": func(t *testing.T, a, _ vectors) {
			a.three("kim")
			_, hits := a.search("kim", "Hiking", 10, 0)
			if len(hits) == 0 || !slices.IsSortedFunc(hits, func(x,
				y trilith.LookupHit) int {
				return cmp.Compare(y.Score, x.Score)
			}) {
				t.Errorf("hits %+v", hits)
			}
		},
		"search: a hit has its anchor": func(t *testing.T, a, _ vectors) {
			m := a.add("kim", "enjoys", "Hobby", "Hiking")
			_, hits := a.search("kim", "Hiking", 10, 0)
			if len(hits) != 1 || !hits[0].Verified || hits[0].RelationshipKey != m.Fact.RelationshipKey ||
				hits[0].ID != m.ID {
				t.Errorf("hits %+v, want %s", hits, m.Fact.RelationshipKey)
			}
		},
		"search: nobody": func(t *testing.T, a, _ vectors) {
			ids, _ := a.search("nobody", "home", 10, 0)
			same(t, ids)
		},
		"search: another tenant finds nothing": func(t *testing.T, a, b vectors) {
			a.add("kim", "lives_in", "Location", "Paris")
			ids, _ := b.search("kim", "location", 10, 0)
			same(t, ids)
		},
		"delete: one fact": func(t *testing.T, a, _ vectors) {
			m := a.add("kim", "lives_in", "Location", "Paris")
			if n := a.remove("entity_id", string(m.Fact.EntityID), "verb", "lives_in", "fact_id",
				"Location:Paris"); n != 1 {
				t.Errorf("%d removed", n)
			}
			ids, _ := a.search("kim", "location", 10, 0)
			same(t, ids)
		},
		"delete: the others stay": func(t *testing.T, a, _ vectors) {
			m := a.three("kim")
			a.remove("entity_id", string(m.Fact.EntityID), "fact_id", "Location:Paris")
			ids, _ := a.search("kim", "kim", 10, 0)
			same(t, ids, "Hobby:Hiking", "Profession:Software Engineering")
		},
		"delete: one verb of a node": func(t *testing.T, a, _ vectors) {
			m := a.add("kim", "enjoys", "Hobby", "Hiking")
			a.add("kim", "teaches_others", "Hobby", "Hiking")
			if n := a.remove("entity_id", string(m.Fact.EntityID), "verb", "enjoys", "fact_id", "Hobby:Hiking"); n != 1 {
				t.Errorf("%d removed, want one of two", n)
			}
		},
		"delete: what is not there": func(t *testing.T, a, _ vectors) {
			m := a.add("kim", "lives_in", "Location", "Paris")
			if n := a.remove("entity_id", string(m.Fact.EntityID), "fact_id", "Location:Rome"); n != 0 {
				t.Errorf("%d removed", n)
			}
		},
		"delete all: of a person": func(t *testing.T, a, _ vectors) {
			m := a.three("kim")
			if n := a.remove("entity_id", string(m.Fact.EntityID)); n != 3 {
				t.Errorf("%d removed, want 3", n)
			}
		},
		"delete all: not of another": func(t *testing.T, a, _ vectors) {
			m := a.three("kim")
			a.three("lee")
			a.remove("entity_id", string(m.Fact.EntityID))
			ids, _ := a.search("lee", "lee", 10, 0)
			same(t, ids, "Hobby:Hiking", "Location:Paris", "Profession:Software Engineering")
		},
		"delete all: of nobody": func(t *testing.T, a, _ vectors) {
			if n := a.remove("entity_id", "0198c0de-0000-7000-8000-000000000000"); n != 0 {
				t.Errorf("%d removed", n)
			}
		},
		"tenants: each has its own": func(t *testing.T, a, b vectors) {
			a.add("kim", "lives_in", "Location", "Paris")
			b.add("kim", "lives_in", "Location", "Oslo")
			of, _ := a.search("kim", "home", 10, 0)
			same(t, of, "Location:Paris")
			of, _ = b.search("kim", "home", 10, 0)
			same(t, of, "Location:Oslo")
		},
		"tenants: none deletes another's": func(t *testing.T, a, b vectors) {
			m := a.add("kim", "lives_in", "Location", "Paris")
			if n := b.remove("entity_id", string(m.Fact.EntityID), "fact_id", "Location:Paris"); n != 0 {
				t.Errorf("%d removed", n)
			}
		},
		"tenants: none deletes all of another's": func(t *testing.T, a, b vectors) {
			m := a.three("kim")
			if n := b.remove("entity_id", string(m.Fact.EntityID)); n != 0 {
				t.Errorf("%d removed", n)
			}
			if _, err := b.to.Get(t.Context(), trilith.Scope{}, m.ID); trilith.KindOf(err) != trilith.NotFound {
				t.Errorf("another tenant's fact: %v, want not found", err)
			}
		},
		"persons: one fact of two": func(t *testing.T, a, _ vectors) {
			if a.add("kim", "enjoys", "Hobby", "Hiking").ID == a.add("lee", "enjoys", "Hobby", "Hiking").ID {
				t.Error("two persons share a fact")
			}
		},
		"persons: a search finds one's own": func(t *testing.T, a, _ vectors) {
			a.add("kim", "lives_in", "Location", "Paris")
			a.add("lee", "lives_in", "Location", "Oslo")
			ids, _ := a.search("lee", "Where does the person live?", 10, 0)
			same(t, ids, "Location:Oslo")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			through(t, func(t *testing.T, of tenants) { test(t, vectors{t, of.a}, vectors{t, of.b}) })
		})
	}
}

func (v vectors) three(who string) trilith.Memory {
	v.t.Helper()
	v.add(who, "works_with_title", "Profession", "Software Engineering")
	v.add(who, "enjoys", "Hobby", "Hiking")
	return v.add(who, "lives_in", "Location", "Paris")
}
