package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Domains is [interview.Interviewer.Domains].
func (e *Engine) Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error) {
	return e.interviews.Domains(ctx, s)
}

// DomainGaps is [interview.Interviewer.Gaps].
func (e *Engine) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	return e.interviews.Gaps(ctx, s)
}

// StartInterview is [interview.Interviewer.Start].
func (e *Engine) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return e.interviews.Start(ctx, s)
}

// AnswerInterview is [interview.Interviewer.Answer].
func (e *Engine) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	return e.interviews.Answer(ctx, s, id, r)
}

// InterviewGaps is [interview.Interviewer.InterviewGaps].
func (e *Engine) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return e.interviews.InterviewGaps(ctx, s, id)
}
