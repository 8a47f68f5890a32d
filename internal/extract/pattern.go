package extract

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: a program that derives no facts need not wait
// for any of them. A broken one panics then, so tests have to use each.
type pattern func() *regexp.Regexp

func compiled(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (p pattern) MatchString(s string) bool            { return p().MatchString(s) }
func (p pattern) FindString(s string) string           { return p().FindString(s) }
func (p pattern) FindStringIndex(s string) []int       { return p().FindStringIndex(s) }
func (p pattern) FindStringSubmatch(s string) []string { return p().FindStringSubmatch(s) }
func (p pattern) ReplaceAllString(s, by string) string { return p().ReplaceAllString(s, by) }
