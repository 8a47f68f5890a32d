package postgres

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// Texts are divided into groups: those of one group have equal groupFields, the fields that nearly every search filters
// by. So whether such a search may see a text is decided once for the group, and no row of the text is read. Sessions
// are not among the fields: there are many, with few texts each.

// groupColumns are the columns of trilith.text_groups that distinguish groups, groupFields the fields of a filter that
// they contain.
var (
	groupColumns = []string{"project", "domain", "user_id", "agent", "channel", "kind", "state", "role", "owner"}
	groupFields  = []string{"project", "domain", "user", "agent", "channel", "kind", "state", "role", "owner"}
)

// textGroup identifies a group by its values, as stored, in the order of groupColumns.
type textGroup [9]string

func groupOf(f *trilith.Facets) textGroup {
	s := &f.Scope
	return textGroup{text(s.Project), text(s.Domain), text(s.User), text(s.Agent), text(s.Channel),
		text(string(f.Kind)), text(string(f.State)), text(string(f.Role)), text(string(f.Owner()))}
}

// key returns a short name of the group, unique in a tenant.
func (g textGroup) key() string {
	var b []byte
	for _, v := range g {
		b = packed.AppendText(b, v)
	}
	sum := sha256.Sum256(b)
	return string(sum[:])
}

// values returns the values of groupColumns.
func (g textGroup) values() []any {
	out := make([]any, len(g))
	for i, v := range g {
		out[i] = v
	}
	return out
}

var insertGroup = "INSERT INTO trilith.text_groups (tenant, grp, key, " + strings.Join(groupColumns, ", ") +
	") VALUES (" + placeholders(0, 3+len(groupColumns)) + ")"

// dropGroups deletes groups without texts: values of erased people must not stay.
func dropGroups(b *pgx.Batch, tenant string, groups []int32) {
	if len(groups) > 0 {
		b.Queue(`DELETE FROM trilith.text_groups AS g WHERE g.tenant = $1 AND g.grp = ANY($2)
			AND NOT EXISTS (SELECT FROM trilith.texts AS t WHERE t.tenant = $1 AND t.grp = g.grp)`, tenant, groups)
	}
}

// ofGroups returns the conditions of f on the fields of groups, which all hold whenever f holds; whole says that f has
// no others.
func ofGroups(f trilith.Filter) (conditions trilith.Filter, whole bool) {
	if f.And == nil {
		if onGroups(f) {
			return f, true
		}
		return trilith.Filter{}, false
	}
	whole = true
	var all []trilith.Filter
	for _, g := range f.And {
		part, ok := ofGroups(g)
		whole = whole && ok
		all = append(all, part)
	}
	return trilith.AllOf(all...), whole
}

// onGroups reports whether f can be decided from the fields of groups, in SQL.
func onGroups(f trilith.Filter) bool {
	switch {
	case f.IsZero():
		return true
	case f.Not != nil:
		return onGroups(*f.Not)
	case f.Field != "":
		return slices.Contains(groupFields, f.Field)
	}
	return !slices.ContainsFunc(slices.Concat(f.And, f.Or), func(g trilith.Filter) bool { return !onGroups(g) })
}
