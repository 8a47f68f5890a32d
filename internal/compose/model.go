package compose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/anthropic"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/model/ollama"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/model/rerank"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/model/voyage"
	"github.com/trilith-memory/trilith/internal/role"
)

// modelSetting is a model setting that has been read.
type modelSetting struct {
	provider.Spec
	context, maxOutput int
	forms              []role.OutputForm   // nil: the driver's own
	media              []trilith.MediaKind // likewise
	service            provider.Options
	key                string
}

// modelDriver describes a scheme of the setting.
type modelDriver struct {
	keys   []string // variables that may contain the key; nil: no key needed
	params []string // besides the common ones
	open   func(of *Settings, s modelSetting) (role.Model, error)
}

var modelDrivers = map[string]modelDriver{
	"openai": {keys: []string{"OPENAI_API_KEY"}, params: []string{"media", "transcribe"},
		open: func(_ *Settings, s modelSetting) (role.Model, error) {
			s.service.Credential = bearer(s.key)
			return openai.NewChat(openai.ChatOptions{Model: s.Model, Context: s.context, MaxOutput: s.maxOutput,
				Forms: s.forms, Media: s.media, Transcribe: s.Param("transcribe"), Service: s.service})
		}},
	"deepseek": {keys: []string{"DEEPSEEK_API_KEY"}, open: func(of *Settings, s modelSetting) (role.Model, error) {
		s.service.Credential = bearer(s.key)
		return openai.NewDeepSeek(
			openai.ChatOptions{Model: s.Model, Context: s.context, MaxOutput: s.maxOutput, Forms: s.forms,
				Service: s.service, Logger: of.logger()})
	}},
	"anthropic": {keys: []string{"ANTHROPIC_API_KEY"}, params: []string{"media"},
		open: func(_ *Settings, s modelSetting) (role.Model, error) {
			return anthropic.New(anthropic.Options{Model: s.Model, Key: s.key, Context: s.context,
				MaxOutput: s.maxOutput, Forms: s.forms, Media: s.media, Service: s.service})
		}},
	"gemini": {keys: []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}, params: []string{"media"},
		open: func(_ *Settings, s modelSetting) (role.Model, error) {
			if s.key != "" {
				s.service.Credential = provider.Header("x-goog-api-key", s.key)
			}
			return gemini.NewModel(gemini.ModelOptions{Model: s.Model, Context: s.context, MaxOutput: s.maxOutput,
				Forms: s.forms, Media: s.media, Service: s.service})
		}},
	"vertex": {params: []string{"project", "location", "media"}, open: func(of *Settings, s modelSetting) (
		role.Model, error) {
		credential, err := gemini.Credentials([]byte(s.key), nil)
		if err != nil {
			return nil, err
		}
		s.service.Credential = credential
		return gemini.NewModel(gemini.ModelOptions{Model: s.Model, Context: s.context, MaxOutput: s.maxOutput,
			Forms: s.forms, Media: s.media, Service: s.service,
			Vertex: &gemini.Vertex{Project: cmp.Or(s.Param("project"), of.getenv("GOOGLE_CLOUD_PROJECT")),
				Location: cmp.Or(s.Param("location"), of.getenv("VERTEX_AI_LOCATION"))}})
	}},
	"ollama": {open: func(of *Settings, s modelSetting) (role.Model, error) {
		s.service.BaseURL = cmp.Or(s.service.BaseURL, ollamaHost(of.getenv("OLLAMA_HOST")))
		s.service.Credential = bearer(s.key)
		return ollama.NewChat(ollama.ChatOptions{Model: s.Model, Context: s.context, MaxOutput: s.maxOutput,
			Forms: s.forms, Service: s.service})
	}},
}

// OpenModel opens the model of the setting; nil for none.
func (s *Settings) OpenModel() (role.Model, error) {
	scheme, rest, _ := strings.Cut(s.Model, ":")
	d, known := modelDrivers[scheme]
	switch {
	case s.Model == "none" || s.Model == "":
		return nil, nil
	case scheme == "scripted" && rest != "":
		return scripted.Open(rest)
	case !known:
		return nil, trilith.Errorf(
			trilith.Invalid, "model: %q is not known; use deepseek:, openai:, anthropic:, gemini:, vertex: or ollama: "+
				"with the name of a model, scripted:FILE or none", scheme)
	}
	spec, err := provider.Parse(
		"model", s.Model, slices.Concat(serviceParams, []string{"context", "max_output", "forms"}, d.params)...)
	if err != nil {
		return nil, err
	}
	if spec.Model == "" {
		return nil, trilith.Errorf(trilith.Invalid, "model: name one after %s:", scheme)
	}
	read := modelSetting{Spec: spec}
	var errs [6]error
	read.service, errs[4] = s.service(spec)
	read.context, errs[0] = spec.Int("context")
	read.maxOutput, errs[1] = spec.Int("max_output")
	read.forms, errs[2] = outputForms(spec.Param("forms"))
	read.media, errs[5] = mediaKinds(spec.Param("media"))
	read.key, errs[3] = s.credential(spec, d.keys...)
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	return d.open(s, read)
}

// outputForms reads names of forms with commas between them.
func outputForms(list string) (out []role.OutputForm, err error) {
	if list == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		f := role.OutputForm(name)
		if !slices.Contains(role.OutputForms(), f) || slices.Contains(out, f) {
			return nil, trilith.Errorf(
				trilith.Invalid, "model: forms are json_schema, tool and json_object, each once, the best first, with commas between them")
		}
		out = append(out, f)
	}
	return out, nil
}

// mediaKinds parses a list of file kinds, separated by commas, that a model may receive; none: no files.
func mediaKinds(list string) (out []trilith.MediaKind, err error) {
	switch list {
	case "":
		return nil, nil
	case "none":
		return []trilith.MediaKind{}, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		k := trilith.MediaKind(name)
		if !slices.Contains(trilith.MediaKinds(), k) || slices.Contains(out, k) {
			return nil, trilith.Errorf(trilith.Invalid,
				"model: media are image, pages and audio, each once, with commas between them, or none")
		}
		out = append(out, k)
	}
	return out, nil
}

// rerankerDrivers describe the schemes of the setting reranker.
var rerankerDrivers = map[string]struct {
	key  string // as of a model
	open func(rerank.Options) (*rerank.Reranker, error)
}{
	"voyage": {"VOYAGE_API_KEY", rerank.NewVoyage}, "cohere": {"COHERE_API_KEY", rerank.NewCohere},
	"jina": {"JINA_API_KEY", rerank.NewJina}, "tei": {"", rerank.NewTEI},
}

// OpenReranker opens the reranker of the setting; nil for none.
func (s *Settings) OpenReranker() (role.Reranker, error) {
	scheme, _, _ := strings.Cut(s.Reranker, ":")
	d, known := rerankerDrivers[scheme]
	switch {
	case s.Reranker == "none" || s.Reranker == "":
		return nil, nil
	case s.RerankDepth < 1 || s.RerankDepth > maxRerankDepth:
		return nil, trilith.Errorf(trilith.Invalid, "rerank-depth: is %d, must be 1 to %d", s.RerankDepth, maxRerankDepth)
	case s.RerankTimeout <= 0:
		return nil, trilith.Errorf(trilith.Invalid, "rerank-timeout: must be above 0, such as 2s")
	case !known:
		return nil, trilith.Errorf(
			trilith.Invalid, "reranker: %q is not known; use voyage:, cohere: or jina: with the name of a model, "+
				"tei:?base_url=URL or none", scheme)
	}
	spec, err := provider.Parse("reranker", s.Reranker, serviceParams...)
	if err != nil {
		return nil, err
	}
	if spec.Model == "" && scheme != "tei" {
		return nil, trilith.Errorf(trilith.Invalid, "reranker: name a model after %s:", scheme)
	}
	key, err := s.credential(spec, d.key)
	if err != nil {
		return nil, err
	}
	service, err := s.service(spec)
	if err != nil {
		return nil, err
	}
	service.Credential = bearer(key)
	if scheme == "voyage" {
		service.BaseURL = cmp.Or(service.BaseURL, voyage.Address(key)) // keys of Atlas have an address of their own
	}
	return d.open(rerank.Options{Model: spec.Model, Service: service})
}

// maxRerankDepth is the largest number of reranked hits: the largest number of hits in a request.
const maxRerankDepth = trilith.MaxK
