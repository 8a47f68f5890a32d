package zep

import (
	"context"
	"maps"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// sessionRoutes are the routes of version 2, whose sessions are the threads of version 3.
var sessionRoutes = []compat.Route{
	{Method: "POST", Path: root + "/sessions", Need: writer, Status: 201, Do: addSession},
	{Method: "GET", Path: root + "/sessions/{session}", Do: getSession},
	{Method: "POST", Path: root + "/sessions/{session}/memory", Need: writer, Do: compat.Taking(addToSession)},
	{Method: "GET", Path: root + "/sessions/{session}/memory", Do: sessionMemory},
	{Method: "DELETE", Path: root + "/sessions/{session}/memory", Need: writer, Do: deleteThread},
	{Method: "GET", Path: root + "/sessions/{session}/messages", Do: messages},
	{Method: "GET", Path: root + "/users/{user}/sessions", Do: userSessions},
}

func addSession(ctx context.Context, c *compat.Call) (any, error) {
	data := map[string]any{}
	if err := c.Decode(&data); err != nil {
		return nil, err
	}
	name, _ := data["session_id"].(string)
	user, _ := data["user_id"].(string)
	if name == "" {
		return nil, trilith.Errorf(trilith.Invalid, "session_id: is missing")
	}
	maps.DeleteFunc(data, func(key string, _ any) bool { return key == "session_id" || key == "user_id" })
	o, err := c.Put(ctx, trilith.Object{Type: threadType, Name: name, Data: data,
		Scope: trilith.Scope{User: user, Session: name}}, true)
	if err != nil {
		return nil, known(err)
	}
	return shapeSession(c, &o), nil
}

func getSession(ctx context.Context, c *compat.Call) (any, error) {
	o, _, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	return shapeSession(c, &o), nil
}

func userSessions(ctx context.Context, c *compat.Call) (any, error) {
	all, err := c.Objects(ctx, within(c, userType, c.Path(userType)), threadType)
	out := []map[string]any{}
	for i := range all {
		out = append(out, shapeSession(c, &all[i]))
	}
	return out, err
}

// shapeSession is a thread under its former name.
func shapeSession(c *compat.Call, o *trilith.Object) map[string]any {
	out := shape(c, o)
	out["session_id"] = o.Name
	return out
}

// sessionMessages is the body of [addToSession].
type sessionMessages struct {
	Messages      []said `json:"messages"`
	ReturnContext bool   `json:"return_context"`
}

func addToSession(ctx context.Context, c *compat.Call, in sessionMessages) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	if _, _, err := say(ctx, c, s, in.Messages, nil); err != nil {
		return nil, err
	}
	out := map[string]any{"context": nil}
	if in.ReturnContext {
		out["context"], err = contextOf(ctx, c, o)
	}
	return out, err
}

// sessionMemory answers what version 2 calls the memory of a session: its last messages, a context block, and the facts
// of its user that are nearest to them.
func sessionMemory(ctx context.Context, c *compat.Call) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	turns, err := turnsOf(ctx, c, s)
	if err != nil {
		return nil, err
	}
	turns = turns[max(len(turns)-c.Whole("lastn", defaultPageSize), 0):]
	rows := []map[string]any{}
	for i := range turns {
		row := shapeMessage(&turns[i])
		row["role"], row["role_type"] = row["name"], turns[i].Role
		rows = append(rows, row)
	}
	text, err := contextOf(ctx, c, o)
	if err != nil {
		return nil, err
	}
	sentences := []string{}
	edges := []map[string]any{}
	if len(turns) > 0 {
		last := turns[len(turns)-1].Text
		r := trilith.RecallRequest{Query: end(last), K: defaultLimit, Filter: isFact()}
		hits, _, err := c.Nearest(ctx, about(c, o), r)
		if edges, err = edgesOf(ctx, c, hits, err); err != nil {
			return nil, err
		}
	}
	for _, e := range edges {
		e["content"] = e["fact"]
		sentences = append(sentences, e["fact"].(string))
	}
	return map[string]any{"context": text, "messages": rows, "facts": sentences, "relevant_facts": edges,
		"summary": nil}, nil
}
