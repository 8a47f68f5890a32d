// Package lazyre has regular expressions that are compiled when they are first used. The rules have hundreds of them,
// and a command that derives no facts need not wait for any.
package lazyre

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression. Its methods are those of [regexp.Regexp], and panic if the expression is broken, so
// tests have to use each one.
type Regexp func() *regexp.Regexp

// New returns the regular expression of the syntax of package regexp.
func New(expression string) Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (re Regexp) MatchString(s string) bool                  { return re().MatchString(s) }
func (re Regexp) FindString(s string) string                 { return re().FindString(s) }
func (re Regexp) FindStringIndex(s string) []int             { return re().FindStringIndex(s) }
func (re Regexp) FindStringSubmatch(s string) []string       { return re().FindStringSubmatch(s) }
func (re Regexp) FindStringSubmatchIndex(s string) []int     { return re().FindStringSubmatchIndex(s) }
func (re Regexp) FindAllStringIndex(s string, n int) [][]int { return re().FindAllStringIndex(s, n) }
func (re Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return re().FindAllStringSubmatchIndex(s, n)
}
func (re Regexp) ReplaceAllString(s, by string) string { return re().ReplaceAllString(s, by) }
