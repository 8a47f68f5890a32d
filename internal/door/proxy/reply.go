package proxy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// heard is the answer so far.
type heard struct {
	text strings.Builder
	done bool // the answer is complete; otherwise the model asks for a tool first, or the stream was cut
}

// listen reads the answer while it passes.
func (p *Proxy) listen(r *http.Response, e *exchange) {
	if r.StatusCode != http.StatusOK {
		return
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = &listener{ReadCloser: r.Body, ended: func(body []byte) {
		if r.Header.Get("Content-Encoding") == "gzip" {
			body = unpacked(body)
		}
		p.store(r.Request.Context(), e, hear(e.answer, kind, body))
	}}
}

// hear reads a complete answer.
func hear(d dialect, kind string, body []byte) *heard {
	h := &heard{}
	if kind != "text/event-stream" {
		d.hear(h, body)
		return h
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			d.hear(h, data)
		}
	}
	return h
}

// unpacked returns the readable part of a compressed answer.
func unpacked(body []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, maxHeard)) // a cut one is read as far as possible
	return out
}

// listener collects an answer as it is read, up to a bound, and hands it over once at the end.
type listener struct {
	io.ReadCloser
	kept  []byte
	ended func([]byte)
}

func (l *listener) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if l.ended != nil {
		l.kept = append(l.kept, b[:min(n, maxHeard-len(l.kept))]...)
	}
	if err != nil {
		l.end()
	}
	return n, err
}

func (l *listener) Close() error {
	l.end()
	return l.ReadCloser.Close()
}

func (l *listener) end() {
	if l.ended != nil {
		ended := l.ended
		l.ended = nil
		ended(l.kept)
	}
}

func (completions) hear(h *heard, data []byte) {
	type words struct {
		Content *string `json:"content"`
	}
	var a struct {
		Choices []struct {
			Index   int     `json:"index"`
			Message words   `json:"message"`
			Delta   words   `json:"delta"`
			Finish  *string `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(data, &a) != nil {
		return
	}
	for _, c := range a.Choices {
		if c.Index != 0 { // other choices are answers that the program may not use
			continue
		}
		for _, w := range []*string{c.Message.Content, c.Delta.Content} {
			if w != nil {
				h.text.WriteString(*w)
			}
		}
		if c.Finish != nil {
			h.done = *c.Finish == "stop" || *c.Finish == "length"
		}
	}
}

func (responses) hear(h *heard, data []byte) {
	type answer struct {
		Status string `json:"status"`
		Output []struct {
			Type    string `json:"type"`
			Content []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
		} `json:"output"`
	}
	var a struct {
		answer
		Type     string  `json:"type"`
		Delta    string  `json:"delta"`
		Response *answer `json:"response"`
	}
	if json.Unmarshal(data, &a) != nil {
		return
	}
	switch a.Type {
	case "": // a whole answer
	case "response.output_text.delta":
		h.text.WriteString(a.Delta)
		return
	case "response.completed", "response.incomplete":
		if a.Response == nil {
			return
		}
		a.answer = *a.Response
		h.text.Reset() // it repeats the whole answer
	default:
		return
	}
	calls := false
	for _, o := range a.Output {
		calls = calls || strings.HasSuffix(o.Type, "_call")
		for _, c := range o.Content {
			if c.Type == "output_text" {
				h.text.WriteString(c.Text)
			}
		}
	}
	h.done = !calls && (a.Status == "completed" || a.Status == "incomplete")
}

func (messages) hear(h *heard, data []byte) {
	var a struct {
		Type    string `json:"type"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Stop  string `json:"stop_reason"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Stop string `json:"stop_reason"`
		} `json:"delta"`
	}
	if json.Unmarshal(data, &a) != nil {
		return
	}
	if a.Delta.Type == "text_delta" {
		h.text.WriteString(a.Delta.Text)
	}
	for _, c := range a.Content {
		if c.Type == "text" {
			h.text.WriteString(c.Text)
		}
	}
	switch a.Stop + a.Delta.Stop {
	case "end_turn", "stop_sequence", "max_tokens":
		h.done = true
	}
}
