package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/trace"
)

// tool describes one tool.
type tool struct {
	name, title, description string

	writes     bool // requires the right writer; without it the tool only reads
	readers    bool // readers may call it although it writes: it checks the rights of each request
	destroys   bool // changes or hides existing data
	repeatable bool // a second call with the same arguments changes nothing more
}

// failure is the result of a failed call.
type failure struct {
	Status  string `json:"status"` // error
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// outcome is the beginning of every result of a tool.
type outcome struct {
	Status  string `json:"status"` // success, or preview before a change that must be confirmed
	Message string `json:"message"`
}

const (
	success = "success"
	preview = "preview"
)

// add adds a tool. Its schemas are made from In and Out; see [schemaOf].
func add[In, Out any](b *builder, t tool, call func(context.Context, caller, In) (Out, error)) {
	taken := schemaOf(reflect.TypeFor[In](), true)
	closed := false
	b.tools = append(b.tools, &mcp.Tool{Name: t.name, Title: t.title, Description: t.description,
		InputSchema:  schemaOf(reflect.TypeFor[In](), b.scoped),
		OutputSchema: schemaOf(reflect.TypeFor[Out](), true),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.writes, DestructiveHint: &t.destroys,
			IdempotentHint: !t.writes || t.repeatable, OpenWorldHint: &closed},
	})
	b.handlers = append(b.handlers, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		ctx, span := trace.Start(ctx, "tool "+t.name, trace.Internal)
		out, err := func() (out Out, err error) {
			who := b.who(ctx)
			who.call, _ = req.Params.Meta[callName].(string)
			if t.writes && !t.readers {
				if err := who.mayWrite(); err != nil {
					return out, err
				}
			}
			var args In
			if err := decode(t.name, taken, b.scoped, req.Params.Arguments, &args); err != nil {
				return out, err
			}
			return call(ctx, who, args)
		}()
		span.End(err)
		var res *mcp.CallToolResult
		attrs := []slog.Attr{slog.String("tool", t.name),
			slog.Float64("ms", float64(time.Since(start).Microseconds())/1000)}
		if err != nil {
			kind := trilith.KindOf(err).String()
			attrs = append(attrs, slog.String("kind", kind))
			text := encode(failure{"error", kind, b.message(ctx, t.name, err)})
			res = &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
		} else {
			res = &mcp.CallToolResult{
				StructuredContent: encode(out), Content: []mcp.Content{&mcp.TextContent{Text: textOf(out)}}}
		}
		b.Logger.LogAttrs(ctx, slog.LevelInfo, "mcp: call", attrs...)
		return res, nil
	})
}

// texted is an answer whose text differs from its structured content.
type texted interface{ text() string }

func textOf(answer any) string {
	if t, ok := answer.(texted); ok {
		return t.text()
	}
	return string(encode(answer))
}

// encode writes JSON for models: without the escapes for web pages.
func encode(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("mcpserver: results are always encodable: " + err.Error()) // guard answers
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// decode reads the arguments of a tool; an error names the wrong one. Nothing is guessed: a misspelt argument is an
// error, because a model that thinks it has filtered must not get an unfiltered answer. The arguments of [narrowing]
// are accepted even if the schema does not show them, but error messages list them only if it does.
func decode(tool string, takes schema, scoped bool, data json.RawMessage, into any) error {
	if len(data) == 0 || string(data) == "null" {
		data = json.RawMessage("{}")
	}
	if err := trilith.CheckJSON(data); err != nil {
		return trilith.Errorf(trilith.Invalid, "arguments: %w", err)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return trilith.Errorf(trilith.Invalid, "arguments: must be a JSON object")
	}
	for name, value := range given {
		if slices.Contains(narrowNames, name) && string(value) != "null" { // null is absent to strict clients
			if err := trilith.CheckScopeJSON(name, value); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(takes.Properties, func(m member) bool { return m.name == name }) {
			var known []string
			for _, m := range takes.Properties {
				if scoped || !slices.Contains(narrowNames, m.name) {
					known = append(known, m.name)
				}
			}
			slices.Sort(known)
			return trilith.Errorf(trilith.Invalid, "%.64s: %s has no such argument; it takes %s", name, tool,
				strings.Join(known, ", "))
		}
	}
	for _, name := range takes.Required {
		if v, ok := given[name]; !ok || string(v) == "null" {
			return trilith.Errorf(trilith.Invalid, "%s: is missing; %s needs it", name, tool)
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	switch err := d.Decode(into); {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	default:
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return trilith.Errorf(trilith.Invalid, "%s: must be of JSON type %s, not %s", wrong.Field,
				jsonType(wrong.Type), wrong.Value)
		}
		if trilith.KindOf(err) == trilith.Invalid { // an argument with its own decoder
			return err
		}
		return trilith.Errorf(trilith.Invalid, "arguments: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
}
