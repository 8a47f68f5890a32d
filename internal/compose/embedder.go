package compose

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/builtin"
	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/model/hub"
	"github.com/trilith-memory/trilith/internal/model/local"
	"github.com/trilith-memory/trilith/internal/model/ollama"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/model/voyage"
	"github.com/trilith-memory/trilith/internal/role"
)

// autoEmbedder selects the first of automatic that has a key.
const autoEmbedder = "auto"

// automatic lists the embedders that auto may select, best first; the last needs no key.
var automatic = []struct{ key, embedder string }{
	{"VOYAGE_API_KEY", "voyage:voyage-4"}, {"OPENAI_API_KEY", "openai:text-embedding-3-small"}, {"", "builtin:"},
}

// ChooseEmbedder resolves auto with the environment of getenv, and returns true; it returns any other setting
// unchanged, and false. Parameters after auto apply to whichever embedder is selected, so only common ones make sense.
func ChooseEmbedder(setting string, getenv func(string) string) (chosen string, auto bool) {
	scheme, parameters, some := strings.Cut(setting, "?")
	if scheme != autoEmbedder {
		return setting, false
	}
	for _, c := range automatic {
		chosen = c.embedder
		if c.key == "" || strings.TrimSpace(getenv(c.key)) != "" {
			break
		}
	}
	if some {
		chosen += "?" + parameters
	}
	return chosen, true
}

// embedderSetting is an embedder setting that has been read.
type embedderSetting struct {
	provider.Spec
	dims    int
	service provider.Options
	models  string // folder of local models
	getenv  func(string) string
}

// embedderDriver describes a scheme of the setting.
type embedderDriver struct {
	params []string // besides the common ones
	keys   []string // the variables that may hold the key
	open   func(s embedderSetting, key string) (role.Embedder, error)
}

// Parameters of embedders.
var (
	adapters = []string{"mrl", "pad"}
	remote   = slices.Concat(serviceParams, []string{"dims", "rpm", "tpm"})
)

var embedderDrivers = map[string]embedderDriver{
	"builtin": {open: func(s embedderSetting, _ string) (role.Embedder, error) {
		if s.Model != "" {
			return nil, trilith.Errorf(trilith.Invalid, "embedder: builtin: has one model only; write nothing after the colon")
		}
		return builtin.New(), nil
	}},
	"hash": {open: func(s embedderSetting, _ string) (role.Embedder, error) {
		dims, err := strconv.Atoi(s.Model)
		if err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "embedder: hash needs its dimensions, for example hash:256")
		}
		return hashembed.New(dims)
	}},
	"local": {params: local.Params, open: func(s embedderSetting, _ string) (role.Embedder, error) {
		return local.Open(s.Spec, func(name string) (string, error) { return hub.Find(s.models, name) })
	}},
	"voyage": {params: remote, keys: []string{"VOYAGE_API_KEY"},
		open: func(s embedderSetting, key string) (role.Embedder, error) {
			s.service.Credential = bearer(key)
			// Keys of Atlas have their own address.
			s.service.BaseURL = cmp.Or(s.service.BaseURL, voyage.Address(key))
			return voyage.NewEmbedder(voyage.EmbedderOptions{Model: s.Model, Dims: s.dims, Service: s.service})
		}},
	"openai": {params: remote, keys: []string{"OPENAI_API_KEY"},
		open: func(s embedderSetting, key string) (role.Embedder, error) {
			s.service.Credential = bearer(key)
			return openai.NewEmbedder(openai.EmbedderOptions{Model: s.Model, Dims: s.dims, Service: s.service})
		}},
	"gemini": {params: remote, keys: []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"},
		open: func(s embedderSetting, key string) (role.Embedder, error) {
			if key != "" {
				s.service.Credential = provider.Header("x-goog-api-key", key)
			}
			return gemini.NewEmbedder(gemini.EmbedderOptions{Model: s.Model, Dims: s.dims, Service: s.service})
		}},
	"vertex": {params: slices.Concat(remote, []string{"project", "location"}),
		open: func(s embedderSetting, key string) (role.Embedder, error) {
			credential, err := gemini.Credentials([]byte(key), nil)
			if err != nil {
				return nil, err
			}
			s.service.Credential = credential
			return gemini.NewEmbedder(
				gemini.EmbedderOptions{Model: s.Model, Dims: s.dims, Service: s.service, Vertex: &gemini.Vertex{
					Project:  cmp.Or(s.Param("project"), s.getenv("GOOGLE_CLOUD_PROJECT")),
					Location: cmp.Or(s.Param("location"), s.getenv("VERTEX_AI_LOCATION")),
				}})
		}},
	"ollama": {params: slices.Concat(remote, []string{"num_ctx", "keep_alive"}),
		open: func(s embedderSetting, key string) (role.Embedder, error) {
			s.service.Credential = bearer(key)
			size, err := s.Int("num_ctx")
			if err != nil {
				return nil, err
			}
			s.service.BaseURL = cmp.Or(s.service.BaseURL, ollamaHost(s.getenv("OLLAMA_HOST")))
			return ollama.NewEmbedder(
				ollama.EmbedderOptions{Model: s.Model, Dims: s.dims, Context: size, KeepAlive: s.Param("keep_alive"),
					Service: s.service})
		}},
}

// OpenEmbedder opens the embedder of a setting; nil for none.
func (s *Settings) OpenEmbedder(setting string) (role.Embedder, error) {
	if setting == "none" {
		return nil, nil
	}
	scheme := schemeOf(setting)
	d, known := embedderDrivers[scheme]
	if !known {
		return nil, trilith.Errorf(
			trilith.Invalid, "embedder: %q is not known; use builtin:, local:NAME_OR_DIR, voyage:, openai:, gemini:, vertex: or ollama: "+
				"with the name of a model, auto, hash:DIMS or none", scheme)
	}
	spec, err := provider.Parse("embedder", setting, slices.Concat(adapters, d.params)...)
	if err != nil {
		return nil, err
	}
	if spec.Model == "" && d.params != nil {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: name a model after %s:", scheme)
	}
	read := embedderSetting{Spec: spec, models: s.Models, getenv: s.getenv}
	if read.service, err = s.service(spec); err != nil {
		return nil, err
	}
	var numbers [5]int
	for i, name := range []string{"dims", "rpm", "tpm", "mrl", "pad"} {
		if numbers[i], err = spec.Int(name); err != nil {
			return nil, err
		}
	}
	read.dims, read.service.Limits = numbers[0], provider.Limits{Requests: numbers[1], Tokens: numbers[2]}
	key, err := s.credential(spec, d.keys...)
	if err != nil {
		return nil, err
	}
	e, err := d.open(read, key)
	if err == nil && numbers[3] > 0 {
		e, err = embedding.Shortened(e, numbers[3])
	}
	if err == nil && numbers[4] > 0 {
		e, err = embedding.Padded(e, numbers[4])
	}
	if err != nil {
		return nil, err
	}
	if asksService(d) {
		e = embedding.At(e, s.addressOf(spec))
	}
	switch {
	case s.AutoEmbedder && d.keys != nil: // a user whose texts leave the machine has to notice
		s.logger().Warn("embedder: auto: texts are sent to a provider", "embedder", setting)
	case s.AutoEmbedder:
		s.logger().Info("embedder: auto: no key is set", "embedder", setting)
	}
	return e, nil
}

// asksService reports whether an embedder's texts go to a service.
func asksService(d embedderDriver) bool { return slices.Contains(d.params, "base_url") }

// addressOf returns the address of a service in the form for a generation, independent of spelling: the case of the
// host, the default port, a final slash.
func (s *Settings) addressOf(spec provider.Spec) string {
	base := spec.Param("base_url")
	if spec.Scheme == "ollama" {
		base = cmp.Or(base, ollamaHost(s.getenv("OLLAMA_HOST")))
	}
	u, err := url.Parse(base)
	if base == "" || err != nil { // opening the embedder has reported the error
		return trilith.OwnAddress
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if port == "" || port == map[string]string{"http": "80", "https": "443"}[scheme] {
		u.Host = host
		if strings.Contains(host, ":") {
			u.Host = "[" + host + "]"
		}
	} else {
		u.Host = net.JoinHostPort(host, port)
	}
	address := (&url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}).String()
	if address == map[string]string{"openai": openai.OpenAI, "ollama": ollama.Local,
		"voyage": voyage.Address("")}[spec.Scheme] {
		return trilith.OwnAddress
	}
	return address
}

// ollamaHost makes a base URL of the forms that Ollama's own programs accept in OLLAMA_HOST: a URL, a host, a host and
// a port, or a port after a colon. The address for listening on all interfaces is replaced, because it cannot be
// called.
func ollamaHost(value string) string {
	if value = strings.TrimSpace(value); value == "" {
		return ""
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
		if u, err := url.Parse(value); err == nil && u.Port() == "" {
			u.Host = net.JoinHostPort(u.Hostname(), "11434")
			value = u.String()
		}
	}
	u, err := url.Parse(value)
	if err != nil {
		return value // its use will report the error
	}
	if host := u.Hostname(); host == "" || host == "0.0.0.0" || host == "::" {
		u.Host = net.JoinHostPort("127.0.0.1", cmp.Or(u.Port(), "11434"))
	}
	return u.String()
}
