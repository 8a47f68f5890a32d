package transfer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/scenario"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// TestDays: the days of what is imported are those of whoever said it, or, where a file has no offsets, of whoever imports.
func TestDays(t *testing.T) {
	t.Parallel()
	e, folder := memory(t), t.TempDir()
	scenario.Days(t, e, func(t *testing.T, who trilith.Scope, text, timestamp string) error {
		path := filepath.Join(folder, strings.ReplaceAll(who.User, "/", "-")+".json")
		conversation := fmt.Sprintf(`[{"uuid": %[1]q, "name": "x", "created_at": %[3]q, "chat_messages": [
			{"uuid": "m", "sender": "human", "text": %[2]q, "created_at": %[3]q}]}]`, who.User, text, timestamp)
		if err := os.WriteFile(path, []byte(conversation), 0o600); err != nil {
			return err
		}
		r, err := transfer.Open(path, transfer.Claude)
		if err != nil {
			return err
		}
		report, err := transfer.Run(t.Context(), e, r.Items(),
			transfer.Options{Scope: who, Workers: 1, Extract: trilith.ExtractRules})
		if err == nil && report.Stored == 0 {
			err = fmt.Errorf("%+v", report)
		}
		return err
	})
}
