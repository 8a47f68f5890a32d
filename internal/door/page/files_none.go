//go:build no_ui

package webui

import "io/fs"

var files fs.FS // none: the program serves no page
