package compose

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// EmbedderNames are the embedders in the settings of this process. A request selects one by name, so that no request
// decides where texts are sent, and with which key or file. The store contains settings too; one of them that uses a
// service is opened only if it is in this list.
type EmbedderNames struct {
	mu       sync.Mutex
	settings map[string]string // by name
}

// nameForm matches the name before the = of an embedder; a setting has a colon before any =.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// NewEmbedderNames parses the settings --embedder and TRILITH_EMBEDDERS. It opens no embedder: an unused one needs neither
// key nor model.
func NewEmbedderNames(embedder string, others []string) (*EmbedderNames, error) {
	n := &EmbedderNames{settings: map[string]string{"builtin:": "builtin:"}}
	if embedder != "none" {
		n.Add(embedder)
	}
	for _, entry := range others {
		if entry == "" { // two spaces
			continue
		}
		name, setting, named := strings.Cut(entry, "=")
		if !named || !nameForm.MatchString(name) {
			name, setting = entry, entry
		}
		d, known := embedderDrivers[schemeOf(setting)]
		if !known {
			return nil, trilith.Errorf(
				trilith.Invalid, "embedders: %q is neither NAME=URL nor URL, with what --embedder takes as URL; put spaces between entries", Masked(entry))
		}
		if _, err := provider.Parse("embedders", setting, slices.Concat(adapters, d.params)...); err != nil {
			return nil, err
		}
		if old, taken := n.settings[name]; taken && old != setting {
			return nil, trilith.Errorf(trilith.Invalid, "embedders: %s is named twice", name)
		}
		n.settings[name] = setting
	}
	return n, nil
}

// Add adds a setting under its own text: the active one, or one that the user of the command line has written.
func (n *EmbedderNames) Add(setting string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.settings[setting] == "" {
		n.settings[setting] = setting
	}
}

// Setting returns the setting that a request means by a name.
func (n *EmbedderNames) Setting(name string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, candidate := range []string{name, name + ":"} { // builtin is builtin:
		if s, ok := n.settings[candidate]; ok {
			return s, nil
		}
	}
	return "", trilith.Errorf(
		trilith.Invalid, "embedder: only those that a setting names can be asked for, which are %s; name others with TRILITH_EMBEDDERS",
		strings.Join(slices.Sorted(maps.Keys(n.settings)), ", "))
}

// check returns an error for a setting in the store that uses a service which no setting of this process names.
func (n *EmbedderNames) check(setting string) error {
	if !asksService(embedderDrivers[schemeOf(setting)]) { // nothing leaves this machine
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.settings {
		if s == setting {
			return nil
		}
	}
	return trilith.Errorf(trilith.Invalid,
		"embedder: the memory asks for %s, which no setting of this process names; name it with TRILITH_EMBEDDERS or --embedder", setting)
}

// schemeOf returns the scheme of an embedder's setting.
func schemeOf(setting string) string {
	scheme, _, _ := strings.Cut(setting, "?")
	scheme, _, _ = strings.Cut(scheme, ":")
	return scheme
}
