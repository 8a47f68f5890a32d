package mentions

import (
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/mention"
)

const maxCachedKeys = 20_000 // facts whose content words are cached

// keyCache caches the content words of facts. It is safe for concurrent use.
type keyCache struct {
	mu sync.Mutex
	of map[trilith.ID]cachedKeys
}

// cachedKeys are the content words of one version of a fact.
type cachedKeys struct {
	version int64
	name    string // name of the entity
	keys    []mention.Key
}

// keysOf returns the content words of a fact, without the name of its entity.
func (c *keyCache) keysOf(m *trilith.Memory, name string) []mention.Key {
	c.mu.Lock()
	k, ok := c.of[m.ID]
	c.mu.Unlock()
	if ok && k.version == m.Version && k.name == name {
		return k.keys
	}
	person := m.Fact.Node.Type == "Person" || m.Fact.Node.Type == "Pet"
	k = cachedKeys{m.Version, name, mention.Keys(m.Fact.Node.Name, m.Text, name, person)}
	for _, e := range m.Fact.Evidence {
		if about := mention.TopicKeys(m.Fact.Verb, e.Quote); about != nil {
			k.keys = append(k.keys, about...)
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) >= maxCachedKeys {
		clear(c.of)
	}
	c.of[m.ID] = k
	return k.keys
}
