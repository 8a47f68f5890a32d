package transfer

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Limits that keep the values of a file within those of a memory.
const (
	maxKeptName  = 200 // bytes of a title or a file name in metadata
	maxNames     = 32  // of the parts of one message
	maxDepth     = 6   // objects and lists inside each other, two less than a memory may have
	roomForOwn   = 4 << 10
	idSuffixRoom = 16 // reserved for a suffix of an external id
)

// stamp is a time in a file, in the form of requests, with the offset that it has there; empty if the file has none, or an
// invalid one. Files contain it as text or as seconds, milliseconds or microseconds since 1970.
type stamp string

// UnmarshalJSON never fails: a time that cannot be read is derived from its neighbours, which loses less than the item.
func (s *stamp) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = stampOf(v)
	return nil
}

func stampOf(v any) stamp {
	switch v := v.(type) {
	case string:
		if t, err := trilith.ParseTime(strings.TrimSpace(v)); err == nil {
			if _, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(v)); err != nil {
				return stampOn(t)
			}
			return stamp(t.Format(time.RFC3339Nano))
		}
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return stampOf(n)
		}
	case int64:
		return stampOf(float64(v))
	case float64:
		switch size := math.Abs(v); {
		case math.IsNaN(v) || size > 253402300799e6: // the year 9999
		case size >= 1e14:
			return stampAt(time.UnixMicro(int64(v)))
		case size >= 1e11:
			return stampAt(time.UnixMicro(int64(math.Round(v * 1e3))))
		default:
			return stampAt(time.UnixMicro(int64(math.Round(v * 1e6))))
		}
	case time.Time:
		return stampAt(v)
	}
	return ""
}

// stampOn is a time of the clock of whoever imports, as a file without offsets has it.
func stampOn(t time.Time) stamp { return stamp(t.Format("2006-01-02T15:04:05.999999999")) }

func stampAt(t time.Time) stamp {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return ""
	}
	return stamp(trilith.Time(t).Format(time.RFC3339Nano))
}

// or returns s, or the first of the others that is known.
func (s stamp) or(others ...stamp) stamp {
	for _, o := range others {
		if s == "" {
			s = o
		}
	}
	return s
}

// externalID joins the parts that name an item in its file. A name that is too long for an id, or cannot be one,
// becomes a hash.
func externalID(parts ...string) string {
	id := strings.Join(parts, "/")
	if len(id) > trilith.MaxNameBytes-idSuffixRoom || !fit(id) {
		return string(trilith.DeriveID(append([]string{"import"}, parts...)...))
	}
	return id
}

// contentID returns an external id for something that has no id in its file.
func contentID(parts ...string) string {
	return string(trilith.DeriveID(append([]string{"content"}, parts...)...))
}

// scopeValue returns the name of a session, a project or a person in a file, shortened to the limit of a scope.
func scopeValue(s string) string {
	if len(s) > trilith.MaxScopeValue || !fit(s) {
		return string(trilith.DeriveID("scope", s))
	}
	return s
}

// metadata makes metadata from pairs of names and values, without empty ones.
func metadata(pairs ...any) map[string]any {
	var m map[string]any
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case string:
			if v == "" {
				continue
			}
			pairs[i+1] = clip(v)
		case stamp:
			if v == "" {
				continue
			}
			pairs[i+1] = string(v)
		case []string:
			if len(v) == 0 {
				continue
			}
			pairs[i+1] = names(v)
		case bool:
			if !v {
				continue
			}
		}
		if m == nil {
			m = make(map[string]any)
		}
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// names returns the first names of a list, shortened to the limit.
func names(list []string) []string {
	out := make([]string, 0, min(len(list), maxNames))
	for _, s := range list[:cap(out)] {
		out = append(out, clip(s))
	}
	return out
}

// clip shortens a name to the room in metadata.
func clip(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	if len(s) <= maxKeptName {
		return s
	}
	n := maxKeptName
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// others makes valid metadata from another application's: keys without dots, limited depth. Metadata that are too large
// are dropped completely, with an error that says so.
func others(m map[string]any) (map[string]any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	out := tame(m, 1).(map[string]any)
	body, err := json.Marshal(out)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "metadata: cannot be written as JSON; the text is imported without it")
	}
	if len(body) > trilith.MaxMetadataBytes-roomForOwn {
		return nil, trilith.Errorf(
			trilith.Invalid, "metadata: is %d bytes long, at most %d are allowed; the text is imported without it",
			len(body), trilith.MaxMetadataBytes-roomForOwn)
	}
	return out, nil
}

func tame(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "")
	case []any, map[string]any:
		if depth > maxDepth {
			body, _ := json.Marshal(v) // it was JSON a moment ago
			return string(body)
		}
		if list, ok := v.([]any); ok {
			out := make([]any, len(list))
			for i, e := range list {
				out[i] = tame(e, depth+1)
			}
			return out
		}
		out := make(map[string]any)
		for k, e := range v.(map[string]any) {
			if k = strings.NewReplacer(".", "_", "\x00", "").Replace(k); k == "" {
				k = "_"
			}
			out[k] = tame(e, depth+1)
		}
		return out
	}
	return v
}

// merged lays own over theirs.
func merged(theirs, own map[string]any) map[string]any {
	if theirs == nil {
		return own
	}
	for k, v := range own {
		theirs[k] = v
	}
	return theirs
}

// tags returns the words of a list that are valid tags, each once.
func tags(list []string) []string {
	var out []string
	seen := make(map[string]bool)
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s == "" || len(s) > trilith.MaxTagBytes || !fit(s) || seen[s] || len(out) == trilith.MaxTags {
			continue
		}
		seen[s] = true
		out = append(out, s)
	}
	return out
}

func fit(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// roleOf reads the names that products give to the two sides of a conversation; anything else is empty.
func roleOf(name string) trilith.Role {
	switch strings.ToLower(name) {
	case "user", "human":
		return trilith.RoleUser
	case "assistant", "ai", "model":
		return trilith.RoleAssistant
	}
	return ""
}

// caption appends the description of a picture to the text, without any extra word that a search could find.
func caption(text, picture string) string {
	switch {
	case picture == "":
		return text
	case text == "":
		return "[" + picture + "]"
	}
	return text + "\n[" + picture + "]"
}
