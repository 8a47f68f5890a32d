package compose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

func TestAlertSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string { return map[string]string{"HOOK": "fedcba9876543210", "SHORT": "a"}[name] }
	of := func(alerts string, hooks ...string) *Settings {
		return &Settings{KeepAlerts: alerts, Webhooks: hooks, Getenv: env, Now: time.Now}
	}
	c, err := of("days=90,rows=50", "site=https://example.com/in?secret_env=HOOK",
		"lan=http://127.0.0.1:9/?secret_file="+file).alerts()
	if err != nil || c.Rows != 50 || c.Keep != 90*24*time.Hour || len(c.Webhooks) != 2 {
		t.Errorf("alerts() = %+v, %v", c, err)
	}
	for want, s := range map[string]*Settings{
		"keep-alerts: ":   of("often"),
		"NAME=https":      of("", "https://example.com/?secret_env=HOOK"),
		"say where":       of("", "site=https://example.com/"),
		"needs 16":        of("", "site=https://example.com/?secret_env=SHORT"),
		"cannot be read":  of("", "site=https://example.com/?secret_file=/nowhere/at/all"),
		"use https":       of("", "site=http://example.com/?secret_env=HOOK"),
		"is there twice":  of("", "a=https://example.com/?secret_env=HOOK", "a=https://example.com/?secret_env=HOOK"),
		"rows 1 to 10000": of("rows=0"),
	} {
		_, err := s.alerts()
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("alerts() of %q, %q = %v, want %q", s.KeepAlerts, s.Webhooks, err, want)
		}
	}
}
