package provider

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Spec is a setting that names a driver, a model and parameters: SCHEME:MODEL?name=value&…
type Spec struct {
	Setting string // embedder, model or reranker: the field of errors
	Scheme  string
	Model   string // may hold colons and slashes
	params  url.Values
}

// Parse reads a setting. names are the parameters that the scheme knows; an unknown or repeated parameter is Invalid.
func Parse(setting, value string, names ...string) (Spec, error) {
	s := Spec{Setting: setting}
	rest, query, _ := strings.Cut(value, "?")
	s.Scheme, s.Model, _ = strings.Cut(rest, ":")
	var err error
	if s.params, err = url.ParseQuery(query); err != nil {
		return Spec{}, trilith.Errorf(trilith.Invalid, "%s: write parameters as ?name=value&name=value", setting)
	}
	for name, values := range s.params {
		switch {
		case !slices.Contains(names, name) && len(names) == 0:
			return Spec{}, trilith.Errorf(trilith.Invalid, "%s: %s takes no parameters", setting, s.Scheme)
		case !slices.Contains(names, name):
			return Spec{}, trilith.Errorf(trilith.Invalid, "%s: %s has no parameter %q; use %s", setting,
				s.Scheme, name, strings.Join(names, ", "))
		case len(values) > 1:
			return Spec{}, trilith.Errorf(trilith.Invalid, "%s: the parameter %s is given twice", setting, name)
		}
	}
	return s, nil
}

// Param returns a parameter; empty if it is not given.
func (s Spec) Param(name string) string { return s.params.Get(name) }

// Int returns a parameter as a whole number of at least 1; 0 if it is not given.
func (s Spec) Int(name string) (int, error) {
	v := s.params.Get(name)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, trilith.Errorf(trilith.Invalid, "%s: %s must be a whole number above 0", s.Setting, name)
	}
	return n, nil
}
