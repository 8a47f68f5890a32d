package role

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Standbys choose the server for a request that only reads, among servers that follow the store's.
type Standbys interface {
	// Choose returns the number of a standby that may answer a request of the tenant, or false if only the primary may.
	// after is the position that the caller has seen, 0 if none. searching says that the text index is used too.
	Choose(ctx context.Context, tenant string, after uint64, searching bool) (int, bool)
	// Committing returns a function that returns the position of later commits of this process, "" if there are none.
	Committing() func(ctx context.Context) string
	// States looks at all standbys.
	States(ctx context.Context) ([]StandbyState, error)
	// AtPrimary counts the requests that the primary has answered because all standbys were behind, or out.
	AtPrimary() (behind, out int64)
	Close() error
}

// StandbyState is the present state of a standby.
type StandbyState struct {
	Name  string `json:"name"`
	Out   string `json:"out,omitempty"` // why the primary answers in its place
	Bytes int64  `json:"bytes_behind"`  // of the primary's log that it has not replayed; of one that is out 0
	Reads int64  `json:"-"`             // requests that it has answered for this process
}

// FormatPosition writes a position of the log as PostgreSQL does.
func FormatPosition(position uint64) string {
	return fmt.Sprintf("%X/%X", position>>32, uint32(position))
}

// ParsePosition is the inverse of [FormatPosition]; "" is 0.
func ParsePosition(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	high, low, ok := strings.Cut(s, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err == nil {
		var l uint64
		if l, err = strconv.ParseUint(low, 16, 32); err == nil && ok {
			return h<<32 | l, nil
		}
	}
	return 0, trilith.Errorf(trilith.Invalid, "position: %.32q is not from an answer; leave it out", s)
}
