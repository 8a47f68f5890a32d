package llamatest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Types of values in the form GGUF, version 3 (github.com/ggml-org/ggml, docs/gguf.md).
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeString  = 8
	typeArray   = 9

	tensorFloat32 = 0
	alignment     = 32 // of tensors, in bytes; the readers' default
)

// gguf collects the content of a file in the form GGUF: named values, then tensors of float32.
type gguf struct {
	values  bytes.Buffer
	valued  int
	headers bytes.Buffer
	tensors int
	data    bytes.Buffer
}

// set adds a value: uint32, float32, string, []string, []float32 or []int32.
func (g *gguf) set(key string, value any) {
	g.valued++
	putString(&g.values, key)
	switch v := value.(type) {
	case uint32:
		put(&g.values, uint32(typeUint32), v)
	case float32:
		put(&g.values, uint32(typeFloat32), v)
	case string:
		put(&g.values, uint32(typeString))
		putString(&g.values, v)
	case []string:
		put(&g.values, uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			putString(&g.values, s)
		}
	case []float32:
		put(&g.values, uint32(typeArray), uint32(typeFloat32), uint64(len(v)), v)
	case []int32:
		put(&g.values, uint32(typeArray), uint32(typeInt32), uint64(len(v)), v)
	default:
		panic(fmt.Sprintf("llamatest: %s: %T has no type in GGUF here", key, value))
	}
}

// tensor adds a tensor. dims are as GGUF has them, the innermost first; a matrix from n to m numbers is {n, m}.
func (g *gguf) tensor(name string, values []float32, dims ...uint64) {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	if n != uint64(len(values)) {
		panic(fmt.Sprintf("llamatest: %s has %d values, want %d", name, len(values), n))
	}
	g.tensors++
	putString(&g.headers, name)
	put(&g.headers, uint32(len(dims)), dims, uint32(tensorFloat32), uint64(g.data.Len()))
	for _, v := range values {
		_ = binary.Write(&g.data, binary.LittleEndian, math.Float32bits(v)) // a buffer takes all
	}
	pad(&g.data)
}

// bytes returns the file.
func (g *gguf) bytes() []byte {
	var file bytes.Buffer
	file.WriteString("GGUF")
	put(&file, uint32(3), uint64(g.tensors), uint64(g.valued))
	file.Write(g.values.Bytes())
	file.Write(g.headers.Bytes())
	pad(&file)
	file.Write(g.data.Bytes())
	return file.Bytes()
}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v) // a buffer takes all, and every type above has a size
	}
}

func putString(b *bytes.Buffer, s string) {
	put(b, uint64(len(s)))
	b.WriteString(s)
}

func pad(b *bytes.Buffer) {
	if over := b.Len() % alignment; over > 0 {
		b.Write(make([]byte, alignment-over))
	}
}
