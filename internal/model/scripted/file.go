package scripted

import (
	"encoding/json"
	"os"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// file is a script as it is written down, in YAML or JSON.
type file struct {
	Name    string              `yaml:"name"`
	Context int                 `yaml:"context"`
	Forms   []role.OutputForm   `yaml:"forms"`
	Media   []trilith.MediaKind `yaml:"media"`
	Entries []struct {
		Match  string          `yaml:"match"`
		Form   role.OutputForm `yaml:"form"`
		Answer any             `yaml:"answer"` // a text, or a value that becomes JSON
		Error  string          `yaml:"error"`  // an error kind
		Stop   role.StopReason `yaml:"stop"`
		Likely []float64       `yaml:"likely"` // of the words of a request for one of them
	} `yaml:"entries"`
}

// Open reads a script from a file. Its form:
//
//	name: demo
//	entries:
//	  - match: quote for concrete      # a text that the request contains; left out: any request
//	    answer: {facts: []}            # a text, or an object that is written as JSON
//	  - error: unavailable             # an error kind
//	  - answer: '{"facts": ['
//	    stop: length                   # end, length or refusal
func Open(path string) (*Model, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "model: the script cannot be read: %w", err)
	}
	s, err := parse(body)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "model: %s: %w", path, err)
	}
	return New(s), nil
}

func parse(body []byte) (Script, error) {
	var f file
	if err := yaml.UnmarshalWithOptions(body, &f, yaml.Strict()); err != nil {
		return Script{}, trilith.Errorf(trilith.Invalid, "%s", yaml.FormatError(err, false, false))
	}
	s := Script{Name: f.Name, Context: f.Context, Forms: f.Forms, Media: f.Media}
	for i, form := range f.Forms {
		if !slices.Contains(role.OutputForms(), form) {
			return Script{}, trilith.Errorf(trilith.Invalid, "form %d: %q is not one of %q", i+1, form, role.OutputForms())
		}
	}
	for i, e := range f.Entries {
		out := Entry{Match: e.Match, Form: e.Form, Stop: e.Stop, Likely: e.Likely}
		switch {
		case e.Form != "" && !slices.Contains(role.OutputForms(), e.Form):
			return Script{}, trilith.Errorf(trilith.Invalid, "entry %d: form %q is not one of %q", i+1, e.Form,
				role.OutputForms())
		case !slices.Contains([]role.StopReason{"", role.StopEnd, role.StopLength, role.StopRefusal}, e.Stop):
			return Script{}, trilith.Errorf(
				trilith.Invalid, "entry %d: stop %q is not one of end, length, refusal", i+1, e.Stop)
		case e.Error != "" && (e.Answer != nil || e.Stop != ""):
			return Script{}, trilith.Errorf(trilith.Invalid, "entry %d: give an error, or an answer and how it stops", i+1)
		case e.Error != "":
			out.Fails, out.Kind = true, trilith.ParseErrorKind(e.Error)
			if out.Kind.String() != e.Error {
				return Script{}, trilith.Errorf(
					trilith.Invalid, "entry %d: error %q is not an error kind, such as unavailable", i+1, e.Error)
			}
		default:
			text, isText := e.Answer.(string)
			if !isText && e.Answer != nil {
				body, err := json.Marshal(e.Answer)
				if err != nil {
					return Script{}, trilith.Errorf(trilith.Invalid, "entry %d: the answer cannot be written as JSON", i+1)
				}
				text = string(body)
			}
			out.Answer = text
		}
		s.Entries = append(s.Entries, out)
	}
	return s, nil
}
