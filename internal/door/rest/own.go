package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
	"github.com/trilith-memory/trilith/internal/engine"
)

// group is the base of the operations: the edge, which they all pass through, and the engine.
type group struct {
	*edge
	engine *engine.Engine
}

// reading returns the engine for a request that only reads: this one, or a standby's that has everything the caller has
// seen. searching says that the request searches by words.
func (s group) reading(ctx context.Context, scope trilith.Scope, searching bool) (*engine.Engine, error) {
	c := callOf(ctx)
	c.reads = true
	return s.engine.Reading(ctx, scope.Tenant, c.after, searching)
}

// exchange is a request that was admitted and decoded, with the way to answer it.
type exchange struct {
	ctx   context.Context // with the time that is left
	w     http.ResponseWriter
	r     *http.Request
	who   trilith.Identity
	scope trilith.Scope // below the tenant of the caller

	answered bool // the answer is written or begun, and the result of the operation is not
}

// own is an operation that this edge carries out itself.
type own struct {
	*op.Op
	serve func(x *exchange, in any) (any, error)
}

// owned describes an operation that this edge carries out by serve.
func owned[In, Out any](name, route string, need trilith.Access, help string, serve func(*exchange, In) (Out, error),
	options ...op.Option) own {
	return own{op.Edge[In, Out](name, route, need, help, options...), carried(serve)}
}

func carried[In, Out any](serve func(*exchange, In) (Out, error)) func(*exchange, any) (any, error) {
	return func(x *exchange, in any) (any, error) {
		out, err := serve(x, *in.(*In))
		op.Fill(&out)
		return out, err
	}
}

// ownRoutes are the operations that this edge carries out itself, with what only it has.
type ownRoutes struct {
	group
	config                  Config
	exports, imports, media turns
	streams                 streams
}

type (
	backupRequest struct {
		Path string `json:"path" doc:"Name of a file below the folder that the server's setting --backup-dir names; it must not exist" minLength:"1" maxLength:"4096"`
	}
	backupResult struct {
		Path string `json:"path"`
	}
	reindexRequest struct {
		To        string `json:"to,omitempty" doc:"Make the vectors of this embedder, and switch to it when they are all there: the name of one that the server's settings name, which are builtin:, and those of TRILITH_EMBEDDER and TRILITH_EMBEDDERS" maxLength:"1024" example:"builtin:"`
		Rollback  bool   `json:"rollback,omitempty" doc:"Go back to the generation before the last switch"`
		ForgetOld bool   `json:"forget_old,omitempty" doc:"Remove the vectors of the generation before the last switch"`
	}
	generationList struct {
		Items []trilith.GenerationStatus `json:"items"`
	}
	newKey struct {
		Key    trilith.APIKey `json:"key"`
		Secret string         `json:"secret" doc:"Shown once; only its hash is stored"`
	}
	keyPage struct {
		Items      []trilith.APIKey `json:"items"`
		NextCursor string           `json:"next_cursor,omitempty"`
	}
	toolsRequest struct {
		Format string   `json:"format,omitempty" doc:"As which API takes them: openai (chat completions) if absent" enum:"openai,openai-responses,anthropic,gemini,mcp"`
		Tools  []string `json:"tools,omitempty" explode:"true" doc:"Sets of tools beside the default one, with commas between them or repeated: graph, reference, review, scope, sessions, subagent"`
	}
	toolList struct {
		Items []any `json:"items" doc:"Definitions, to be handed to a model as they are"`
	}
)

// operations returns all of them.
func (s *ownRoutes) operations() []own {
	const reader, writer, admin = trilith.AccessReader, trilith.AccessWriter, trilith.AccessAdmin
	return []own{
		owned("doctor", "GET /admin?view=doctor", admin, "Examine the store", s.doctor, op.Operator, op.Tenant),
		owned("repair", "POST /admin/jobs?do=repair", admin, "Repair what the doctor finds, without losing data", s.repair,
			op.Operator, op.Long, op.Tenant),
		owned("reindex", "POST /admin/jobs?do=reindex", admin,
			"Rebuild the indexes from the truth; or change the embedder in the background", s.reindex,
			op.Operator, op.Long, op.Tenant, op.Bodiless),
		owned("generations", "GET /admin?view=vectors", admin,
			"Which generations of vectors there are, and how far the one is that is being built", s.generations,
			op.Operator, op.Tenant),
		owned("backup", "POST /admin/jobs?do=backup", admin,
			"Write a copy of the whole store to a file below the server's folder for backups", s.backup,
			op.Operator, op.Long, op.Tenant),

		owned("create-key", "POST /admin/keys", admin, "Make an API key for your tenant", s.createKey, op.Tenant),
		owned("list-keys", "GET /admin/keys", admin, "The API keys of your tenant", s.listKeys, op.Tenant),
		owned("revoke-key", "DELETE /admin/keys/{id}", admin, "Take back an API key of your tenant", s.revokeKey,
			op.Tenant, op.Doc("Id of the key")),

		owned("me", "GET /me", reader, "Your identity, your rights, and what you may see", s.me, op.Tenant),
		owned("tools", "GET /tools", reader, "Definitions of the memory's tools for a model; they are called at /mcp",
			s.tools, op.Tenant),
		owned("sign-in", "POST /session", "", "Sign a browser in with a key; the answer sets a cookie", s.signIn,
			op.Tenant, op.Public, describedSignIn),
		owned("sign-out", "DELETE /session", "", "Sign a browser out", s.signOut, op.Tenant, op.Public, describedSignOut),

		{operations.All().Of("consult"), carried(s.consult)},
		owned("events", "GET /events", reader, "What happens, as it happens: ids and numbers, never stored text", s.events,
			op.Long, describedEvents),

		owned("export", "GET /export", admin, "Everything of your tenant, one JSON object a line", s.export,
			op.Long, describedExport),
		owned("import", "POST /import", admin, "Take back the lines of an export", s.importLines,
			op.Long, op.InQuery, op.Tenant, describedImport),

		owned("import-files", "POST /imports", writer,
			"Import files of other programs: conversations of ChatGPT and Claude, documents, …", s.importFiles,
			op.Long, op.InQuery, op.Tenant, describedFiles),
		owned("imports", "GET /imports", reader, "The last hundred imports of files, the latest first", s.importRuns),
		owned("get-import", "GET /imports/{id}", reader, "How an import of files stands", s.importRun,
			op.Doc("Id of the import")),
		owned("undo-import", "DELETE /imports/{id}", writer,
			"Take what an import has stored out of search, however long ago it was", s.undoImport, op.Long),

		owned("put-media", "POST /media", writer,
			"Keep a picture, a recording or scanned pages, and have a model read it", s.putMedia,
			op.InQuery, op.Long, describedMedia),
		owned("media-file", "GET /media/{id}", reader,
			"A file as it came; with Accept: application/json what is known of it too", s.mediaFile,
			op.Doc("Id of the file"), describedFile),
	}
}

func (s *ownRoutes) doctor(x *exchange, _ op.None) (trilith.DoctorReport, error) {
	return s.engine.Doctor(x.ctx)
}

func (s *ownRoutes) repair(x *exchange, _ op.None) (trilith.DoctorReport, error) {
	return s.engine.Repair(x.ctx)
}

// reindex rebuilds the indexes during the request, or starts background work and reports its state.
func (s *ownRoutes) reindex(x *exchange, in reindexRequest) (out trilith.ReindexResult, err error) {
	wishes := 0
	for _, wish := range []bool{in.To != "", in.Rollback, in.ForgetOld} {
		if wish {
			wishes++
		}
	}
	switch {
	case wishes > 1:
		err = trilith.Errorf(trilith.Invalid, "body: give only one of to, rollback and forget_old")
	case wishes == 0:
		out, err = s.engine.Reindex(x.ctx, func(int, int) {})
	case in.To != "":
		out.Generations, err = s.engine.SwitchTo(x.ctx, in.To)
	case in.Rollback:
		out.Generations, err = s.engine.Rollback(x.ctx)
	default:
		out.Generations, err = s.engine.ForgetPrevious(x.ctx)
	}
	return out, err
}

func (s *ownRoutes) generations(x *exchange, _ op.None) (generationList, error) {
	gs, err := s.engine.Generations(x.ctx)
	return generationList{gs}, err
}

func (s *ownRoutes) backup(x *exchange, in backupRequest) (backupResult, error) {
	if strings.IndexByte(in.Path, 0) >= 0 {
		return backupResult{}, trilith.Errorf(trilith.Invalid, "path: holds a NUL character")
	}
	if s.config.Backup == nil {
		return backupResult{}, trilith.Errorf(
			trilith.Unsupported, "backup: this store has no backup of its own; use the tools of the database, or an export")
	}
	return backupResult(in), s.config.Backup(x.ctx, in.Path)
}

func (s *ownRoutes) createKey(x *exchange, in trilith.APIKeyRequest) (newKey, error) {
	in.Tenant = x.who.Tenant
	secret, key, err := s.engine.CreateKey(x.ctx, in)
	if err != nil {
		return newKey{}, err
	}
	s.auth.requireKeys()
	return newKey{Key: key, Secret: secret}, nil
}

func (s *ownRoutes) listKeys(x *exchange, _ op.None) (keyPage, error) {
	keys, err := s.keys(x)
	return keyPage{Items: keys}, err
}

func (s *ownRoutes) revokeKey(x *exchange, id trilith.ID) (trilith.APIKey, error) {
	if _, err := s.key(x, id); err != nil {
		return trilith.APIKey{}, err
	}
	if err := s.engine.RevokeKey(x.ctx, id); err != nil {
		return trilith.APIKey{}, err
	}
	return s.key(x, id)
}

func (s *ownRoutes) key(x *exchange, id trilith.ID) (trilith.APIKey, error) {
	keys, err := s.keys(x)
	if err != nil {
		return trilith.APIKey{}, err
	}
	i := slices.IndexFunc(keys, func(k trilith.APIKey) bool { return k.ID == id })
	if i < 0 {
		return trilith.APIKey{}, trilith.Errorf(trilith.NotFound, "key %.64q does not exist", string(id))
	}
	return keys[i], nil
}

// keys returns the keys of the caller's tenant: an admin neither sees nor touches those of another.
func (s *ownRoutes) keys(x *exchange) ([]trilith.APIKey, error) {
	keys, err := s.engine.Keys(x.ctx)
	return slices.DeleteFunc(keys, func(k trilith.APIKey) bool { return k.Tenant != x.who.Tenant }), err
}

func (s *ownRoutes) me(x *exchange, _ op.None) (trilith.Me, error) {
	open, err := s.auth.open(x.ctx)
	out := s.engine.Me(x.who)
	out.Open, out.Version = open, s.config.Version
	return out, err
}

func (s *ownRoutes) tools(_ *exchange, in toolsRequest) (toolList, error) {
	if s.config.Tools == nil {
		return toolList{}, trilith.Errorf(trilith.Unsupported, "tools: this server has none; use trilith serve")
	}
	if in.Format == "" {
		in.Format = "openai"
	}
	items, err := s.config.Tools(in.Format, in.Tools)
	return toolList{items}, err
}
