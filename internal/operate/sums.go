package operate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/role"
)

// checkSums adds the result of the rows' checksums.
func (o *Operator) checkSums(ctx context.Context, add addCheck) {
	c, ok := o.truth.Store.(role.RowChecksums)
	if !ok {
		return
	}
	const restore = "trilith restore BACKUP, or save the other rows with trilith export --skip-damaged FILE"
	sums, err := c.Sums(ctx)
	if err != nil {
		add("checksums", false, restore, "%v", err)
		return
	}
	detail := fmt.Sprintf("%d rows agree with theirs", sums.Rows)
	for _, what := range slices.Sorted(maps.Keys(sums.Damaged)) {
		detail += fmt.Sprintf(", %d of %s are damaged", sums.Damaged[what], what)
	}
	if sums.Copies > 0 {
		detail += fmt.Sprintf(", %d times what is looked up is not what the row says", sums.Copies)
	}
	if sums.Derived > 0 {
		detail += fmt.Sprintf(", %d damaged rows are derived and can be rebuilt", sums.Derived)
	}
	if len(sums.Named) > 0 {
		detail += ": " + strings.Join(sums.Named, ", ")
	}
	fix := restore
	if len(sums.Damaged) == 0 && sums.Copies == 0 {
		fix = "trilith doctor --repair"
	}
	add("checksums", len(sums.Damaged) == 0 && sums.Copies == 0 && sums.Derived == 0, fix, "%s", detail)
}
