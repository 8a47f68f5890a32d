package bert

// kernels are the inner loops for one kind of processor. Their results differ in rounding only. A tile is the part of a
// product that a kernel computes at once; its rows and columns are chosen so that the sums stay in registers.
type kernels struct {
	float   floatKernel
	int8    int8Kernel
	vectors vectorKernel
}

// floatKernel multiplies in float32.
type floatKernel struct {
	name          string
	rows, columns int // of a tile
	// multiply sets c[r*ldc+j] = bias[j] + Σ a[r*lda+i]·b[i*columns+j] over i below depth, for the tile's rows r and
	// columns j.
	multiply func(c []float32, ldc int, a []float32, lda int, b []float32, depth int, bias []float32)
}

// int8Kernel multiplies whole numbers of 8 bits and scales the sums.
type int8Kernel struct {
	name          string
	rows, columns int
	// multiply sets c[r*ldc+j] = p.bias[j] + rows[r].step·p.scale[j]·Σ (a[r*lda+i] - rows[r].zero)·b[…] over i below
	// depth, a multiple of 4. The factors b are in the order of the instructions: four rows of a column side by side,
	// see int8Matrix. The sum is exact, and equal on every processor.
	multiply func(c []float32, ldc int, a []uint8, lda int, b []int8, depth int, rows []quantization, p int8Panel)
}

// quantization gives the value of a number in a row: (a - zero)·step.
type quantization struct {
	step float32
	zero int32
}

// int8Panel holds the data of a tile's columns.
type int8Panel struct {
	sum         []int32 // of the factors: the correction for one step of zero
	scale, bias []float32
}

// vectorKernel computes the steps over single vectors. Lengths are multiples of 8.
type vectorKernel struct {
	name string
	// gelu replaces each x by x·Φ(x), with the distribution function Φ of the normal distribution.
	gelu func(x []float32)
	// softmax replaces x by exp(x) divided by the sum of all of them.
	softmax func(x []float32)
	// addNorm adds y to x and brings the sum to the mean 0 and the variance 1; then each component is scaled and
	// shifted.
	addNorm func(x, y, scale, shift []float32, epsilon float32)
	// quantize writes x as whole numbers, so that 0 is represented exactly, and returns their scale.
	quantize func(q []uint8, x []float32) quantization
}

// maxActivation is the greatest whole number of an activation; the least is 0. Activations are not symmetric about
// zero, those after GELU mostly on one side, so zero is placed such that the whole range is used.
const maxActivation = 255

// maxWeight is the greatest magnitude of a weight as a whole number, and of two neighbours (of even and odd number)
// together. Rounding may add one. AVX2 adds the products of neighbours up in 16 bits, and 255·128 fits into them;
// without that rule the sum could be cut there, and processors would disagree. It costs weights about a third of a bit.
const maxWeight = 127
