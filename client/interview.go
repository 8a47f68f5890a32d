package client

import (
	"context"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Domains lists the schemas that interviews can be about.
func (c *Client) Domains(ctx context.Context, _ trilith.Scope) (trilith.Domains, error) {
	return ask[trilith.Domains](ctx, c, get("/domains", nil))
}

// DomainGaps reports what is known of the scope's domain and what is missing.
func (c *Client) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	var out trilith.DomainGaps
	if s.Domain == "" {
		return out, trilith.Errorf(trilith.Invalid, "domain: is empty; say which domain to ask about")
	}
	q := scopeQuery(s)
	q.Del("domain")
	return ask[trilith.DomainGaps](ctx, c, get("/domains/"+url.PathEscape(s.Domain)+"/gaps", q))
}

// StartInterview begins an interview about the scope's domain, or continues the one in its session. It is repeated
// while the server is unavailable only if the scope has a session.
func (c *Client) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return ask[trilith.Interview](ctx, c,
		request{method: http.MethodPost, path: "/interviews", idempotent: s.Session != "", body: s})
}

// AnswerInterview takes what somebody says in an interview and asks the next question. It is repeated while the server
// is unavailable only if it has a RequestKey.
func (c *Client) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	var out trilith.Interview
	if !utf8.ValidString(r.Text) {
		return out, trilith.Errorf(trilith.Invalid, "text: is not valid UTF-8")
	}
	return ask[trilith.Interview](ctx, c, request{method: http.MethodPost, path: interviewPath(id) + "/answers",
		idempotent: r.RequestKey != "", scope: &s, body: r})
}

// InterviewGaps reports what an interview knows of its domain, what it may still ask for, and what it has skipped.
func (c *Client) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return ask[trilith.DomainGaps](ctx, c, get(interviewPath(id)+"/gaps", scopeQuery(s)))
}

func interviewPath(id string) string { return "/interviews/" + url.PathEscape(id) }
