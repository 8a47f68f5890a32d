package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/trilith-memory/trilith"
)

// ReadDefinitions returns the definitions, such as extraction profiles and domain schemas, in the files of a folder that
// end in .yaml or .yml, by ascending name. Two of one name are Invalid, as is a file that cannot be read. Errors begin
// with field; those of parse are returned as they are.
func ReadDefinitions[T any](files fs.FS, field string, parse func(file string, body []byte) (T, error),
	name func(T) string) ([]T, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s: %w", field, err)
	}
	var all []T
	from := map[string]string{} // the file of each name
	for _, e := range entries {
		file := e.Name()
		if ext := path.Ext(file); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		body, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "%s: %w", field, err)
		}
		x, err := parse(file, body)
		if err != nil {
			return nil, err
		}
		if other, ok := from[name(x)]; ok {
			return nil, trilith.Errorf(trilith.Invalid, "%s: %s and %s both define %q", field, other, file, name(x))
		}
		from[name(x)] = file
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return all, nil
}

// DecodeYAML reads a file into v and answers Invalid to unknown members. An error begins with field, and names the file
// and, where the form is wrong, the line.
func DecodeYAML(field, file string, body []byte, v any) error {
	err := yaml.UnmarshalWithOptions(body, v, yaml.Strict())
	if err == nil {
		return nil
	}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return trilith.Errorf(trilith.Invalid, "%s: %s:%d: %s", field, file, at.GetToken().Position.Line, at.GetMessage())
	}
	return trilith.Errorf(trilith.Invalid, "%s: %s: %w", field, file, err)
}
