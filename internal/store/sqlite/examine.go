package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith/internal/role"
)

// Examine is documented at [role.Upkeep].
func (u *upkeep) Examine(ctx context.Context, _ ...int) (cs role.Checks) {
	cs.Damage(u.Check(ctx))
	u.examineSums(ctx, &cs)
	if why := u.ReadOnly(); why != "" {
		cs.Add("access", true, "", "for reading only: %s", why)
	}
	cs.Space(u.Space())
	return cs
}

// examineSums reports rows that their checksums show to be damaged.
func (u *upkeep) examineSums(ctx context.Context, cs *role.Checks) {
	const restore = role.Rescue + ", or save the other rows with trilith export --skip-damaged FILE"
	sums, err := u.Sums(ctx)
	if err != nil {
		cs.Add("checksums", false, restore, "%v", err)
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
	cs.Add("checksums", len(sums.Damaged) == 0 && sums.Copies == 0 && sums.Derived == 0, fix, "%s", detail)
}

// Pace is documented at [role.Upkeep].
func (u *upkeep) Pace() time.Duration { return 0 }
