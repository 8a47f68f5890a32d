// Package operations is the table of what a memory does. A row and the method that it names are all that is written by
// hand of an operation.
package operations

import (
	"sync"

	"github.com/trilith-memory/trilith/internal/door/op"
)

// All are the operations. The table is made when it is used first: most commands need none.
var All = sync.OnceValue(func() *op.Table {
	return op.NewTable(memoryRows(), recallRows(), factRows(), entityRows(), relationRows(), alertRows(),
		settingRows(), operateRows(), projectRows(), interviewRows())
})
