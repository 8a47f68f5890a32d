package wordfile_test

import (
	"fmt"
	"regexp"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

func Example() {
	const file = `# Birds of the pond.

bird: duck goose
  swan
call duck: quack|
  quaak
+ a duck: this is an example
`
	for key, value := range wordfile.Rows(file) {
		fmt.Println(key, "=", value)
	}
	// Output:
	// bird = duck goose swan
	// call duck = quack|quaak
}

func ExamplePatterns() {
	const file = `
part bird: duck|goose
words bird: {bird}
regexp egg: ^egg of an? (?:{bird})$
`
	patterns := wordfile.Patterns(file, regexp.MustCompile)
	fmt.Println(patterns["bird"].MatchString("Two birds: a Goose and a swan."), patterns["egg"])
	// Output: true ^egg of an? (?:duck|goose)$
}
