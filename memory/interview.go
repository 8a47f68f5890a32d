package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Domains lists the schemas that interviews can be about.
func (m *Memory) Domains(ctx context.Context, s trilith.Scope) (trilith.Domains, error) {
	return m.engine.Domains(ctx, m.in(s))
}

// DomainGaps reports what is known of the scope's domain and what is missing.
func (m *Memory) DomainGaps(ctx context.Context, s trilith.Scope) (trilith.DomainGaps, error) {
	return m.engine.DomainGaps(ctx, m.in(s))
}

// StartInterview begins an interview about the scope's domain, or continues the one in its session.
func (m *Memory) StartInterview(ctx context.Context, s trilith.Scope) (trilith.Interview, error) {
	return m.engine.StartInterview(ctx, m.in(s))
}

// AnswerInterview stores a reply in an interview and asks the next question. The reply is stored before it is
// evaluated: after an error, StartInterview with its session continues.
func (m *Memory) AnswerInterview(ctx context.Context, s trilith.Scope, id string, r trilith.InterviewAnswer) (
	trilith.Interview, error) {
	return m.engine.AnswerInterview(ctx, m.in(s), id, r)
}

// InterviewGaps reports what an interview knows of its domain, what it may still ask for, and what it has skipped.
func (m *Memory) InterviewGaps(ctx context.Context, s trilith.Scope, id string) (trilith.DomainGaps, error) {
	return m.engine.InterviewGaps(ctx, m.in(s), id)
}
