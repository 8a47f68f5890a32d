package ingest

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

func (c *common) entry(req trilith.RememberRequest) ([]Draft, error) {
	e := *req.Entry
	switch {
	case strings.TrimSpace(e.Content) == "" && len(e.Structured) == 0:
		return nil, trilith.Errorf(trilith.Invalid, "entry.content: is empty, and there are no structured data either")
	case math.IsNaN(e.Confidence) || e.Confidence < 0 || e.Confidence > 1:
		return nil, trilith.Errorf(trilith.Invalid, "entry.confidence: is %v, must be between 0 and 1", e.Confidence)
	}
	if err := cmp.Or(checkName("entry.category", e.Category), checkName("entry.title", e.Title)); err != nil {
		return nil, err
	}
	var err error
	if e.Structured, err = Metadata("entry.structured", e.Structured); err != nil {
		return nil, err
	}
	e.Category, e.Title, e.Content = Normalise(e.Category), Normalise(e.Title), Normalise(e.Content)
	d := c.draft(trilith.KindEntry, req.Role, EntryText(e))
	d.Memory.Entry = &e
	return []Draft{d}, nil
}

// EntryText composes the text of an entry, which search reads: category, title and content, each on a separate line if
// it is not empty, then one line "path: value" for each value of Structured, in the byte order of the keys. The path of
// a nested value joins the keys with dots; the values of a list are on one line, separated by commas; null is left out.
func EntryText(e trilith.Entry) string {
	var lines []string
	for _, s := range []string{e.Category, e.Title, e.Content} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return Normalise(strings.Join(appendValues(lines, "", e.Structured), "\n"))
}

func appendValues(lines []string, path string, m map[string]any) []string {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch v := m[k].(type) {
		case nil:
		case map[string]any:
			lines = appendValues(lines, path+k+".", v)
		default:
			lines = append(lines, path+k+": "+valueText(v))
		}
	}
	return lines
}

func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			if e != nil {
				parts = append(parts, valueText(e))
			}
		}
		return strings.Join(parts, ", ")
	}
	body, err := json.Marshal(v) // a number, a bool, an object in a list, or any type from a library caller
	if err != nil {
		return ""
	}
	return string(body)
}
