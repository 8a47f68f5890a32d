package entities

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/names"
)

// schemes maps schemes of addresses, as in mailto:ana@example.com, to identifier types.
var schemes = map[string]string{"tel": "phone", "mailto": "email"}

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

// IdentifierKey returns the unique key of an identifier in its tenant. A name is unique within its owner only. Case,
// spacing and spelling variants make no difference if people do not distinguish them.
func IdentifierKey(id trilith.Identifier) trilith.Key {
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
	return ownedKey(id, value)
}

// ownedKey returns the key of an identifier's value, within its owner if it has one.
func ownedKey(id trilith.Identifier, value string) trilith.Key {
	if id.Owner != "" {
		value += "\x00" + string(id.Owner)
	}
	return trilith.Key{Space: trilith.KeyIdentifier, Value: id.Type + "\x00" + value}
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

// IdentifierKeys returns the keys under which an identifier of an entity may be claimed: its current key, and the key
// that earlier versions gave it, which told spelling variants apart.
func IdentifierKeys(id trilith.Identifier) []trilith.Key {
	keys := []trilith.Key{IdentifierKey(id)}
	if former := formerKey(id); former != keys[0] {
		keys = append(keys, former)
	}
	return keys
}

// formerKey returns the key that earlier versions gave to one spelling of an identifier.
func formerKey(id trilith.Identifier) trilith.Key {
	value := strings.Join(strings.Fields(id.Value), " ")
	switch id.Type {
	case "email", "name":
		value = strings.ToLower(value)
	case "phone":
		value = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" -()/.", r) {
				return -1
			}
			return r
		}, value)
	}
	return ownedKey(id, value)
}

// longestCode is the number of digits of the longest country code.
const longestCode = 3

// KeysOfAllSpellings returns the keys under which the owner of an identifier is found. The current key is the first;
// the others are those that earlier versions gave to the usual spellings.
func KeysOfAllSpellings(id trilith.Identifier) []trilith.Key {
	keys := IdentifierKeys(id)
	is := written(id)
	add := func(id trilith.Identifier) {
		if key := formerKey(id); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	switch is.Type {
	case "email":
		add(trilith.Identifier{Type: "email", Value: "mailto:" + names.Mail(is.Value)})
		add(trilith.Identifier{Type: "mailto", Value: names.Mail(is.Value)})
	case "phone":
		number := names.Phone(is.Value)
		numbers := []string{number}
		if digits, ok := strings.CutPrefix(number, "+"); ok {
			numbers = append(numbers, "00"+digits)
			for n := 1; n <= min(longestCode, len(digits)); n++ { // also with the (0) between country code and number
				numbers = append(numbers, "+"+digits[:n]+"0"+digits[n:], "00"+digits[:n]+"0"+digits[n:])
			}
		}
		for _, n := range numbers {
			for _, writing := range []trilith.Identifier{{Type: "phone", Value: n}, {Type: "phone", Value: "tel:" + n},
				{Type: "tel", Value: n}} {
				add(writing)
			}
		}
	}
	return keys
}

// moved returns the claims that make another entity the owner of an identifier.
func moved(id trilith.Identifier, to trilith.ID) (claims []trilith.Claim) {
	for _, key := range IdentifierKeys(id) {
		claims = append(claims, trilith.Claim{Key: key, Owner: to, Move: true})
	}
	return claims
}
