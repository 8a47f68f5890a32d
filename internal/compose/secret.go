package compose

import (
	"net/url"
	"regexp"
)

// secret matches the password of an address anywhere in a text.
var secret = regexp.MustCompile(`(://[^/?#@\s"':]*:)[^?#\s"']*@|([?&](?:ssl)?password=)[^&\s"']*`)

// HoldsSecret reports whether an address has a password in it, or is not one in which it could be found.
func HoldsSecret(address string) bool {
	_, err := url.Parse(address)
	return err != nil || Masked(address) != address
}

// Masked returns a text for display: without the passwords of addresses in it.
func Masked(text string) string {
	return secret.ReplaceAllStringFunc(text, func(found string) string {
		at := secret.FindStringSubmatch(found)
		if at[2] != "" {
			return at[2] + "xxxxx"
		}
		return at[1] + "xxxxx@"
	})
}
