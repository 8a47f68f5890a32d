package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// Domains lists the schemas that interviews can be about.
func (c *Client) Domains(ctx context.Context, _ cairn.Scope) (cairn.Domains, error) {
	return ask[cairn.Domains](ctx, c, get("/domains", nil))
}

// DomainGaps reports what is known of the scope's domain and what is missing.
func (c *Client) DomainGaps(ctx context.Context, s cairn.Scope) (cairn.DomainGaps, error) {
	var out cairn.DomainGaps
	if s.Domain == "" {
		return out, cairn.Errorf(cairn.Invalid, "domain: is empty; say which domain to ask about")
	}
	q := scopeQuery(s)
	q.Del("domain")
	return ask[cairn.DomainGaps](ctx, c, get("/domains/"+url.PathEscape(s.Domain)+"/gaps", q))
}

// StartInterview begins an interview about the scope's domain, or continues the one in its session. It is repeated
// while the server is unavailable only if the scope has a session.
func (c *Client) StartInterview(ctx context.Context, s cairn.Scope) (cairn.Interview, error) {
	return ask[cairn.Interview](ctx, c,
		request{method: http.MethodPost, path: "/interviews", idempotent: s.Session != "", body: s})
}

// AnswerInterview takes what somebody says in an interview and asks the next question. It is repeated while the server
// is unavailable only if it has a RequestKey.
func (c *Client) AnswerInterview(ctx context.Context, s cairn.Scope, id string, r cairn.InterviewAnswer) (
	cairn.Interview, error) {
	var out cairn.Interview
	if !utf8.ValidString(r.Text) {
		return out, cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8")
	}
	return ask[cairn.Interview](ctx, c, request{method: http.MethodPost, path: interviewPath(id) + "/answers",
		idempotent: r.RequestKey != "", body: struct {
			cairn.Scope
			cairn.InterviewAnswer
		}{s, r}})
}

// InterviewGaps reports what an interview knows of its domain, what it may still ask for, and what it has skipped.
func (c *Client) InterviewGaps(ctx context.Context, s cairn.Scope, id string) (cairn.DomainGaps, error) {
	return ask[cairn.DomainGaps](ctx, c, get(interviewPath(id)+"/gaps", scopeQuery(s)))
}

func interviewPath(id string) string { return "/interviews/" + url.PathEscape(id) }
