// Package house holds the rules of the house: which packages import which, how wide a line and a type may be, what the
// pages name, and how much code there may be.
package house_test

import "os"

// root is the folder of the module, seen from here.
const root = "../../.."

// house has the files of the module under their paths in it.
var house = os.DirFS(root)
