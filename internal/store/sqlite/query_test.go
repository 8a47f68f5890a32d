package sqlite

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// SQLite plans a statement again, each time that it is run, whose LIMIT is a parameter and nothing else, or that holds
// a parameter against the condition of a partial index. Nothing but time tells, so the texts of the statements are
// looked at.
func TestStatementsStayPlanned(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	bare := regexp.MustCompile(`LIMIT \?\d*[^\d ]`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") && bare.Match(text) {
			t.Errorf("%s: a LIMIT is a parameter and nothing else; write LIMIT ? + 0", name)
		}
	}
	for _, kind := range trilith.Kinds() {
		var c conditions
		c.filter("acme", role.Listing{Filter: trilith.Where("kind", trilith.OpEq, kind)})
		if !slices.Equal(c.terms, []string{"kind = '" + string(kind) + "'"}) || len(c.args) != 0 {
			t.Errorf("kind %s is asked for as %q with %v, want it in the text", kind, c.terms, c.args)
		}
	}
	var c conditions
	c.filter("acme", role.Listing{Filter: trilith.Where("kind", trilith.OpEq, "fact' OR 1 = 1 --")})
	if !slices.Equal(c.terms, []string{"kind = ?"}) {
		t.Errorf("what is no kind is asked for as %q, want a parameter", c.terms)
	}
}

// SQLite prefers an index in the order of a listing to one that leaves few memories, and would go through the whole
// tenant.
func TestListingsGoByWhatLeavesFew(t *testing.T) {
	t.Parallel()
	for _, order := range []role.Order{role.OrderOldest, role.OrderRecorded} {
		for f, want := range map[string]string{"tags": "memories_by_id", "metadata.ticket": "memories_by_id",
			"title": "memories_by_id",
			"id":    "memories_by_id", "evidence": "memories_by_id", "entity_id": "memories_by_entity"} {
			op := trilith.OpEq
			if f == "tags" || f == "evidence" {
				op = trilith.OpContains
			}
			var c conditions
			c.filter("acme", role.Listing{
				Order: order, Filter: trilith.AllOf(
					trilith.Where(f, op, "x"), trilith.Where("state", trilith.OpEq, trilith.StateActive))})
			if c.index != " INDEXED BY "+want {
				t.Errorf("a listing in the order %q by %s goes by %q, want %s", order, f, c.index, want)
			}
		}
	}
}

// A session has few memories: a listing of one session reads only those, in any order, also if the scope names the
// session.
func TestListingsOfASession(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	for order, o := range sqlrows.Orders {
		for name, f := range map[string]trilith.Filter{
			"scope": {}, "filter": trilith.Where("session", trilith.OpEq, "monday"),
			"filter and state": trilith.AllOf(trilith.Where("state", trilith.OpEq, trilith.StateActive),
				trilith.Where("session", trilith.OpEq, "monday"))} {
			var c conditions
			c.add("tenant = ?", "acme")
			if name == "scope" {
				c.scope(trilith.Scope{Tenant: "acme", Session: "monday"})
			}
			c.filter("acme", role.Listing{Order: order, Filter: f})
			plan := planOf(t, s, c.index, strings.Join(c.terms, " AND "), o.By, c.args)
			if !strings.Contains(plan[0], "(tenant=? AND session=?") {
				t.Errorf("a listing of a session by its %s in the order %q: %q, want that it looks up the session",
					name, order, plan)
			}
		}
	}
}

// Texts of one person are read in the order of time by that person, and in the order of ids page by page without
// sorting them each time.
func TestListingsOfAUser(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	for order, o := range sqlrows.Orders {
		var c conditions
		c.add("tenant = ?", "acme")
		c.scope(trilith.Scope{Tenant: "acme", User: "ana"})
		c.filter("acme", role.Listing{
			Order: order, Filter: trilith.AllOf(trilith.Where("kind", trilith.OpEq, "episode"),
				trilith.Where("recorded_at", trilith.OpGte, "2026-01-01"))})
		plan := planOf(t, s, c.index, strings.Join(c.terms, " AND "), o.By, c.args)
		byTime := order == role.OrderOldest || order == role.OrderRecorded
		if found := strings.Contains(
			plan[0], "memories_by_user (tenant=? AND user=? AND recorded_at>?)"); found != byTime || found &&
			len(plan) > 1 {
			t.Errorf("a listing of a user in the order %q: %q; want the index of the user to be used: %t, and nothing sorted", order, plan, byTime)
		}
	}
}

// Memories of several sessions are read by the sessions, whatever the order.
func TestListingsOfSessions(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	var c conditions
	c.add("tenant = ?", "acme")
	c.filter("acme", role.Listing{Filter: trilith.Where("session", trilith.OpIn, []string{"talk", "chat"})})
	plan := planOf(t, s, c.index, strings.Join(c.terms, " AND "), sqlrows.Orders[role.OrderID].By, c.args)
	if !strings.Contains(plan[0], "memories_by_seq (tenant=? AND session=?)") {
		t.Errorf("plan = %q, want the index of sessions", plan)
	}
}

// Few facts wait for a reviewer: a listing by id reads those.
func TestListingsOfFewFacts(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	for _, c := range []struct {
		filter trilith.Filter
		index  string
	}{
		{trilith.Where("verification_status", trilith.OpEq, string(trilith.Disputed)), "facts_contested"},
		{trilith.Where("verification_status", trilith.OpIn, []string{string(trilith.Disputed), string(trilith.NeedsReview)}),
			"facts_contested"},
		{trilith.Where("verification_status", trilith.OpIn, []string{string(trilith.Disputed), string(trilith.Verified)}),
			"facts_by_id"},
		{trilith.Where("verification_status", trilith.OpNe, string(trilith.Disputed)), "facts_by_id"},
		{trilith.Where("user", trilith.OpIn, []string{"ana", "ben"}), "facts_by_user"},
		{trilith.Where("project", trilith.OpIn, []string{"house"}), "facts_by_project"},
		{trilith.Where("session", trilith.OpEq, "talk"), "facts_by_session"},
		{trilith.Where("session", trilith.OpIn, []string{"talk", "chat"}), "facts_by_session"},
		{trilith.Where("requires_action", trilith.OpEq, true), "facts_to_do"},
		{trilith.Where("action_deadline", trilith.OpLte, "2026-11-01T00:00:00Z"), "facts_due"},
		{trilith.Where("action_deadline", trilith.OpEq, nil), "facts_by_id"},
		{trilith.Where("requires_action", trilith.OpEq, false), "facts_by_id"},
		{trilith.Where("priority", trilith.OpIn, []string{"high", "critical"}), "facts_pressing"},
		{trilith.Where("priority", trilith.OpIn, []string{"high", "normal"}), "facts_by_id"},
		{trilith.Where("valid_until", trilith.OpLte, "2026-11-01T00:00:00Z"), "facts_ending"},
		{trilith.Where("valid_until", trilith.OpGt, "2026-11-01T00:00:00Z"), "facts_by_id"},
		{trilith.Where("financial_amount", trilith.OpNe, nil), "facts_of_money"},
		{trilith.Where("financial_amount", trilith.OpGte, 5000), "facts_of_money"},
		{trilith.Where("financial_amount", trilith.OpLt, 5000), "facts_by_id"},
		{trilith.Where("trust", trilith.OpNin, []string{"user_confirmed", "user_stated", "imported"}),
			"facts_of_low_trust"},
		{trilith.Where("trust", trilith.OpNin, []string{"user_confirmed", "user_stated"}), "facts_by_id"},
	} {
		var cond conditions
		cond.add("tenant = ?", "acme")
		cond.filter("acme", role.Listing{Filter: trilith.AllOf(trilith.Where("kind", trilith.OpEq, "fact"), c.filter)})
		plan := planOf(t, s, cond.index, strings.Join(cond.terms, " AND "), sqlrows.Orders[role.OrderID].By, cond.args)
		if !strings.Contains(plan[0], " "+c.index+" (") {
			t.Errorf("plan of %+v = %q, want the index %s", c.filter, plan, c.index)
		}
	}
}
