package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/door/operations"
)

// tableRoutes serve the operations of the table, and those that this edge carries out itself.
type tableRoutes struct {
	group
	own []own
}

func (s tableRoutes) register(mux *http.ServeMux) {
	by := map[*op.Op]func(*exchange, any) (any, error){}
	for _, o := range s.own {
		by[o.Op] = o.serve
	}
	for _, res := range s.resources() {
		mux.HandleFunc(res.Method+" "+prefix+res.Path, func(w http.ResponseWriter, r *http.Request) {
			o, err := res.Choose(r)
			if err == nil {
				err = s.serve(w, r, own{o, by[o]})
			} else if _, refused := s.admit(w, r, &op.Op{Need: trilith.AccessReader}); refused != nil {
				err = refused // a stranger is not told what there is
			}
			if err != nil {
				fail(w, r.Context(), problemOfFields(err))
			}
		})
	}
}

// resources are the operations of the table and those that this edge carries out itself, by their routes.
func (s tableRoutes) resources() []*op.Resource {
	ops := slices.Clone(operations.All().Ops)
	for _, o := range s.own {
		if !slices.Contains(ops, o.Op) {
			ops = append(ops, o.Op)
		}
	}
	return op.Resources(ops)
}

// serve admits a request, decodes it, carries it out and writes the answer.
func (s tableRoutes) serve(w http.ResponseWriter, r *http.Request, o own) error {
	who, err := s.admit(w, r, o.Op)
	if err != nil { // before the body is read: strangers cost nothing
		return err
	}
	// Where there is no body the server is reading behind it already, to learn that the caller is gone, and a deadline
	// would end the request.
	if o.HasBody() && r.Body != http.NoBody {
		// Without a connection, as in tests, no body is slow.
		_ = http.NewResponseController(w).SetReadDeadline(s.now().Add(s.timeout))
		r.Body = http.MaxBytesReader(w, r.Body, s.maxBody)
	}
	in, scope, err := o.Decode(r)
	if err != nil {
		return notRead(r, err)
	}
	ctx := r.Context()
	if !o.Long {
		most := s.timeout
		if o.Waits { // the turns are stored by then, and a timeout would only hide that
			most += s.engine.AssimilateWait()
		}
		limited, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		ctx = limited
	}
	if o.Rights != nil {
		if field, need := o.Rights(in); need != "" && !who.Access.Allows(need) {
			return trilith.Errorf(trilith.Forbidden, "%s: needs the right %s; the key holds %s", field, need, who.Access)
		}
	}
	scope = within(who, scope)
	if o.Large != nil && o.Large(in) {
		if err := s.large(ctx); err != nil {
			return err
		}
	}
	e := s.engine
	if o.Standby {
		if e, err = s.reading(ctx, scope, op.Searches(in)); err != nil {
			return err
		}
	}
	if o.serve != nil {
		x := &exchange{ctx: ctx, w: w, r: r, who: who, scope: scope}
		out, err := o.serve(x, in)
		if err != nil || x.answered {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		return marshal(w, out)
	}
	out, err := o.Do(ctx, e, scope, in)
	pending := o.Pending(out)
	if err != nil && !(pending && r.Context().Err() == nil && trilith.KindOf(err) == trilith.DeadlineExceeded) {
		return err
	}
	if t := o.Text; t != nil && r.URL.Query().Get("format") == t.Format {
		w.Header().Set("Content-Type", t.Media+"; charset=utf-8")
		return t.Write(w, out)
	}
	w.Header().Set("Content-Type", "application/json")
	if pending {
		w.WriteHeader(http.StatusAccepted)
	}
	return marshal(w, out)
}

// notRead returns the problem of a request that could not be read as a whole.
func notRead(r *http.Request, err error) error {
	large, isLarge := errors.AsType[*http.MaxBytesError](err)
	late, isNet := errors.AsType[net.Error](err)
	switch {
	case isLarge:
		return bodyTooLarge(r.ContentLength, large.Limit)
	case isNet && late.Timeout():
		return newProblem(trilith.DeadlineExceeded, "body: request body read timeout")
	case trilith.KindOf(err) == trilith.Internal:
		return newProblem(trilith.Invalid, "cannot read request body")
	}
	return err
}

// problemOfFields lists the fields of a request that are wrong.
func problemOfFields(err error) error {
	fields, ok := err.(*op.Errors)
	if !ok {
		return err
	}
	p := newProblem(trilith.Invalid, fields.Error())
	for _, f := range fields.Fields {
		p.Errors = append(p.Errors, FieldError{f.Location, f.Message})
	}
	return p
}

// describe returns the OpenAPI document of all operations, as [publish] takes it.
func (s tableRoutes) describe(version string) node {
	d := &op.Describer{Tag: tagOf, Needs: needs, Schemas: node{filterName: filterSchema}}
	d.Values = func(t reflect.Type) any {
		if i := slices.IndexFunc(known, func(k knownType) bool { return k.is == t }); i >= 0 {
			return known[i].values
		}
		return nil
	}
	d.Custom = func(t reflect.Type) node {
		switch t {
		case reflect.TypeFor[trilith.Filter]():
			return node{"$ref": schemaPrefix + filterName}
		case reflect.TypeFor[trilith.Messages](): // they check themselves when they are decoded
			return node{"type": "array", "items": node{"anyOf": []any{d.Type(reflect.TypeFor[trilith.Message]()),
				node{"type": "object", "additionalProperties": true,
					"description": "A message as the API of a model or a framework has it"}}}}
		}
		return nil
	}
	d.Type(reflect.TypeFor[Problem]())
	paths := node{}
	for _, res := range s.resources() {
		item, ok := paths[prefix+res.Path].(node)
		if !ok {
			item = node{}
			paths[prefix+res.Path] = item
		}
		item[strings.ToLower(res.Method)] = d.Resource(res)
	}
	return node{"openapi": "3.1.0", "paths": paths,
		"info": node{"title": "trilith", "version": version,
			"description": "Long-term memory for AI agents: store what was said, find what matters, know why."},
		"components": node{"schemas": d.Schemas, "securitySchemes": node{
			"bearer": node{"type": "http", "scheme": "bearer"},
			"header": node{"type": "apiKey", "in": "header", "name": "X-API-Key"}}},
		"security": []any{node{"bearer": []any{}}, node{"header": []any{}}},
	}
}

// filterName is the component that describes filters.
const filterName = "Filter"

// filterSchema tells the grammar of filters as far as JSON Schema can in a few lines. A filter decodes and checks
// itself; the schema of its Go fields would describe another grammar.
var filterSchema = node{"type": "object", "additionalProperties": true,
	"description": `Conditions that must all hold: {"and": […]}, {"or": […]}, {"not": {…}}, {FIELD: VALUE} for equality, {FIELD: […]} for membership, ` +
		`{FIELD: {OPERATOR: VALUE}} with eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, startswith, regex, exists. Fields: id, kind, role, speaker, type, source_id, seq, state, trust, ` +
		`superseded_by, shared_from, category, title, external_id, project, domain, user, agent, session, channel, event_time, recorded_at, valid_until, tags, metadata.PATH; ` +
		`of facts: entity_id, verb, fact_id, entity_ref, fact_type, polarity, certainty, author_role, confidence, priority, requires_action, action_deadline, ` +
		`verification_status, financial_amount, financial_type, financial_category, currency.`,
	"examples": []any{node{"kind": "note", "tags": node{"contains": "travel"}}}}
