package extract

import "github.com/cairn-memory/cairn/internal/lazyre"

type pattern = lazyre.Regexp

func compiled(expression string) pattern { return lazyre.New(expression) }
