package rest

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

// ScopeQuery is a scope in the query of a URL. It is exported, as is OneMemory, because the framework looks into
// exported embedded structs only.
type ScopeQuery struct {
	Project string `query:"project" doc:"Project that the memory belongs to" maxLength:"255"`
	Domain  string `query:"domain" doc:"Knowledge domain" maxLength:"255"`
	User    string `query:"user" doc:"Person whose memory it is" maxLength:"255"`
	Agent   string `query:"agent" doc:"Agent that wrote or reads" maxLength:"255"`
	Session string `query:"session" doc:"Conversation or run" maxLength:"255"`
	Channel string `query:"channel" doc:"Where it was said, for example chat or e-mail" maxLength:"255"`
	Zone    string `query:"time_zone" doc:"IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset" maxLength:"64"`
}

func (q ScopeQuery) within(who trilith.Identity) trilith.Scope {
	return within(who, trilith.Scope{Project: q.Project, Domain: q.Domain, User: q.User, Agent: q.Agent,
		Session: q.Session, Channel: q.Channel, TimeZone: q.Zone})
}

// StatesQuery is a list of states in the query of a URL: names with commas between them, or the parameter repeated.
type StatesQuery struct {
	States []string `query:"states,explode" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"`
}

func (q StatesQuery) states() []trilith.State {
	var out []trilith.State
	for _, name := range separated(q.States) {
		out = append(out, trilith.State(name))
	}
	return out
}

// separated splits lists at commas.
func separated(lists []string) (out []string) {
	for _, list := range lists {
		for v := range strings.SplitSeq(list, ",") {
			out = append(out, strings.TrimSpace(v))
		}
	}
	return out
}

// OneMemory names a memory in the path of a URL.
type OneMemory struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the memory"`
}

// messagesSchema describes messages, which check themselves when they are decoded.
type messagesSchema struct{}

// Schema is documented at [huma.SchemaProvider].
func (messagesSchema) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{AnyOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[trilith.Message](), true, ""),
		{Type: huma.TypeObject, AdditionalProperties: true, Description: "A message as the API of a model or a framework has it"}}}}
}

// requestKey returns the idempotency key of a request, which may be in a header or in the body.
func requestKey(header, body string) (string, error) {
	if header != "" && body != "" && header != body {
		return "", trilith.Errorf(trilith.Invalid, "request_key: differs from the header Idempotency-Key; send one of them")
	}
	return cmp.Or(header, body), nil
}
