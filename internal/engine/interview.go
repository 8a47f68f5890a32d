package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Domains is [interviewer.Interviewer.Domains].
func (e *Engine) Domains(ctx context.Context, s cairn.Scope) (cairn.Domains, error) {
	return e.interviews.Domains(ctx, s)
}

// DomainGaps is [interviewer.Interviewer.Gaps].
func (e *Engine) DomainGaps(ctx context.Context, s cairn.Scope) (cairn.DomainGaps, error) {
	return e.interviews.Gaps(ctx, s)
}

// StartInterview is [interviewer.Interviewer.Start].
func (e *Engine) StartInterview(ctx context.Context, s cairn.Scope) (cairn.Interview, error) {
	return e.interviews.Start(ctx, s)
}

// AnswerInterview is [interviewer.Interviewer.Answer].
func (e *Engine) AnswerInterview(ctx context.Context, s cairn.Scope, id string, r cairn.InterviewAnswer) (
	cairn.Interview, error) {
	return e.interviews.Answer(ctx, s, id, r)
}

// InterviewGaps is [interviewer.Interviewer.InterviewGaps].
func (e *Engine) InterviewGaps(ctx context.Context, s cairn.Scope, id string) (cairn.DomainGaps, error) {
	return e.interviews.InterviewGaps(ctx, s, id)
}
