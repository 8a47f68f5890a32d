package bert

import "math"

// Workspace is the memory that [Model.Encode] computes in. It grows to the need of the largest call, about 24·hidden
// + 5·inner bytes for a token and 4·n² for a sequence of n, and serves one call at a time. The zero value is ready; a
// workspace belongs to one model.
type Workspace struct {
	x, sum, projected, attended, widened []float32
	quantized                            []uint8        // activations
	quantizations                        []quantization // of each token
	keys, values, weights, context       []float32      // of one head
	zeros                                []float32
}

// Encode writes the vector of each sequence of tokens into out, of length 1. A sequence has 1 to [Model.Limit] tokens
// of the model's vocabulary, as [Model.Tokenize] makes them; a vector has [Model.Dims] components. Sequences computed
// together do not change each other's result, beyond rounding. In a workspace that has grown it allocates nothing.
func (m *Model) Encode(w *Workspace, sequences [][]int32, out [][]float32) {
	rows, longest := 0, 0
	for _, s := range sequences {
		rows += len(s)
		longest = max(longest, len(s))
	}
	if rows == 0 {
		return
	}
	w.grow(m, rows, longest)
	h, v := m.hidden, &m.kernels.vectors
	x, at := w.x, 0
	for _, s := range sequences {
		for position, id := range s {
			row := x[at*h : (at+1)*h]
			copy(row, m.words[int(id)*h:])
			v.addNorm(row, m.places[position*h:(position+1)*h], m.norm.scale, m.norm.shift, m.epsilon)
			at++
		}
	}
	for i := range m.layers {
		l := &m.layers[i]
		l.query.apply(w, w.projected, x, rows)
		at = 0
		for _, s := range sequences {
			m.attend(w, at, len(s))
			at += len(s)
		}
		l.output.apply(w, w.sum, w.attended, rows)
		m.addNorm(x, w.sum, rows, l.attended)
		l.widen.apply(w, w.widened, x, rows)
		v.gelu(w.widened[:rows*m.inner])
		l.narrow.apply(w, w.sum, w.widened, rows)
		m.addNorm(x, w.sum, rows, l.forwarded)
	}
	at = 0
	for i, s := range sequences {
		m.pool(out[i], x[at*h:(at+len(s))*h])
		at += len(s)
	}
}

// grow makes room for rows of tokens, with sequences of up to longest.
func (w *Workspace) grow(m *Model, rows, longest int) {
	k := m.kernels
	rows = max(rows, k.float.rows, k.int8.rows)
	size := func(p *[]float32, n int) {
		if len(*p) < n {
			*p = make([]float32, n)
		}
	}
	// A tile that reaches beyond a short sequence reaches into the rows after it.
	size(&w.x, rows*m.hidden)
	size(&w.sum, rows*m.hidden)
	size(&w.attended, rows*m.hidden)
	size(&w.projected, (rows+k.float.rows)*3*m.hidden)
	size(&w.widened, rows*m.inner)
	if len(w.quantizations) < rows {
		w.quantizations = make([]quantization, rows)
	}
	if n := rows * max(m.hidden, m.inner); len(w.quantized) < n {
		w.quantized = make([]uint8, n)
	}
	long, head := up(longest, max(k.float.columns, 8)), up(m.hidden/m.heads, k.float.columns)
	tall := max(longest, k.float.rows)
	size(&w.keys, m.hidden/m.heads*long)
	size(&w.values, longest*head)
	size(&w.weights, tall*long)
	size(&w.context, tall*head)
	size(&w.zeros, max(long, head))
}

// addNorm adds the rows of y to those of x and normalises the sums.
func (m *Model) addNorm(x, y []float32, rows int, n layerNorm) {
	for h, i := m.hidden, 0; i < rows*h; i += h {
		m.kernels.vectors.addNorm(x[i:i+h], y[i:i+h], n.scale, n.shift, m.epsilon)
	}
}

// attend computes the attention of one sequence, which has n tokens from row at on.
func (m *Model) attend(w *Workspace, at, n int) {
	k, h := &m.kernels.float, m.hidden
	size := h / m.heads
	long, wide := up(n, max(k.columns, 8)), up(size, k.columns)
	lanes8 := up(n, 8)
	projected := w.projected[at*3*h:]
	for head := range m.heads {
		query, key, value := projected[head*size:], projected[h+head*size:], projected[2*h+head*size:]
		// Keys are transposed in their panels, a column for each token; values have a row for each. The padding of a
		// panel is multiplied but never read.
		for t := range n {
			column := w.keys[t/k.columns*k.columns*size+t%k.columns:]
			for i, x := range key[t*3*h : t*3*h+size] {
				column[i*k.columns] = x
			}
			for j := 0; j < size; j += k.columns {
				copy(w.values[j*n+t*k.columns:], value[t*3*h+j:t*3*h+min(j+k.columns, size)])
			}
		}
		k.product(w.weights, long, query, 3*h, n, w.keys, size, long, w.zeros)
		for t := range n {
			row := w.weights[t*long : t*long+lanes8]
			for i := n; i < lanes8; i++ {
				row[i] = -math.MaxFloat32
			}
			m.kernels.vectors.softmax(row)
		}
		k.product(w.context, wide, w.weights, long, n, w.values, n, wide, w.zeros)
		for t := range n {
			copy(w.attended[(at+t)*h+head*size:], w.context[t*wide:t*wide+size])
		}
	}
}

// up returns the next multiple of to.
func up(n, to int) int { return (n + to - 1) / to * to }

// pool combines the vectors of a sequence into one of length 1.
func (m *Model) pool(out, x []float32) {
	h := m.hidden
	copy(out, x[:h])
	if !m.first {
		for i := h; i < len(x); i += h {
			for j, v := range x[i : i+h] {
				out[j] += v
			}
		}
	}
	var squares float64
	for _, v := range out[:h] {
		squares += float64(v) * float64(v)
	}
	scale(out[:h], float32(1/math.Sqrt(squares)))
}
