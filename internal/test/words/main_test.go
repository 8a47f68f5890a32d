// Package words holds the tests of the root package, which are those of its callers: none of them sees what is unexported.
package words_test
