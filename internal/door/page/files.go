//go:build !no_ui

package webui

import (
	"embed"
	"io/fs"
)

//go:embed static
var embedded embed.FS

var files = below(embedded)

func below(all fs.FS) fs.FS {
	sub, err := fs.Sub(all, "static")
	if err != nil {
		panic("webui: the folder's name is a path: " + err.Error())
	}
	return sub
}
