package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type startInterviewInput struct {
	Body struct{ trilith.Scope }
}

// OneInterview names an interview in the path of a URL.
type OneInterview struct {
	ID string `path:"id" doc:"Id of the interview: its session" maxLength:"255"`
}

type answerInterviewInput struct {
	OneInterview
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating an answer with its key gives what followed the first one" maxLength:"255"`
	Body           struct {
		trilith.Scope
		trilith.InterviewAnswer
	}
}

type interviewGapsInput struct {
	OneInterview
	ScopeQuery
}

type domainGapsInput struct {
	Domain  string `path:"domain" doc:"Id of the domain's schema" maxLength:"255"`
	Project string `query:"project" doc:"Project whose entries count; all if absent" maxLength:"255"`
	User    string `query:"user" doc:"Person whose entries count; all if absent" maxLength:"255"`
}

func (s *sessionRoutes) registerInterviews(api huma.API) {
	handle(s.edge, api, post("start-interview", "/interviews",
		"Begin an interview about a domain, or go on with the one of a session"),
		func(ctx context.Context, who trilith.Identity, in *startInterviewInput) (trilith.Interview, error) {
			return s.engine.StartInterview(ctx, within(who, in.Body.Scope))
		})
	handle(s.edge, api, post("answer-interview", "/interviews/{id}/answers",
		"Answer the question of an interview and get the next one"),
		func(ctx context.Context, who trilith.Identity, in *answerInterviewInput) (trilith.Interview, error) {
			r := in.Body.InterviewAnswer
			var err error
			if r.RequestKey, err = requestKey(in.IdempotencyKey, r.RequestKey); err != nil {
				return trilith.Interview{}, err
			}
			return s.engine.AnswerInterview(ctx, within(who, in.Body.Scope), in.ID, r)
		})
	handle(s.edge, api, get("interview-gaps", "/interviews/{id}/gaps",
		"What an interview knows of its domain and what it does not"),
		func(ctx context.Context, who trilith.Identity, in *interviewGapsInput) (trilith.DomainGaps, error) {
			return s.engine.InterviewGaps(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, get("list-domains", "/domains", "The schemas that interviews can be about"),
		func(ctx context.Context, who trilith.Identity, _ *struct{}) (trilith.Domains, error) {
			return s.engine.Domains(ctx, within(who, trilith.Scope{}))
		})
	handle(s.edge, api, get("domain-gaps", "/domains/{domain}/gaps", "What is known of a domain and what is not"),
		func(ctx context.Context, who trilith.Identity, in *domainGapsInput) (trilith.DomainGaps, error) {
			return s.engine.DomainGaps(ctx,
				within(who, trilith.Scope{Domain: in.Domain, Project: in.Project, User: in.User}))
		})
}
