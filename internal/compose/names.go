package compose

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/provider"
)

// EmbedderNames are the embedders that the settings of this process name. A request chooses one of them by its name, so
// that no request says where texts are sent, and which key or file is sent with them. The store remembers settings too;
// one of them that asks a service is opened only if it is among these.
type EmbedderNames struct {
	mu       sync.Mutex
	settings map[string]string // by name
}

// nameForm is what comes before the = of a named embedder; a setting has a colon before any =.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// NewEmbedderNames reads the settings --embedder and --embedders. Embedders are not opened: one that is never asked for
// needs neither key nor model.
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
			return nil, cairn.Errorf(
				cairn.Invalid, "embedders: %q is neither NAME=URL nor URL, with what --embedder takes as URL; put spaces between entries", entry)
		}
		if _, err := provider.Parse("embedders", setting, slices.Concat(adapters, d.params)...); err != nil {
			return nil, err
		}
		if old, taken := n.settings[name]; taken && old != setting {
			return nil, cairn.Errorf(cairn.Invalid, "embedders: %s is named twice", name)
		}
		n.settings[name] = setting
	}
	return n, nil
}

// schemeOf is what a setting of an embedder begins with.
func schemeOf(setting string) string {
	scheme, _, _ := strings.Cut(setting, "?")
	scheme, _, _ = strings.Cut(scheme, ":")
	return scheme
}

// Add names a setting by itself: the one in force, or one that the user of the command line has written.
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
	return "", cairn.Errorf(
		cairn.Invalid, "embedder: only those that a setting names can be asked for, which are %s; name others with --embedders (CAIRN_EMBEDDERS)",
		strings.Join(slices.Sorted(maps.Keys(n.settings)), ", "))
}

// check refuses a setting that the store holds, and that asks a service which no setting of this process names.
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
	return cairn.Errorf(cairn.Invalid,
		"embedder: the memory asks for %s, which no setting of this process names; name it with --embedders (CAIRN_EMBEDDERS) or --embedder", setting)
}
