package main

import (
	"reflect"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/trilith-memory/trilith"
)

// homeMark matches a ~ that stands for a home folder: at the beginning of a path, which a scheme or a name may precede
// as in sqlite:~/x.db; and of a file that the parameters of an address name.
var homeMark = regexp.MustCompile(
	`(^(?:[A-Za-z0-9_.-]+=)?(?:[a-z0-9]+:)?|[?&](?:secret_file|sslcert|sslkey|sslrootcert|passfile|servicefile)=)~([^/\\&]*)`)

// settle completes the values that a command was given: those with the tag path, where ~ is a home folder. It checks
// limits, and the names of a scope.
func settle(kctx *kong.Context, home string) error {
	values := kctx.Selected().Positional
	for _, flag := range kctx.Flags() {
		values = append(values, flag.Value)
	}
	for _, v := range values {
		if err := settleValue(v, home); err != nil {
			return err
		}
		if v.Name == "limit" && v.Set && v.Target.Int() < 1 { // a request without one has 0
			return trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", v.Target.Int())
		}
	}
	for _, at := range kctx.Path {
		if at.Flag != nil && slices.Contains(trilith.ScopeNames, at.Flag.Name) {
			if err := trilith.CheckScopeValue(at.Flag.Name, at.Flag.Target.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

func settleValue(v *kong.Value, home string) error {
	if !v.Tag.Has("path") {
		return nil
	}
	texts := []reflect.Value{v.Target}
	if v.Target.Kind() == reflect.Slice {
		texts = texts[:0]
		for i := range v.Target.Len() {
			texts = append(texts, v.Target.Index(i))
		}
	}
	for _, text := range texts {
		opened, err := openHome(v.Name, text.String(), home)
		if err != nil {
			return err
		}
		text.SetString(opened)
	}
	return nil
}

// openHome replaces ~ in a setting by the home folder. A shell does that for some of a command's words, but not for
// settings, or for commands in the files of clients. Errors do not show the value, which may be secret.
func openHome(name, text, home string) (string, error) {
	at := homeMark.FindStringSubmatchIndex(text)
	switch {
	case at == nil:
		return text, nil
	case at[5] > at[4]:
		return "", trilith.Errorf(trilith.Invalid,
			"%s: ~ with a name behind it is not looked up; write the whole path, or ./~ for a file of that name", name)
	case home == "":
		return "", trilith.Errorf(trilith.Invalid, "%s: HOME is not set, so ~ is not known; write the whole path", name)
	}
	return text[:at[3]] + home + text[at[4]:], nil
}
