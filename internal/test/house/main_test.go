// Package house holds the rules of the house: who may import whom, how wide a line and a type may be, what the pages
// name, and how much code there may be.
package house_test

import (
	"log"
	"os"
	"testing"
)

// TestMain lets the tests run in the root of the module, where the paths that they read begin.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		log.Fatal(err)
	}
	m.Run()
}
