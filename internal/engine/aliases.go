package engine

import (
	"github.com/cairn-memory/cairn/internal/jobs"
	"github.com/cairn-memory/cairn/internal/operate"
	"github.com/cairn-memory/cairn/internal/recall"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Backlog is [jobs.Backlog].
type Backlog = jobs.Backlog

const JobDeferred = truth.JobDeferred

const JobFailed = truth.JobFailed

// JobOutcome is [truth.JobOutcome].
type JobOutcome = truth.JobOutcome

const JobSucceeded = truth.JobSucceeded

// LogRequests is [truth.LogRequests].
var LogRequests = truth.LogRequests

// Meter is [truth.Meter].
type Meter = truth.Meter

// RequestOf is [truth.RequestOf].
var RequestOf = truth.RequestOf

// Status is [operate.Status].
type Status = operate.Status

// Tokens is [recall.Tokens].
var Tokens = recall.Tokens

// WithRequest is [truth.WithRequest].
var WithRequest = truth.WithRequest
