package entities

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/names"
	"github.com/trilith-memory/trilith/internal/role"
)

// schemes maps schemes of addresses, as in mailto:ana@example.com, to identifier types.
var schemes = map[string]string{"tel": "phone", "mailto": "email"}

// Has reports whether an identifier is an entity's.
func Has(v *trilith.Entity, id trilith.Identifier) bool { return handleOf(id).of(v) }

// handle is an identifier as it is stored, with its unique key in the tenant. A name is unique within its owner only.
// Case, spacing and spelling variants make no difference if people do not distinguish them.
type handle struct {
	trilith.Identifier
	key role.Key
}

// of reports whether a handle is an entity's.
func (h handle) of(v *trilith.Entity) bool {
	return slices.ContainsFunc(v.Identifiers, func(have trilith.Identifier) bool { return IdentifierKey(have) == h.key })
}

// Within returns an identifier as it is meant in a scope: a name belongs to the scope's owner.
func Within(s trilith.Scope, id trilith.Identifier) trilith.Identifier {
	if id.Type == "name" {
		id.Owner = s.Owner()
	}
	return id
}

// OwnerOf returns the owner of an entity that is created from an identifier: the user or project that it identifies, or
// the owner of the name, or the tenant.
func OwnerOf(id trilith.Identifier) trilith.Owner {
	switch id.Type {
	case "user_id":
		return trilith.UserOwner(id.Value)
	case "project":
		return trilith.ProjectOwner(id.Value)
	case "session":
		return trilith.SessionOwner(id.Value)
	}
	return id.Owner
}

// moved returns the claim that makes another entity the owner of an identifier.
func moved(id trilith.Identifier, to trilith.ID) role.Claim {
	return role.Claim{Key: IdentifierKey(id), Owner: to, Move: true}
}

// IdentifierKey returns the unique key of an identifier in its tenant.
func IdentifierKey(id trilith.Identifier) role.Key { return handleOf(id).key }

func handleOf(id trilith.Identifier) handle {
	id = written(id)
	value := strings.Join(strings.Fields(id.Value), " ")
	switch id.Type {
	case "email":
		value = names.Mail(value)
	case "name":
		value = strings.ToLower(value)
	case "phone":
		value = names.Phone(value)
	}
	return handle{id, ownedKey(id, value)}
}

// written returns an identifier as it is stored: as given, but without a scheme before the value.
func written(id trilith.Identifier) trilith.Identifier {
	if kind, ok := schemes[id.Type]; ok {
		id.Value = id.Type + ":" + names.Unschemed(id.Type+":", id.Value)
		id.Type = kind
	}
	switch id.Type {
	case "phone":
		id.Value = names.Unschemed("tel:", id.Value)
	case "email":
		if address := names.Unschemed("mailto:", id.Value); address != strings.TrimSpace(id.Value) {
			id.Value = names.Mail(id.Value)
		}
	}
	return id
}

// ownedKey returns the key of an identifier's value, within its owner if it has one.
func ownedKey(id trilith.Identifier, value string) role.Key {
	if id.Owner != "" {
		value += "\x00" + string(id.Owner)
	}
	return role.Key{Space: role.KeyIdentifier, Value: id.Type + "\x00" + value}
}
