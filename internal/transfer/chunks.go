package transfer

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/trilith-memory/trilith"
)

const (
	chunksTable = "memory_chunks"
	sqliteMagic = "SQLite format 3\x00"
	chunkNote   = "chunk"
)

// hasChunks reports whether the file at path has the table that is looked for.
func hasChunks(path string) bool {
	db, err := openChunks(context.Background(), path)
	if err != nil {
		return false
	}
	defer db.Close()
	rows, err := selectChunks(context.Background(), db, 0)
	if err != nil {
		return false
	}
	return rows.Close() == nil
}

// readMemoryChunks reads the rows of a table memory_chunks as notes, or as turns where a row says that a person or an
// assistant spoke. Only content is needed; other columns become scope or metadata. Vectors are left out: nothing in the
// file says what made them.
func readMemoryChunks(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		g := gatherer{in: in, yield: yield}
		ctx := context.Background()
		db, err := openChunks(ctx, in.path)
		if err != nil {
			g.bad(1, err)
			return
		}
		defer db.Close()
		rows, err := selectChunks(ctx, db, -1)
		if err != nil {
			g.bad(1, trilith.Errorf(trilith.Invalid, "the table %s cannot be read: %w", chunksTable, err))
			return
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil || !slices.ContainsFunc(
			columns, func(c string) bool { return strings.EqualFold(c, "content") || strings.EqualFold(c, "text") }) {
			g.bad(1, trilith.Errorf(trilith.Invalid, "the table %s has no column content", chunksTable))
			return
		}
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		n := 0
		for rows.Next() {
			n++
			if err := rows.Scan(into...); err != nil {
				if !g.bad(n, trilith.Errorf(trilith.Invalid, "row: %w", err)) {
					return
				}
				continue
			}
			if !g.chunk(n, columns, row) {
				return
			}
		}
		if err := rows.Err(); err != nil &&
			!g.bad(n+1, trilith.Errorf(trilith.Invalid, "the rest of the table %s cannot be read: %w", chunksTable, err)) {
			return
		}
		g.flush()
	}
}

// openChunks opens a SQLite file for reading only. It also makes no other files next to it: a file in WAL mode
// without a log has no writer, and is opened as immutable.
func openChunks(ctx context.Context, path string) (*sql.DB, error) {
	head := make([]byte, 20)
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	_, err = io.ReadFull(f, head)
	_ = f.Close()
	if err != nil || !bytes.HasPrefix(head, []byte(sqliteMagic)) {
		return nil, trilith.Errorf(trilith.Invalid, "%s: is not a SQLite file", path)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, openError(path, err)
	}
	mode := "?mode=ro"
	if _, err := os.Stat(path + "-wal"); head[18] == 2 && errors.Is(err, fs.ErrNotExist) {
		mode += "&immutable=1"
	}
	name := filepath.ToSlash(absolute)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/…
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: name}).String()+mode+"&_pragma=busy_timeout(5000)")
	if err == nil {
		err = db.PingContext(ctx)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s: cannot be opened as a SQLite file: %w", path, err)
	}
	return db, nil
}

// selectChunks reads the table; n rows of it, or all if n is negative.
func selectChunks(ctx context.Context, db *sql.DB, n int) (*sql.Rows, error) {
	return db.QueryContext(ctx, "SELECT * FROM "+chunksTable+" LIMIT ?", n)
}

// chunk reads one row.
func (g *gatherer) chunk(n int, columns []string, row []any) bool {
	var c struct {
		id, kind, role, content string
		at                      stamp
		scope                   trilith.Scope
		metadata                map[string]any
	}
	rest := make(map[string]any)
	for i, v := range row {
		if v == nil {
			continue
		}
		g.in.passed(len(textOf(v)))
		switch column := strings.ToLower(columns[i]); column {
		case "id":
			c.id = textOf(v)
		case "content", "text":
			c.content = cmp.Or(c.content, textOf(v))
		case "chunk_type", "type":
			c.kind = cmp.Or(c.kind, textOf(v))
		case "role":
			c.role = textOf(v)
		case "timestamp", "created_at":
			c.at = c.at.or(stampOf(timeOf(v)))
		case "session_id":
			c.scope.Session = scopeValue(textOf(v))
		case "user_id":
			c.scope.User = scopeValue(textOf(v))
		case "agent_id":
			c.scope.Agent = scopeValue(textOf(v))
		case "project", "project_id":
			c.scope.Project = scopeValue(textOf(v))
		case "embedding":
			g.omit("embeddings (texts are embedded again)", 1)
		case "metadata":
			if err := json.Unmarshal([]byte(textOf(v)), &c.metadata); err != nil &&
				!g.bad(n, trilith.Errorf(trilith.Invalid, "metadata: is not a JSON object; the text is imported without it")) {
				return false
			}
		default:
			if _, blob := v.([]byte); !blob {
				rest[column] = v
			}
		}
	}
	if strings.TrimSpace(c.content) == "" {
		return g.bad(n, trilith.Errorf(trilith.Invalid, "content: is empty"))
	}
	about, err := others(merged(c.metadata, rest))
	if err != nil && !g.bad(n, err) {
		return false
	}
	if role, ok := about["role"].(string); ok && c.role == "" {
		c.role = role
	}
	id := externalID(chunksTable, c.id)
	if c.id == "" {
		id = contentID(MemoryChunks, c.scope.Session, c.kind, string(c.at), c.content)
	}
	spoken := c.kind == "" || c.kind == "conversation" || c.kind == "message" || roleOf(c.kind) != ""
	if role := cmp.Or(roleOf(c.role), roleOf(c.kind)); spoken && role != "" { // other types name the kind of a text
		return g.say(n, c.scope, trilith.Message{ExternalID: id, Role: role, Content: c.content, Timestamp: string(c.at),
			Metadata: about})
	}
	return g.request(n, c.scope,
		trilith.RememberRequest{Note: &trilith.Note{Type: clip(cmp.Or(c.kind, chunkNote)), Content: c.content},
			ExternalID: id, Timestamp: string(c.at), Metadata: about})
}

// textOf writes a value of a column as text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// timeOf leaves the kinds that a time is written as, and makes text of the others.
func timeOf(v any) any {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return v
}
