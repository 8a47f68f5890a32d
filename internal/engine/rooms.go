package engine

import (
	"reflect"

	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/operate"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/review/projects"
	"github.com/trilith-memory/trilith/internal/talk/interview"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// room is Room for a type that is known.
func room[R any](e *Engine) R {
	r, _ := e.Room(reflect.TypeFor[R]()).(R)
	return r
}

// Room returns the room of a type in this view: a value with the methods that carry operations out. It is nil if there
// is none.
func (e *Engine) Room(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[*Engine]():
		return e
	case reflect.TypeFor[Changes]():
		return Changes{e}
	case reflect.TypeFor[*review.Reviewer]():
		return e.review
	case reflect.TypeFor[*recall.Reader]():
		return e.recall
	case reflect.TypeFor[*served.Log]():
		return e.log
	case reflect.TypeFor[*derive.Deriver]():
		return e.derive
	case reflect.TypeFor[*entities.Entities]():
		return e.entities
	case reflect.TypeFor[*relations.Relations]():
		return e.relations
	case reflect.TypeFor[*alerts.Alerts]():
		return e.alerts
	case reflect.TypeFor[*operate.Operator]():
		return e.operate
	case reflect.TypeFor[*jobs.Runner]():
		return e.jobs
	case reflect.TypeFor[*sessions.Sessions]():
		return e.sessions
	case reflect.TypeFor[*sessions.Transcripts]():
		return e.sessions.Transcripts
	case reflect.TypeFor[*media.Room]():
		return e.media
	case reflect.TypeFor[*usage.Accounts]():
		return e.usage
	case reflect.TypeFor[*projects.Projects]():
		return e.projects
	case reflect.TypeFor[*interview.Interviewer]():
		return e.interviews
	}
	return nil
}
