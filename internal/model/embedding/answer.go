package embedding

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
)

// Answer is an answer of the shape that OpenAI has made and others follow.
type Answer struct {
	Data []struct {
		Index     int    `json:"index"`
		Embedding Floats `json:"embedding"`
	} `json:"data"`
	Usage struct {
		TotalTokens int `json:"total_tokens"`
	} `json:"usage"`
}

// Vectors returns the vectors by their index; one that is missing is nil. Servers that give no index, or equal ones,
// mean the order of the answer.
func (a *Answer) Vectors() ([][]float32, int, error) {
	numbered := false
	for _, d := range a.Data {
		numbered = numbered || d.Index != 0
	}
	out := make([][]float32, len(a.Data))
	for i, d := range a.Data {
		at := d.Index
		if !numbered {
			at = i
		}
		if at < 0 || at >= len(out) {
			return nil, a.Usage.TotalTokens, errors.New("a vector with the number of no text")
		}
		out[at] = d.Embedding
	}
	return out, a.Usage.TotalTokens, nil
}

// Floats is a vector in JSON: a list of numbers, or a text of little-endian 32-bit numbers in base64.
type Floats []float32

// UnmarshalJSON reads either form.
func (f *Floats) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*[]float32)(f))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%4 != 0 {
		return errors.New("a vector is no base64 of 32-bit numbers")
	}
	*f = make(Floats, len(raw)/4)
	for i := range *f {
		(*f)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}
