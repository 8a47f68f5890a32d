package bert

import "math"

// matrix is a layer of weights with a bias: rows of inputs become rows of outputs.
type matrix interface {
	// apply sets the rows of c to those of a, multiplied. Both have capacity for at least the rows of one tile.
	apply(w *Workspace, c, a []float32, rows int)
}

// floatMatrix holds its weights in panels as wide as a tile, row after row.
type floatMatrix struct {
	kernel  *floatKernel
	in, out int
	panels  []float32 // out/columns panels of in rows
	bias    []float32
}

// newFloatMatrix takes weights as models keep them: a row for each output.
func newFloatMatrix(k *floatKernel, in, out int, weights, bias []float32) *floatMatrix {
	m := &floatMatrix{kernel: k, in: in, out: out, panels: make([]float32, in*out), bias: bias}
	for o := range out {
		panel := m.panels[o/k.columns*k.columns*in:]
		for i, x := range weights[o*in : (o+1)*in] {
			panel[i*k.columns+o%k.columns] = x
		}
	}
	return m
}

func (m *floatMatrix) apply(_ *Workspace, c, a []float32, rows int) {
	m.kernel.product(c, m.out, a, m.in, rows, m.panels, m.in, m.out, m.bias)
}

// product multiplies rows of a by all panels of b.
func (k *floatKernel) product(c []float32, ldc int, a []float32, lda, rows int, b []float32, depth, columns int,
	bias []float32) {
	for j := 0; j < columns; j += k.columns {
		panel, shift := b[j*depth:(j+k.columns)*depth], bias[j:]
		tiles(rows, k.rows, func(r int) { k.multiply(c[r*ldc+j:], ldc, a[r*lda:], lda, panel, depth, shift) })
	}
}

// int8Matrix holds its weights as whole numbers, with one scale for each output.
type int8Matrix struct {
	kernel  *int8Kernel
	vectors *vectorKernel
	in, out int
	panels  []int8 // out/columns panels of in/4 × columns groups of 4 weights
	int8Panel
}

func newInt8Matrix(k *kernels, in, out int, weights, bias []float32) *int8Matrix {
	m := &int8Matrix{kernel: &k.int8, vectors: &k.vectors, in: in, out: out, panels: make([]int8, in*out),
		int8Panel: int8Panel{sum: make([]int32, out), scale: make([]float32, out), bias: bias}}
	columns := k.int8.columns
	for o := range out {
		row := weights[o*in : (o+1)*in]
		var greatest float32 // of two neighbours together
		for i := 0; i < in; i += 2 {
			greatest = max(greatest, max(row[i], -row[i])+max(row[i+1], -row[i+1]))
		}
		if greatest == 0 {
			greatest = 1
		}
		m.scale[o] = greatest / maxWeight
		panel := m.panels[o/columns*columns*in:]
		for i, x := range row {
			q := int8(math.RoundToEven(float64(x) / float64(greatest) * maxWeight))
			panel[(i/4*columns+o%columns)*4+i%4] = q
			m.sum[o] += int32(q)
		}
	}
	return m
}

func (m *int8Matrix) apply(w *Workspace, c, a []float32, rows int) {
	for r := range rows {
		w.quantizations[r] = m.vectors.quantize(w.quantized[r*m.in:(r+1)*m.in], a[r*m.in:(r+1)*m.in])
	}
	k := m.kernel
	for j := 0; j < m.out; j += k.columns {
		panel := m.panels[j*m.in : (j+k.columns)*m.in]
		p := int8Panel{sum: m.sum[j:], scale: m.scale[j:], bias: m.bias[j:]}
		tiles(rows, k.rows, func(r int) {
			k.multiply(c[r*m.out+j:], m.out, w.quantized[r*m.in:], m.in, panel, m.in, w.quantizations[r:], p)
		})
	}
}

// tiles calls f for tiles of size that cover the rows. The last one reaches back over rows that are done, instead of
// beyond the end; only where there are fewer rows than one tile has, it reaches beyond.
func tiles(rows, size int, f func(row int)) {
	for r := 0; ; r += size {
		if r+size >= rows {
			f(max(rows-size, 0))
			return
		}
		f(r)
	}
}
