// Package operations is the table of all operations. Only a row and the method that it names are written by hand; every
// other part of an operation is generated.
package operations

import (
	"sync"

	"github.com/trilith-memory/trilith/internal/door/op"
)

// All are the operations. The table is made when it is used first: most commands need none.
var All = sync.OnceValue(func() *op.Table {
	return op.NewTable(memoryRows(), recallRows(), factRows(), entityRows(), relationRows(), alertRows(),
		sessionRows(), settingRows(), operateRows(), projectRows(), interviewRows())
})
