package zep

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// askedTurns is how many of a thread's last turns form the question for a context block.
const askedTurns = 4

var threadRoutes = []compat.Route{
	{Method: "POST", Path: root + "/threads", Need: writer, Status: 201, Do: compat.Taking(createThread)},
	{Method: "GET", Path: root + "/threads", Do: listThreads},
	{Method: "DELETE", Path: root + "/threads/{thread}", Need: writer, Do: deleteThread},
	{Method: "POST", Path: root + "/threads/{thread}/messages", Need: writer, Do: compat.Taking(addMessages)},
	{Method: "POST", Path: root + "/threads/{thread}/messages-batch", Need: writer, Do: compat.Taking(addMessages)},
	{Method: "GET", Path: root + "/threads/{thread}/messages", Do: messages},
	{Method: "GET", Path: root + "/threads/{thread}/context", Do: threadContext},
	{Method: "GET", Path: root + "/threads/{thread}/summary", Do: threadSummary},
	{Method: "GET", Path: root + "/threads/{thread}/episodes", Do: threadEpisodes},
	{Method: "PATCH", Path: root + "/messages/{message}", Need: writer, Do: compat.Taking(changeMessage)},
}

// said is one message.
type said struct {
	Role      string      `json:"role"`
	RoleType  string      `json:"role_type"` // of version 2, in which the role is a name
	CreatedAt compat.Time `json:"created_at"`
	turns     trilith.Messages
}

func (s *said) UnmarshalJSON(data []byte) error {
	type plain said
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	var err error
	s.turns, err = compat.Messages(data)
	return err
}

// newThread is the body of [createThread].
type newThread struct {
	ThreadID compat.Name `json:"thread_id"`
	UserID   compat.Name `json:"user_id"`
}

func createThread(ctx context.Context, c *compat.Call, in newThread) (any, error) {
	if in.ThreadID == "" || in.UserID == "" {
		return nil, trilith.Errorf(trilith.Invalid, "thread_id and user_id are both needed")
	}
	o, err := c.Put(ctx, trilith.Object{Type: threadType, Name: string(in.ThreadID),
		Scope: trilith.Scope{User: string(in.UserID), Session: string(in.ThreadID)}}, true)
	if err != nil {
		return nil, known(err)
	}
	return shape(c, &o), nil
}

func listThreads(ctx context.Context, c *compat.Call) (any, error) {
	page, total, err := ordered(ctx, c, threadType, "page_number", "page_size")
	return map[string]any{"threads": shapes(c, page), "total_count": total, "response_count": len(page)}, err
}

func deleteThread(ctx context.Context, c *compat.Call) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := deleteAll(ctx, c, s, "session", o.Name, o); err != nil {
		return nil, err
	}
	return message{"Thread deleted."}, nil
}

// threadMessages is the body of [addMessages].
type threadMessages struct {
	Messages      []said   `json:"messages"`
	ReturnContext bool     `json:"return_context"`
	IgnoreRoles   []string `json:"ignore_roles"`
}

func addMessages(ctx context.Context, c *compat.Call, in threadMessages) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	ms, source, err := say(ctx, c, s, in.Messages, in.IgnoreRoles)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"message_uuids": trilith.IDsOf(ms), "context": nil, "task_id": source}
	if in.ReturnContext {
		out["context"], err = contextOf(ctx, c, o)
	}
	return out, err
}

// say stores messages as turns of a conversation. From those of ignored roles no facts are derived.
func say(ctx context.Context, c *compat.Call, s trilith.Scope, all []said, ignored []string) (
	kept []trilith.Memory, source trilith.ID, err error) {
	if len(all) == 0 {
		return nil, "", trilith.Errorf(trilith.Invalid, "messages: is empty")
	}
	var sum trilith.RememberResult
	for len(all) > 0 {
		ignore := slices.Contains(ignored, all[0].Role)
		n := slices.IndexFunc(all, func(m said) bool { return slices.Contains(ignored, m.Role) != ignore })
		if n < 0 {
			n = len(all)
		}
		r := trilith.RememberRequest{}
		if ignore {
			r.Extract = trilith.ExtractNone
		}
		for _, m := range all[:n] {
			for _, turn := range m.turns {
				turn.Timestamp = m.CreatedAt.String()
				if m.RoleType != "" && turn.Role != trilith.RoleTool {
					turn.Role, turn.Speaker = trilith.RoleNamed(m.RoleType), m.Role
				}
				r.Messages = append(r.Messages, turn)
			}
		}
		res, err := c.Keep(ctx, s, r)
		if err != nil {
			return kept, source, err
		}
		sum.Rejected = append(sum.Rejected, res.Rejected...)
		kept, all = append(kept, res.Memories...), all[n:]
		if res.SourceID != "" {
			source = res.SourceID
		}
	}
	sum.Memories = kept
	if err := sum.Refusal("messages"); err != nil {
		return nil, "", err
	}
	_, err = c.AwaitRules(ctx, s, trilith.IDsOf(kept))
	return kept, source, err
}

// messages answers a page of a thread, oldest first: the last ones, or those behind a cursor, which is a number.
func messages(ctx context.Context, c *compat.Call) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := turnsOf(ctx, c, s)
	if err != nil {
		return nil, err
	}
	page := all
	if last := c.Whole("lastn", 0); last > 0 {
		page = all[max(len(all)-last, 0):]
	} else {
		from := min(c.Whole("cursor", 0), len(all))
		page = all[from:min(from+max(c.Whole("limit", len(all)), 0), len(all))]
	}
	rows := []map[string]any{}
	for i := range page {
		rows = append(rows, shapeMessage(&page[i]))
	}
	return map[string]any{"messages": rows, "row_count": len(rows), "total_count": len(all), "user_id": o.Scope.User,
		"user_uuid": uuid(c, userType, o.Scope.User), "thread_created_at": o.CreatedAt}, nil
}

func threadContext(ctx context.Context, c *compat.Call) (any, error) {
	o, _, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	text, err := contextOf(ctx, c, o)
	return map[string]any{"context": text}, err
}

// contextOf returns the context block for the user of a thread, for its last turns.
func contextOf(ctx context.Context, c *compat.Call, o trilith.Object) (string, error) {
	turns, err := turnsOf(ctx, c, c.Within(o.Scope))
	if err != nil || len(turns) == 0 {
		return "", err
	}
	var words []string
	for _, m := range turns[max(len(turns)-askedTurns, 0):] {
		words = append(words, m.Text)
	}
	return block(ctx, c, about(c, o), strings.Join(words, "\n"))
}

// about returns the scope of the facts for a thread: that of its user, or of the session if it has no user.
func about(c *compat.Call, o trilith.Object) trilith.Scope {
	if o.Scope.User == "" {
		return c.Within(o.Scope)
	}
	return within(c, userType, o.Scope.User)
}

// threadSummary answers the context block for the first and last words of a thread as its summary.
func threadSummary(ctx context.Context, c *compat.Call) (any, error) {
	o, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	turns, err := turnsOf(ctx, c, s)
	if err != nil || len(turns) == 0 {
		return map[string]any{"summary": ""}, err
	}
	text, err := block(ctx, c, s, turns[0].Text+"\n"+turns[len(turns)-1].Text)
	return map[string]any{"uuid": uuid(c, "summary", o.Name), "thread_id": o.Name, "summary": text,
		"created_at": o.CreatedAt}, err
}

// block returns the context block of a scope for a question.
func block(ctx context.Context, c *compat.Call, s trilith.Scope, query string) (string, error) {
	out, err := c.Context(ctx, s, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: end(query)},
		Format: trilith.FormatBriefing})
	return out.Text, c.Partly(out.Coverage, err)
}

// end is what counts of a question that may be too long.
func end(query string) string {
	return strings.ToValidUTF8(query[max(len(query)-trilith.MaxQueryBytes, 0):], "")
}

func threadEpisodes(ctx context.Context, c *compat.Call) (any, error) {
	_, s, err := thread(ctx, c)
	if err != nil {
		return nil, err
	}
	turns, err := turnsOf(ctx, c, s)
	return map[string]any{"episodes": episodes(turns)}, err
}

// thread returns the thread of a path, and the scope of its turns.
func thread(ctx context.Context, c *compat.Call) (trilith.Object, trilith.Scope, error) {
	name := c.Path(threadType)
	if name == "" {
		name = c.Path("session")
	}
	o, err := c.Object(ctx, c.Scope, threadType, name)
	return o, c.Within(o.Scope), err
}

// turnsOf returns the turns of a thread, in order.
func turnsOf(ctx context.Context, c *compat.Call, s trilith.Scope) ([]trilith.Memory, error) {
	return c.All(ctx, s, trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), false)
}

// messageChange is the body of [changeMessage].
type messageChange struct {
	Metadata map[string]any `json:"metadata"`
}

// changeMessage gives a message further data.
func changeMessage(ctx context.Context, c *compat.Call, in messageChange) (any, error) {
	m, err := c.Current(ctx, c.Scope, c.Path("message"))
	if err != nil {
		return nil, err
	}
	metadata := map[string]any{}
	maps.Copy(metadata, m.Metadata)
	maps.Copy(metadata, in.Metadata)
	if m, err = c.Rewrite(ctx, c.Scope, m, compat.Edit{Metadata: &metadata}); err != nil {
		return nil, err
	}
	return shapeMessage(&m), nil
}

func shapeMessage(m *trilith.Memory) map[string]any {
	out := map[string]any{"uuid": m.ID, "role": m.Role, "content": m.Text, "name": nil, "created_at": m.EventTime,
		"metadata": m.Metadata, "processed": true}
	if m.Speaker != "" {
		out["name"] = m.Speaker
	}
	return out
}
