//go:build !no_ui

package page

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
		panic("page: the folder's name is a path: " + err.Error())
	}
	return sub
}
