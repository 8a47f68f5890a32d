package rest_test

import (
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// The client's calls and the service agree about languages; they are the tenant's, and an admin chooses them.
func TestLanguages(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	as := func(tenant string, access trilith.Access) *client.Client {
		return client.New(srv.URL, client.WithKey(e.key(t, tenant, access)))
	}
	admin, reader, other := as("acme", trilith.AccessAdmin), as("acme", trilith.AccessReader),
		as("other", trilith.AccessAdmin)
	choose := func(codes ...string) trilith.LanguageChoice {
		return trilith.LanguageChoice{Languages: append([]string{}, codes...)}
	}
	if _, err := admin.UseLanguages(t.Context(), trilith.Scope{}, choose("es", "de")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		who  *client.Client
		want []string
	}{{reader, []string{"es", "de"}}, {other, []string{}}} {
		if got, err := c.who.Languages(t.Context(), trilith.Scope{}); err != nil || !slices.Equal(got.Languages, c.want) {
			t.Errorf("Languages = %q, %v, want %q", got, err, c.want)
		}
	}
	if _, err := admin.UseLanguages(t.Context(), trilith.Scope{}, choose("tlh")); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("UseLanguages of an unknown one = %v, want Invalid", err)
	}
	for _, access := range []trilith.Access{trilith.AccessReader, trilith.AccessWriter} {
		if _, err := as("acme", access).UseLanguages(t.Context(), trilith.Scope{}, choose()); trilith.KindOf(err) != trilith.Forbidden {
			t.Errorf("UseLanguages as %s = %v, want Forbidden", access, err)
		}
	}
	if _, err := admin.UseLanguages(t.Context(), trilith.Scope{}, choose()); err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Languages(t.Context(), trilith.Scope{}); err != nil || len(got.Languages) != 0 {
		t.Errorf("Languages after the choice was taken back = %q, %v, want none", got, err)
	}
}
