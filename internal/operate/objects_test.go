package operate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestObjects follows two threads of two people through their lives.
func TestObjects(t *testing.T) {
	t.Parallel()
	e, ctx := rig.OnNewFile(t).Engine, t.Context()
	all := trilith.Scope{Tenant: "acme"}
	of := func(user string) trilith.Scope { return trilith.Scope{Tenant: "acme", User: user} }
	put := func(s trilith.Scope, o trilith.Object, fresh bool, want trilith.ErrorKind) trilith.Object {
		t.Helper()
		got, err := e.PutObject(ctx, s, o, fresh)
		if err != nil && trilith.KindOf(err) != want || err == nil && want != 0 {
			t.Fatalf("PutObject(%+v) = %v, want an error of kind %s", o, err, want)
		}
		return got
	}
	thread := func(name, user string, data map[string]any) trilith.Object {
		return trilith.Object{Type: "thread", Name: name, Scope: trilith.Scope{User: user}, Data: data}
	}
	put(all, thread("t1", "ana", map[string]any{"token": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}), true, 0)
	put(all, thread("t2", "ben", nil), true, 0)
	put(all, trilith.Object{Type: "user", Name: "t1"}, true, 0)
	put(all, thread("t1", "ana", nil), true, trilith.Conflict)
	put(of("ben"), thread("t1", "ben", nil), false, trilith.Conflict)
	put(of("ben"), thread("t3", "ana", nil), false, trilith.Invalid)
	put(all, thread("", "ana", nil), false, trilith.Invalid)

	names := func(s trilith.Scope, kind string) []string {
		list, err := e.Objects(ctx, s, kind)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, o := range list {
			out = append(out, o.Name)
		}
		return out
	}
	for _, c := range []struct {
		s    trilith.Scope
		kind string
		want []string
	}{
		{all, "thread", []string{"t1", "t2"}}, {of("ana"), "thread", []string{"t1"}}, {all, "user", []string{"t1"}},
		{trilith.Scope{Tenant: "other"}, "thread", nil},
	} {
		if diff := cmp.Diff(c.want, names(c.s, c.kind)); diff != "" {
			t.Errorf("Objects(%+v, %s): %s", c.s, c.kind, diff)
		}
	}
	if _, err := e.Object(ctx, of("ben"), "thread", "t1"); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("Object of somebody else = %v, want not_found", err)
	}
	if o, err := e.Object(ctx, all, "thread", "t1"); err != nil || o.Data["token"] == nil ||
		o.Data["token"] == "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD" {
		t.Errorf("Object = %+v, %v; want its secret masked", o, err)
	}
	second := put(all, trilith.Object{Type: "thread", Name: "t2", Scope: trilith.Scope{User: "ben"}, Version: 1,
		Data: map[string]any{"title": "harbour"}}, false, 0)
	if second.Version != 2 {
		t.Errorf("version = %d, want 2", second.Version)
	}
	put(all, trilith.Object{Type: "thread", Name: "t2", Version: 1}, false, trilith.Conflict)

	var items []trilith.ExportItem
	for it, err := range e.Export(ctx, of("ben")) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	there := trilith.Scope{Tenant: "copy"}
	for range 2 { // a second time changes nothing
		if _, _, err := e.Restore(ctx, there, items); err != nil {
			t.Fatal(err)
		}
	}
	copied, err := e.Objects(ctx, there, "thread")
	if err != nil || len(copied) != 1 || copied[0].Data["title"] != "harbour" || copied[0].Scope.User != "ben" {
		t.Errorf("restored objects = %+v, %v; want the thread of ben", copied, err)
	}

	receipt, err := e.Erase(ctx, all, trilith.EraseRequest{Filter: trilith.Where("user", trilith.OpEq, "ana")})
	if err != nil || receipt.Objects != 1 {
		t.Errorf("Erase = %+v, %v; want one object gone", receipt, err)
	}
	if diff := cmp.Diff([]string{"t2"}, names(all, "thread")); diff != "" {
		t.Errorf("threads after the erasure: %s", diff)
	}
	if err := e.DeleteObject(ctx, all, "thread", "t2"); err != nil {
		t.Fatal(err)
	}
	if err := e.DeleteObject(ctx, all, "thread", "t2"); trilith.KindOf(err) != trilith.NotFound {
		t.Errorf("DeleteObject again = %v, want not_found", err)
	}
}
