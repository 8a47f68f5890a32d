package compose

import (
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/review/alerts"
)

var webhookName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// maxAlertRows is the largest number of alerts that a setting can keep for a tenant.
const maxAlertRows = 100_000

// alerts reads the settings of alerts: bounds such as days=90,rows=50000, and webhooks.
func (s *Settings) alerts() (engine.AlertsConfig, error) {
	c := engine.AlertsConfig{Webhooks: map[string]engine.WebhookSender{}}
	for bound := range strings.SplitSeq(s.KeepAlerts, ",") {
		if s.KeepAlerts == "" {
			break
		}
		name, value, _ := strings.Cut(bound, "=")
		n, err := strconv.Atoi(value)
		switch {
		case err == nil && name == "days" && n >= 1 && n <= 3650:
			c.Keep = time.Duration(n) * 24 * time.Hour
		case err == nil && name == "rows" && n >= 1 && n <= maxAlertRows:
			c.Rows = n
		default:
			return c, trilith.Errorf(trilith.Invalid,
				"keep-alerts: %.64q is not a bound such as days=30,rows=10000; days are 1 to 3650, rows 1 to %d", s.KeepAlerts,
				maxAlertRows)
		}
	}
	for _, setting := range s.Webhooks {
		name, address, _ := strings.Cut(strings.TrimSpace(setting), "=")
		if !webhookName.MatchString(name) {
			return c, trilith.Errorf(trilith.Invalid,
				"webhooks: write NAME=https://…?secret_env=VARIABLE; a name has 1 to 64 letters, digits and . _ -")
		}
		if c.Webhooks[name] != nil {
			return c, trilith.Errorf(trilith.Invalid, "webhooks: %s is there twice", name)
		}
		hook, err := s.webhook(name, address)
		if err != nil {
			return c, err
		}
		c.Webhooks[name] = hook
	}
	return c, nil
}

// webhook opens one webhook. The parameters that name its secret are not sent.
func (s *Settings) webhook(name, address string) (*alerts.Webhook, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "webhooks: %s: is not an address", name)
	}
	q := u.Query()
	variable, path := q.Get("secret_env"), q.Get("secret_file")
	if (variable == "") == (path == "") {
		return nil, trilith.Errorf(trilith.Invalid,
			"webhooks: %s: say where its secret is, with one of ?secret_env=VARIABLE and ?secret_file=FILE", name)
	}
	secret := s.getenv(variable)
	if path != "" {
		data, err := os.ReadFile(path)
		if err != nil || len(data) > maxKey {
			return nil, trilith.Errorf(trilith.Invalid, "webhooks: %s: secret_file: cannot be read, or is too large", name)
		}
		secret = string(data)
	}
	q.Del("secret_env")
	q.Del("secret_file")
	u.RawQuery = q.Encode()
	return alerts.NewWebhook(name, u.String(), strings.TrimSpace(secret), s.Now)
}
