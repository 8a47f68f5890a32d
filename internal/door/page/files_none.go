//go:build no_ui

package page

import "io/fs"

var files fs.FS // none: the program serves no page
