package ingest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Limits of values that memory.go does not define.
const (
	MaxMetadataDepth = 32  // objects and lists inside each other
	MaxSupersedes    = 100 // memories that one memory replaces
)

// Metadata checks metadata of a caller and returns a copy with the types of JSON: nil, bool, float64, string, []any and
// map[string]any. Keys must not be empty or contain a dot, because a filter writes metadata.a.b for a nested key. The
// limits are [MaxMetadataDepth] levels and [trilith.MaxMetadataBytes] as JSON. Errors are Invalid and begin with field.
func Metadata(field string, m map[string]any) (map[string]any, error) {
	if len(m) == 0 {
		return nil, nil
	}
	body, err := plainJSON(m)
	if err != nil {
		return nil, trilith.Errorf(
			trilith.Invalid, "%s: holds a value that JSON cannot (a number that is not finite, or a loop)", field)
	}
	if len(body) > trilith.MaxMetadataBytes {
		return nil, trilith.Errorf(trilith.Invalid, "%s: is %d bytes long as JSON, at most %d are allowed", field,
			len(body), trilith.MaxMetadataBytes)
	}
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s: holds a number that is out of range", field)
	}
	if err := checkValue(field, out, 1); err != nil {
		return nil, err
	}
	return out, nil
}

func checkValue(path string, v any, depth int) error {
	switch v := v.(type) {
	case string:
		if strings.IndexByte(v, 0) >= 0 {
			return trilith.Errorf(trilith.Invalid, "%s: contains a NUL character", path)
		}
	case map[string]any:
		if depth > MaxMetadataDepth {
			return trilith.Errorf(trilith.Invalid, "%s: is nested deeper than %d", path, MaxMetadataDepth)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == "" || strings.ContainsAny(k, ".\x00") {
				return trilith.Errorf(trilith.Invalid,
					"%s: the key %.64q must not be empty nor contain a dot or a NUL character", path, k)
			}
			if err := checkValue(path+"."+k, v[k], depth+1); err != nil {
				return err
			}
		}
	case []any:
		if depth > MaxMetadataDepth {
			return trilith.Errorf(trilith.Invalid, "%s: is nested deeper than %d", path, MaxMetadataDepth)
		}
		for i, e := range v {
			if err := checkValue(path+"["+strconv.Itoa(i)+"]", e, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge joins two checked sets of metadata; own wins if both have a key. The result obeys the limit of size too.
func merge(field string, shared, own map[string]any) (map[string]any, error) {
	if len(own) == 0 {
		return shared, nil
	}
	if len(shared) == 0 {
		return own, nil
	}
	sum := maps.Clone(shared)
	maps.Copy(sum, own)
	body, err := plainJSON(sum)
	if err != nil {
		return nil, trilith.WrapError(trilith.Internal, "ingest.merge", err)
	}
	if len(body) > trilith.MaxMetadataBytes {
		return nil, trilith.Errorf(
			trilith.Invalid, "%s: is %d bytes long as JSON, additions included, at most %d are allowed", field,
			len(body), trilith.MaxMetadataBytes)
	}
	return sum, nil
}

// plainJSON encodes metadata without the escapes that HTML would need: its length is the one that a caller counts.
func plainJSON(m map[string]any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(m)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// addTags returns the shared tags and those of own that are not among them.
func addTags(field string, shared, own []string) ([]string, error) {
	if _, err := Tags(field, own); err != nil {
		return nil, err
	}
	sum := slices.Clip(shared)
	for _, tag := range own {
		if !slices.Contains(shared, tag) {
			sum = append(sum, tag)
		}
	}
	if len(sum) > trilith.MaxTags {
		return nil, trilith.Errorf(trilith.Invalid, "%s: has %d together with those of the request, at most %d are allowed", field,
			len(sum), trilith.MaxTags)
	}
	return sum, nil
}

// Tags checks labels and returns a copy: at most [trilith.MaxTags], each of 1 to [trilith.MaxTagBytes] bytes, without
// duplicates. Errors are Invalid and begin with field.
func Tags(field string, tags []string) ([]string, error) {
	if len(tags) > trilith.MaxTags {
		return nil, trilith.Errorf(trilith.Invalid, "%s: holds %d, at most %d are allowed", field, len(tags), trilith.MaxTags)
	}
	seen := make(map[string]int, len(tags))
	for i, tag := range tags {
		path := field + "[" + strconv.Itoa(i) + "]"
		if strings.TrimSpace(tag) == "" {
			return nil, trilith.Errorf(trilith.Invalid, "%s: is empty", path)
		}
		if err := checkString(path, tag, trilith.MaxTagBytes); err != nil {
			return nil, err
		}
		if j, ok := seen[tag]; ok {
			return nil, trilith.Errorf(trilith.Invalid, "%s: is the same as %s[%d]", path, field, j)
		}
		seen[tag] = i
	}
	return clone(tags), nil
}

// clone copies tags. Without tags it returns nil, so that equal memories are equal whatever form the request had.
func clone(tags []string) []string {
	if len(tags) == 0 {
		return nil
	}
	return slices.Clone(tags)
}

func checkRole(field string, r trilith.Role) error {
	switch r {
	case "", trilith.RoleUser, trilith.RoleAssistant, trilith.RoleSystem, trilith.RoleTool:
		return nil
	}
	return trilith.Errorf(trilith.Invalid, "%s: %.32q is not one of user, assistant, system, tool", field, string(r))
}

func checkSupersedes(ids []trilith.ID) error {
	if len(ids) > MaxSupersedes {
		return trilith.Errorf(trilith.Invalid, "supersedes: holds %d, at most %d are allowed", len(ids), MaxSupersedes)
	}
	for i, id := range ids {
		if err := id.Validate(); err != nil {
			return trilith.Errorf(trilith.Invalid, "supersedes[%d]: %s", i, trilith.MessageOf(err))
		}
		if slices.Contains(ids[:i], id) {
			return trilith.Errorf(trilith.Invalid, "supersedes[%d]: is named twice", i)
		}
	}
	return nil
}

// RequestKey checks an idempotency key; it may be empty.
func RequestKey(s string) error { return checkName("request_key", s) }

// ExternalID checks an id of the caller; it may be empty.
func ExternalID(field, s string) error { return checkName(field, s) }

func checkName(field, s string) error { return checkString(field, s, trilith.MaxNameBytes) }

func checkString(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return trilith.Errorf(trilith.Invalid, "%s: is %d bytes long, at most %d are allowed", field, len(s), limit)
	case !utf8.ValidString(s):
		return trilith.Errorf(trilith.Invalid, "%s: is not valid UTF-8", field)
	case strings.IndexByte(s, 0) >= 0:
		return trilith.Errorf(trilith.Invalid, "%s: contains a NUL character", field)
	}
	return nil
}
