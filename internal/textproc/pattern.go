package textproc

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns the regular expression. It is compiled on the first call: hundreds of them
// would make up most of the time that the program takes to start, and few commands need any.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
