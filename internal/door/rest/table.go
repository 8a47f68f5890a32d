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

// tableRoutes serve the operations of the table.
type tableRoutes struct{ group }

func (s tableRoutes) register(mux routes) {
	for _, o := range operations.All().Ops {
		mux.HandleFunc(o.Method+" "+prefix+o.Path, func(w http.ResponseWriter, r *http.Request) {
			if err := s.serve(w, r, o); err != nil {
				fail(w, r.Context(), problemOfFields(err))
			}
		})
	}
}

// serve admits a request, decodes it, carries it out and writes the answer.
func (s tableRoutes) serve(w http.ResponseWriter, r *http.Request, o *op.Op) error {
	who, err := s.admit(r, operation{need: o.Need, operator: o.Operator, long: o.Long})
	if err != nil { // before the body is read: strangers cost nothing
		return err
	}
	if o.HasBody() {
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

// describeTable adds the operations of the table to the description, as the framework describes others.
func describeTable(doc node) {
	d := &op.Describer{Tag: tagOf, Schemas: node{}}
	d.Values = func(t reflect.Type) any {
		if i := slices.IndexFunc(known, func(k knownType) bool { return k.is == t }); i >= 0 {
			return known[i].values
		}
		return nil
	}
	d.Custom = func(t reflect.Type) node {
		switch t {
		case filterType:
			return node{"$ref": schemaPrefix + filterName}
		case reflect.TypeFor[trilith.Messages](): // they check themselves when they are decoded
			return node{"type": "array", "items": node{"anyOf": []any{d.Type(reflect.TypeFor[trilith.Message]()),
				node{"type": "object", "additionalProperties": true,
					"description": "A message as the API of a model or a framework has it"}}}}
		}
		return nil
	}
	paths := doc["paths"].(node)
	for _, o := range operations.All().Ops {
		item, ok := paths[prefix+o.Path].(node)
		if !ok {
			item = node{}
			paths[prefix+o.Path] = item
		}
		n := d.Describe(o)
		n["description"] = needs(operation{need: o.Need, operator: o.Operator})
		item[strings.ToLower(o.Method)] = n
	}
	schemas := doc["components"].(node)["schemas"].(node)
	for name, s := range d.Schemas {
		if schemas[name] == nil {
			schemas[name] = s
		}
	}
}
