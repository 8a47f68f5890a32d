package alerts

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

// Headers of a message.
const (
	HeaderID        = "Trilith-Id"        // of the alert: one that is sent again has the same
	HeaderSignature = "Trilith-Signature" // t=SECONDS,v1=HEX; see [Sign]
)

const (
	sendTimeout    = 15 * time.Second // of one message
	connectTimeout = 5 * time.Second
	maxAnswer      = 64 << 10 // bytes of an answer that are read, to reuse the connection
	minSecret      = 16       // bytes
)

// Webhook hands alerts to an address that a setting names. Each message is signed, so that the receiver knows who sends
// it, and that it was not sent before.
type Webhook struct {
	name   string
	to     string
	secret []byte
	client *http.Client
	now    func() time.Time
}

// NewWebhook returns what sends to an address: https, or http on this machine.
func NewWebhook(name, address, secret string, now func() time.Time) (*Webhook, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "":
		return nil, trilith.Errorf(trilith.Invalid, "webhooks: %s: must be an https:// address, without a user", name)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, trilith.Errorf(trilith.Invalid, "webhooks: %s: use https; http is for 127.0.0.1 alone", name)
	case len(secret) < minSecret:
		return nil, trilith.Errorf(trilith.Invalid, "webhooks: %s: the secret has %d bytes, it needs %d at least", name,
			len(secret), minSecret)
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute,
		MaxResponseHeaderBytes: maxAnswer}
	// A redirect would lead to an address that no setting names.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Webhook{name, address, []byte(secret),
		&http.Client{Transport: transport, CheckRedirect: stay, Timeout: sendTimeout}, now}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send sends a message under an id. It returns nil if the receiver answers with 200 to 299, and Unavailable otherwise,
// without the address, which may hold a secret.
func (h *Webhook) Send(ctx context.Context, id trilith.ID, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.to, bytes.NewReader(body))
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "webhook %s: its address cannot be asked", h.name)
	}
	at := h.now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "trilith")
	r.Header.Set(HeaderID, string(id))
	r.Header.Set(HeaderSignature, "t="+strconv.FormatInt(at.Unix(), 10)+",v1="+Sign(h.secret, at, body))
	res, err := h.client.Do(r)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return trilith.Errorf(trilith.Unavailable, "webhook %s: the receiver does not answer", h.name)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // so that the connection can be used again
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return trilith.Errorf(trilith.Unavailable, "webhook %s: the receiver redirects (status %d), which is not followed; "+
			"name the new address in the setting", h.name, res.StatusCode)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return trilith.Errorf(trilith.Unavailable, "webhook %s: the receiver answers with status %d", h.name, res.StatusCode)
	}
	return nil
}

// Sign is the signature of a body at a time: the HMAC-SHA256 of the seconds since 1970, a dot and the body, in
// hexadecimal digits.
func Sign(secret []byte, at time.Time, body []byte) string {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%d.", at.Unix())
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
