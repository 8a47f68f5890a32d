package bert

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"
)

// maxHeader is how long the header of a file may be. The largest models that are in use need a few hundred kilobytes.
const maxHeader = 4 << 20

// tensors reads weights from a file in the safetensors format: the length of the header in 8 bytes, the header as JSON,
// the numbers. The header is believed only as far as the file reaches, so nothing is allocated that is not there.
type tensors struct {
	file   io.ReaderAt
	start  int64 // where the numbers begin
	index  map[string]tensor
	prefix string    // before the names of all tensors of the encoder
	sum    hash.Hash // takes all numbers that are read
}

type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// openTensors reads the header of a file of size bytes.
func openTensors(file io.ReaderAt, size int64, sum hash.Hash) (*tensors, error) {
	var length [8]byte
	if _, err := file.ReadAt(length[:], 0); err != nil {
		return nil, fmt.Errorf("it is too short to be a safetensors file: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("its header would have %d bytes: the file is damaged, or not a safetensors file", n)
	}
	header := make([]byte, n)
	if _, err := file.ReadAt(header, 8); err != nil {
		return nil, fmt.Errorf("reading its header: %w", err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("its header is not JSON: %w", err)
	}
	t := &tensors{file: file, start: 8 + int64(n), index: make(map[string]tensor, len(entries)), sum: sum}
	for name, raw := range entries {
		if name == "__metadata__" {
			continue
		}
		var e tensor
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("its header says something else than type, shape and place of %.100q: %w", name, err)
		}
		if from, to := e.Offsets[0], e.Offsets[1]; from < 0 || to < from || to > size-t.start {
			return nil, fmt.Errorf("%.100q is outside the file, which is incomplete", name)
		}
		t.index[name] = e
		if strings.HasSuffix(name, firstTensor) {
			t.prefix = strings.TrimSuffix(name, firstTensor)
		}
	}
	return t, nil
}

// firstTensor is in every model; the text before its name is the prefix of all names.
const firstTensor = "embeddings.word_embeddings.weight"

// read returns a tensor, which has to have the shape.
func (t *tensors) read(name string, shape ...int) ([]float32, error) {
	e, ok := t.index[t.prefix+name]
	if !ok {
		return nil, fmt.Errorf("it has no tensor %s%s", t.prefix, name)
	}
	count := int64(1)
	for _, n := range shape {
		count *= int64(n) // of lengths that the limits of the configuration keep small
	}
	same := slices.EqualFunc(e.Shape, shape, func(a int64, b int) bool { return a == int64(b) })
	switch {
	case e.Type != "F32":
		return nil, fmt.Errorf("%s holds numbers of type %.16q; only F32 is read", name, e.Type)
	case !same || e.Offsets[1]-e.Offsets[0] != 4*count:
		return nil, fmt.Errorf("%s has the shape %v in %d bytes, the configuration says %v", name, e.Shape,
			e.Offsets[1]-e.Offsets[0], shape)
	}
	out := make([]float32, 0, count)
	var chunk [1 << 15]byte
	for at := e.Offsets[0]; at < e.Offsets[1]; {
		part := chunk[:min(int64(len(chunk)), e.Offsets[1]-at)]
		if _, err := t.file.ReadAt(part, t.start+at); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		t.sum.Write(part) // a hash returns no error
		for i := 0; i < len(part); i += 4 {
			bits := binary.LittleEndian.Uint32(part[i:])
			if bits&0x7F800000 == 0x7F800000 {
				return nil, fmt.Errorf("%s holds a number that is not finite", name)
			}
			out = append(out, math.Float32frombits(bits))
		}
		at += int64(len(part))
	}
	return out, nil
}
