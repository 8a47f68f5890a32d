package main

import (
	"encoding/json"

	"github.com/trilith-memory/trilith"
)

// scopeFlags narrow a command inside the tenant.
type scopeFlags struct {
	Project string `help:"Project." group:"Scope"`
	Domain  string `help:"Knowledge domain." group:"Scope"`
	User    string `help:"Person whose memory it is." group:"Scope"`
	Agent   string `help:"Agent that writes or reads." group:"Scope"`
	Session string `help:"Conversation." group:"Scope"`
	Channel string `help:"Where it was said." group:"Scope"`
}

func (f scopeFlags) in(s trilith.Scope) trilith.Scope {
	s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel = f.Project, f.Domain, f.User, f.Agent,
		f.Session, f.Channel
	return s
}

// parseFilter reads the filter grammar from a flag.
func parseFilter(s string) (trilith.Filter, error) {
	var f trilith.Filter
	if s == "" {
		return f, nil
	}
	if !json.Valid([]byte(s)) {
		return f, trilith.Errorf(trilith.Invalid, `filter: is not JSON; write it as '{"kind": "note"}'`)
	}
	err := json.Unmarshal([]byte(s), &f)
	return f, err
}
