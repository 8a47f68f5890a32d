package compat_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

// TestDays: the days of those who call by a dialect are theirs, however a vendor's client writes times.
func TestDays(t *testing.T) {
	t.Parallel()
	threads := 0
	e := open(t, false)
	post := func(who trilith.Scope, target, body string, values ...any) error {
		headers := []string{"X-Trilith-Time-Zone", who.TimeZone}
		if who.TimeZone == "" {
			headers = nil
		}
		if w := e.do(http.MethodPost, target, fmt.Sprintf(body, values...), headers...); w.Code >= 300 {
			return fmt.Errorf("%s = %d %s", target, w.Code, w.Body)
		}
		return nil
	}
	t.Run("mem0", func(t *testing.T) {
		scenario.Days(t, e.engine, func(_ *testing.T, who trilith.Scope, text, timestamp string) error {
			return post(who, "/compat/mem0/v1/memories/", `{"user_id": %q, "messages": %q, "timestamp": %q}`,
				who.User, text, timestamp)
		})
	})
	e = open(t, false)
	t.Run("zep", func(t *testing.T) {
		scenario.Days(t, e.engine, func(_ *testing.T, who trilith.Scope, text, timestamp string) error {
			threads++
			if err := post(who, "/compat/zep/api/v2/users", `{"user_id": %q}`, who.User); err != nil {
				return err
			}
			if err := post(who, "/compat/zep/api/v2/threads", `{"thread_id": "t%d", "user_id": %q}`, threads, who.User); err != nil {
				return err
			}
			return post(who, fmt.Sprintf("/compat/zep/api/v2/threads/t%d/messages", threads),
				`{"messages": [{"role": "user", "name": "Kim", "content": %q, "created_at": %q}]}`, text, timestamp)
		})
	})
}
