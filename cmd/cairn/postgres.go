package main

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/age"
	"github.com/cairn-memory/cairn/internal/engine"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/tables"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// isPostgres reports whether a store lies in PostgreSQL.
func isPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// storeName is how a store is shown: without the password that its URL may hold.
func storeName(store string) string {
	if !isPostgres(store) {
		return store
	}
	u, err := url.Parse(store)
	if err != nil {
		return "postgres:"
	}
	q := u.Query()
	q.Del("password")
	q.Del("sslpassword")
	u.RawQuery = q.Encode()
	return u.Redacted()
}
