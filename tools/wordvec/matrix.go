package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// matrix is a dense matrix by rows.
type matrix struct {
	rows, columns int
	data          []float32
}

func (m *matrix) row(i int) []float32 { return m.data[i*m.columns:][:m.columns] }

// transpose writes the transpose of m into t.
func (m *matrix) transpose(t *matrix) {
	const block = 32
	for i0 := 0; i0 < m.rows; i0 += block {
		for j0 := 0; j0 < m.columns; j0 += block {
			for i := i0; i < min(i0+block, m.rows); i++ {
				for j := j0; j < min(j0+block, m.columns); j++ {
					t.data[j*t.columns+i] = m.data[i*m.columns+j]
				}
			}
		}
	}
}

func length(v []float32) float32 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return float32(math.Sqrt(square))
}

func scale(v []float32, by float32) {
	for i := range v {
		v[i] *= by
	}
}

// eigenvectors returns the eigenvectors of the eigenvalues that are largest in size, as columns, by subspace iteration
// (Halko et al., "Finding Structure with Randomness", SIAM Review 2011).
func (m *sparse) eigenvectors(n, iterations int, seed uint64) *matrix {
	const spare = 48 // columns more than asked for, so that the last ones converge too
	random := rand.New(rand.NewPCG(seed, 2))
	x := newMatrix(len(m.ends), n+spare)
	for i := range x.data {
		x.data[i] = float32(random.NormFloat64())
	}
	for range iterations + 1 {
		x = m.times(x)
		orthonormalise(x)
	}
	y := m.times(x)
	b := gram(x, y)
	for i := range b {
		for j := range i {
			b[i][j] = (b[i][j] + b[j][i]) / 2
			b[j][i] = b[i][j]
		}
	}
	values, vectors := jacobi(b)
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(values[a]) > math.Abs(values[b]) {
			return -1
		}
		return 1
	})
	rotation := newMatrix(n, x.columns) // its rows are the eigenvectors of b
	for i := range n {
		for k := range x.columns {
			rotation.row(i)[k] = float32(vectors[k][order[i]])
		}
	}
	u := newMatrix(x.rows, n)
	products(u, x, rotation)
	return u
}

// times returns m x.
func (m *sparse) times(x *matrix) *matrix {
	y := newMatrix(x.rows, x.columns)
	for i := range x.rows {
		out := y.row(i)
		columns, values := m.row(i)
		for k, j := range columns {
			addScaled(out, x.row(int(j)), values[k])
		}
	}
	return y
}

// orthonormalise makes the columns of x orthonormal: twice by the Cholesky factor of their products, since once is not
// exact enough.
func orthonormalise(x *matrix) {
	for range 2 {
		inverse := inverseCholesky(gram(x, x))
		y := newMatrix(x.rows, x.columns)
		products(y, x, inverse)
		x.data = y.data
	}
}

// inverseCholesky returns L⁻¹ of g = L Lᵀ.
func inverseCholesky(g [][]float64) *matrix {
	n := len(g)
	var trace float64
	for i := range g {
		trace += g[i][i]
	}
	l := make([][]float64, n)
	for i := range l {
		l[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			sum := g[i][j]
			if i == j {
				sum += 1e-9 * trace / float64(n)
			}
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(sum)
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	inverse := newMatrix(n, n)
	for c := range n {
		column := make([]float64, n)
		for i := c; i < n; i++ {
			sum := 0.0
			if i == c {
				sum = 1
			}
			for k := c; k < i; k++ {
				sum -= l[i][k] * column[k]
			}
			column[i] = sum / l[i][i]
			inverse.row(i)[c] = float32(column[i])
		}
	}
	return inverse
}

// gram returns aᵀ b.
func gram(a, b *matrix) [][]float64 {
	sums := newMatrix(a.columns, b.columns)
	g := make([][]float64, a.columns)
	for i := range g {
		g[i] = make([]float64, b.columns)
	}
	const block = 512 // rows that are added up in float32
	for r0 := 0; r0 < a.rows; r0 += block {
		clear(sums.data)
		for r := r0; r < min(r0+block, a.rows); r++ {
			other := b.row(r)
			for i, x := range a.row(r) {
				addScaled(sums.row(i), other, x)
			}
		}
		for i := range g {
			for j, x := range sums.row(i) {
				g[i][j] += float64(x)
			}
		}
	}
	return g
}

func newMatrix(rows, columns int) *matrix {
	return &matrix{rows, columns, make([]float32, rows*columns)}
}

// products writes the products of the rows of a with the rows of b into c: c = a bᵀ.
func products(c, a, b *matrix) {
	const block = 64 // rows of b that stay in the cache
	for j0 := 0; j0 < b.rows; j0 += block {
		end := min(j0+block, b.rows)
		for i := range a.rows {
			x, out := a.row(i), c.row(i)
			j := j0
			for ; j+4 <= end; j += 4 {
				out[j], out[j+1], out[j+2], out[j+3] = dot4(x, b.row(j), b.row(j+1), b.row(j+2), b.row(j+3))
			}
			for ; j < end; j++ {
				out[j], _, _, _ = dot4(x, b.row(j), b.row(j), b.row(j), b.row(j))
			}
		}
	}
}

// jacobi returns the eigenvalues of a symmetric matrix, which it destroys, and its eigenvectors as columns.
func jacobi(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	v := make([][]float64, n) // transposed while they are computed
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 30 {
		var off, all float64
		for i := range n {
			for j := range n {
				all += a[i][j] * a[i][j]
				if i != j {
					off += a[i][j] * a[i][j]
				}
			}
		}
		if off <= 1e-18*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if math.Abs(a[p][q]) < 1e-300 {
					continue
				}
				theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
				t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(theta*theta+1)), theta)
				c := 1 / math.Sqrt(t*t+1)
				s := t * c
				for k := range n {
					a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
				}
				for k := range n {
					a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
				}
				for k := range n {
					v[p][k], v[q][k] = c*v[p][k]-s*v[q][k], s*v[p][k]+c*v[q][k]
				}
			}
		}
	}
	vectors = make([][]float64, n)
	for i := range n {
		values = append(values, a[i][i])
		vectors[i] = make([]float64, n)
		for j := range n {
			vectors[i][j] = v[j][i]
		}
	}
	return values, vectors
}
