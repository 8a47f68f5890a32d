package role

import (
	"context"
	"fmt"

	"github.com/trilith-memory/trilith"
)

// Checks are the results of examining a memory, in order.
type Checks []trilith.Check

// Rescue is the remedy for a damaged store.
const Rescue = "trilith restore BACKUP"

// Warn adds a check that did not fail, with advice.
func (cs *Checks) Warn(name, detail, advice string) {
	*cs = append(*cs, trilith.Check{Name: name, OK: true, Detail: detail, Fix: advice})
}

// Looked reports whether there was no error; an error becomes a failed check, unless ctx has ended.
func (cs *Checks) Looked(ctx context.Context, name string, err error) bool {
	if err != nil && ctx.Err() == nil {
		cs.Add(name, false, Remedy(err), "cannot be looked at: %v", err)
	}
	return err == nil
}

// Remedy returns what to do about something that cannot be checked.
func Remedy(err error) string {
	if trilith.KindOf(err) == trilith.Unavailable {
		return "start what does not answer, then trilith doctor"
	}
	return Rescue
}

// Damage adds the result of a search for damage.
func (cs *Checks) Damage(err error) {
	if err != nil {
		cs.Add("store", false, Rescue, "%v", err)
		return
	}
	cs.Add("store", true, "", "it is intact")
}

// Space adds how many bytes a store takes, and how many are free on its disk; [trilith.Unsupported] means that the
// system does not report that.
func (cs *Checks) Space(used, free int64, err error) {
	const mib = 1 << 20
	switch {
	case trilith.KindOf(err) == trilith.Unsupported:
		cs.Add("space", true, "", "the store takes %d MiB; how much is free is not known on this system", used/mib)
	case err != nil:
		cs.Add("space", false, "see what the file system says", "%v", err)
	default:
		cs.Add("space", free >= neededSpace(used), "free space on the disk of the store, or move it",
			"the store takes %d MiB, %d MiB are free, %d are needed", used/mib, free/mib, neededSpace(used)/mib)
	}
}

// Add adds a check; fix is the remedy if it failed.
func (cs *Checks) Add(name string, ok bool, fix, format string, args ...any) {
	c := trilith.Check{Name: name, OK: ok, Detail: fmt.Sprintf(format, args...)}
	if !ok {
		c.Fix = fix
	}
	*cs = append(*cs, c)
}

// neededSpace is the free space in bytes that a store of a size needs: one more copy of it, for a purge or a backup, and
// a quarter for writes meanwhile.
func neededSpace(used int64) int64 { return used + used/4 + 8<<20 }
