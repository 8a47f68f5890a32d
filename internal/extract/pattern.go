package extract

import "github.com/trilith-memory/trilith/internal/lazyre"

type pattern = lazyre.Regexp

func compiled(expression string) pattern { return lazyre.New(expression) }
