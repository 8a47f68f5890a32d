package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
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
	own, shown := schemaOf(reflect.TypeFor[In](), true), schemaOf(reflect.TypeFor[In](), false)
	if b.scoped {
		shown = shown.anywhere()
	}
	closed := false
	b.tools = append(b.tools, &mcp.Tool{Name: t.name, Title: t.title, Description: t.description,
		InputSchema: shown, OutputSchema: schemaOf(reflect.TypeFor[Out](), false),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.writes, DestructiveHint: &t.destroys,
			IdempotentHint: !t.writes || t.repeatable, OpenWorldHint: &closed},
	})
	b.handlers = append(b.handlers, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		ctx, span := trace.Start(ctx, "tool "+t.name, trace.Internal)
		var note string
		out, err := func() (out Out, err error) {
			who := b.who(ctx)
			who.call, _ = req.Params.Meta[callName].(string)
			if t.writes && !t.readers {
				if err := who.mayWrite(); err != nil {
					return out, err
				}
			}
			var args In
			var place narrowing
			if note, err = decode(t.name, own, shown, req.Params.Arguments, &args, &place); err != nil {
				return out, err
			}
			if who.scope, err = b.narrow(ctx, who, place); err != nil {
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
			text := forModel(failure{"error", kind, b.message(ctx, t.name, err)}, "")
			res = &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
		} else {
			res = resultOfCall(out, note)
		}
		b.Logger.LogAttrs(ctx, slog.LevelInfo, "mcp: call", attrs...)
		return res, nil
	})
}

// texted is an answer whose text differs from its structured content: a text, or a value that is written as JSON.
type texted interface{ text() any }

// fenced is an answer with a block, which is fenced and safe already.
type fenced interface{ block() string }

// resultOfCall returns the result with an answer. A note is a member of it, and a second text beside a text of its own.
func resultOfCall(answer any, note string) *mcp.CallToolResult {
	data := forModel(answer, note)
	texts := []string{string(data)}
	if t, ok := answer.(texted); ok {
		text, isText := t.text().(string)
		texts[0] = engine.Neutral(text)
		if !isText {
			texts[0] = string(forModel(t.text(), ""))
		}
		if note != "" {
			texts = append(texts, engine.Neutral(note))
		}
	}
	res := &mcp.CallToolResult{StructuredContent: data}
	for _, text := range texts {
		res.Content = append(res.Content, &mcp.TextContent{Text: text})
	}
	return res
}

// literal finds the texts in JSON.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// forModel writes an answer as JSON, with a note if there is one. A model may read all of its texts, so all of them are
// made safe, but for a block.
func forModel(answer any, note string) json.RawMessage {
	data, block := encode(answer), ""
	if f, ok := answer.(fenced); ok {
		block = f.block()
	}
	if note != "" {
		data = slices.Concat(data[:len(data)-1], []byte(`,"note":`), encode(note), []byte("}"))
	}
	return literal.ReplaceAllFunc(data, func(as []byte) []byte {
		var text string
		if err := json.Unmarshal(as, &text); err != nil || text == block {
			return as
		}
		return encode(engine.Neutral(text))
	})
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
