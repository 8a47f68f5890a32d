package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/role"
)

// probeWait is the time limit for a provider's canary: a server may have to load the model first.
const probeWait = 2 * time.Minute

// probe is a configured provider. ask opens it, sends the canary and describes the answer.
type probe struct {
	role, setting string
	ask           func(ctx context.Context) (answer string, err error)
}

// prober asks the providers that the settings name whether they work.
type prober struct{ *compose.Settings }

// probes returns a probe for each provider that is configured.
func (p prober) probes() []probe {
	all := []probe{
		{"embedder", p.Embedder, p.probeEmbedder},
		{"model", p.Model, p.probeModel},
		{"reranker", p.Reranker, p.probeReranker},
	}
	var out []probe
	for _, one := range all {
		if one.setting != "none" && one.setting != "" {
			out = append(out, one)
		}
	}
	return out
}

// run asks a provider once.
func (p probe) run(ctx context.Context) trilith.Check {
	var used trilith.Spent // a probe asks one provider, one request at a time
	ctx, cancel := context.WithTimeout(trilith.Metered(ctx, func(s trilith.Spent) {
		used.Requests += s.Requests
		used.Usage.Add(s.Usage)
	}), probeWait)
	defer cancel()
	name := strings.TrimSuffix(p.setting, ":")
	start := time.Now()
	answer, err := p.ask(ctx)
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		return trilith.Check{Name: p.role, Detail: fmt.Sprintf("%s: %s", name, trilith.MessageOf(err)), Fix: remedy(err)}
	}
	detail := fmt.Sprintf("%s: %s in %s", name, answer, took)
	if used.Requests > 0 {
		detail += fmt.Sprintf("; %d requests, %d tokens", used.Requests, used.Usage.InputTokens+used.Usage.OutputTokens)
	}
	return trilith.Check{Name: p.role, OK: true, Detail: detail}
}

// remedies say what helps against an error of a provider.
var remedies = map[trilith.ErrorKind]string{
	trilith.Unauthenticated:  "set the key that docs/providers.md names for it, or one that is valid",
	trilith.Forbidden:        "give the key the right to use this model, or name another model",
	trilith.Unsupported:      "look at the name of the model and at base_url",
	trilith.Unavailable:      "start the service, look at base_url and the network, or wait",
	trilith.DeadlineExceeded: "look at base_url and the network, or let the service load its model first",
	trilith.Exhausted:        "look at the account with the provider",
	trilith.Internal:         "look at base_url and the name of the model: this service does not do what the setting says",
}

func remedy(err error) string {
	if fix := remedies[trilith.KindOf(err)]; fix != "" {
		return fix
	}
	return "change the setting as it says"
}

const canary = "A canary sings in its cage."

func (p prober) probeEmbedder(ctx context.Context) (string, error) {
	e, err := p.OpenEmbedder(p.Embedder)
	if err != nil {
		return "", err
	}
	defer e.Close()
	es, err := e.Embed(ctx, role.ForQuery, []string{canary})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a vector of %d dimensions", len(es[0].Vector)), nil
}

// probeModel uses the strictest output form of the model, like extraction.
func (p prober) probeModel(ctx context.Context) (string, error) {
	m, err := p.OpenModel()
	if err != nil {
		return "", err
	}
	defer m.Close()
	r := role.ModelRequest{System: `Answer with a JSON object of one member "sings", true or false.`, MaxOutput: 256,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: canary + " Does it sing?"}},
		Schema: &role.OutputSchema{Name: "canary", Description: "What a canary does.",
			JSON: json.RawMessage(`{"type":"object","properties":{"sings":{"type":"boolean"}},"required":["sings"],"additionalProperties":false}`)}}
	var answer role.ModelAnswer
	for _, r.Form = range m.Info().Forms {
		if answer, err = m.Generate(ctx, r); trilith.KindOf(err) != trilith.Unsupported || err == nil {
			break
		}
	}
	if err != nil {
		return "", err
	}
	if err := answer.Check(); err != nil {
		return "", trilith.Errorf(trilith.Internal, "%s", trilith.MessageOf(err))
	}
	var said struct{ Sings *bool }
	if json.Unmarshal([]byte(answer.Text), &said) != nil || said.Sings == nil {
		return "", trilith.Errorf(trilith.Internal, "model: its answer does not have the form %s", r.Form)
	}
	return fmt.Sprintf("an answer in the form %s", r.Form), nil
}

func (p prober) probeReranker(ctx context.Context) (string, error) {
	r, err := p.OpenReranker()
	if err != nil {
		return "", err
	}
	defer r.Close()
	scores, err := r.Rerank(ctx, "Which bird sings?", []string{"A stone lies in the field.", canary})
	if err != nil {
		return "", err
	}
	if scores[1] <= scores[0] {
		return "", trilith.Errorf(trilith.Internal, "reranker: it ranks a stone above a canary as an answer to which bird sings; try another model")
	}
	return fmt.Sprintf("scores %.3g and %.3g for what answers and what does not", scores[1], scores[0]), nil
}

// run asks the providers, one after the other.
func (p prober) run(ctx context.Context) trilith.DoctorReport {
	r := trilith.DoctorReport{OK: true, Checks: []trilith.Check{}}
	for _, one := range p.probes() {
		c := one.run(ctx)
		r.OK = r.OK && c.OK
		r.Checks = append(r.Checks, c)
	}
	return r
}
