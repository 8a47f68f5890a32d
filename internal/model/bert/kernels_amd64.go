package bert

import "golang.org/x/sys/cpu"

// available returns the kernels of this processor, the best last.
func available() []kernels {
	all := []kernels{plain}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return all
	}
	best := kernels{
		float: floatKernel{name: "avx2", rows: 6, columns: 16, multiply: multiplyFloatAVX2},
		int8:  int8Kernel{name: "avx2", rows: 4, columns: 16, multiply: multiplyInt8AVX2},
		vectors: vectorKernel{name: "avx2", gelu: vectorGELU, softmax: vectorSoftmax, addNorm: vectorAddNorm,
			quantize: vectorQuantize},
	}
	all = append(all, best)
	if cpu.X86.HasAVXVNNI {
		best.int8 = int8Kernel{name: "avx-vnni", rows: 4, columns: 16, multiply: multiplyInt8VNNI}
		all = append(all, best)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI {
		best.float = floatKernel{name: "avx512", rows: 8, columns: 32, multiply: multiplyFloatAVX512}
		best.int8 = int8Kernel{name: "avx512-vnni", rows: 8, columns: 32, multiply: multiplyInt8AVX512}
		all = append(all, best)
	}
	return all
}

// The functions below check that all that assembly touches is there, and hand it over.

func multiplyFloatAVX2(c []float32, ldc int, a []float32, lda int, b []float32, depth int, bias []float32) {
	_, _, _, _ = c[5*ldc+15], a[5*lda+depth-1], b[16*depth-1], bias[15]
	mulFloatAVX2(&c[0], ldc, &a[0], lda, &b[0], depth, &bias[0])
}

func multiplyFloatAVX512(c []float32, ldc int, a []float32, lda int, b []float32, depth int, bias []float32) {
	_, _, _, _ = c[7*ldc+31], a[7*lda+depth-1], b[32*depth-1], bias[31]
	mulFloatAVX512(&c[0], ldc, &a[0], lda, &b[0], depth, &bias[0])
}

func multiplyInt8AVX2(c []float32, ldc int, a []uint8, lda int, b []int8, depth int, rows []quantization, p int8Panel) {
	_, _, _, _ = c[3*ldc+15], a[3*lda+depth-1], b[16*depth-1], rows[3]
	_, _, _ = p.sum[15], p.scale[15], p.bias[15]
	mulInt8AVX2(&c[0], ldc, &a[0], lda, &b[0], depth, &rows[0], &p.sum[0], &p.scale[0], &p.bias[0])
}

func multiplyInt8VNNI(c []float32, ldc int, a []uint8, lda int, b []int8, depth int, rows []quantization, p int8Panel) {
	_, _, _, _ = c[3*ldc+15], a[3*lda+depth-1], b[16*depth-1], rows[3]
	_, _, _ = p.sum[15], p.scale[15], p.bias[15]
	mulInt8VNNI(&c[0], ldc, &a[0], lda, &b[0], depth, &rows[0], &p.sum[0], &p.scale[0], &p.bias[0])
}

func multiplyInt8AVX512(c []float32, ldc int, a []uint8, lda int, b []int8, depth int, rows []quantization,
	p int8Panel) {
	_, _, _, _ = c[7*ldc+31], a[7*lda+depth-1], b[32*depth-1], rows[7]
	_, _, _ = p.sum[31], p.scale[31], p.bias[31]
	mulInt8AVX512(&c[0], ldc, &a[0], lda, &b[0], depth, &rows[0], &p.sum[0], &p.scale[0], &p.bias[0])
}

func vectorGELU(x []float32) { geluAVX2(&x[0], len(x)) }

func vectorSoftmax(x []float32) { softmaxAVX2(&x[0], len(x)) }

func vectorAddNorm(x, y, scale, shift []float32, epsilon float32) {
	n := len(x)
	_, _, _ = y[n-1], scale[n-1], shift[n-1]
	addNormAVX2(&x[0], &y[0], &scale[0], &shift[0], n, epsilon)
}

func vectorQuantize(q []uint8, x []float32) (row quantization) {
	_ = q[len(x)-1]
	quantizeAVX2(&q[0], &x[0], len(x), &row)
	return row
}

// Strides and depths are in elements. The columns of a tile and of its panel are 16 for 256 bits and 32 for 512.

//go:noescape
func mulFloatAVX2(c *float32, ldc int, a *float32, lda int, b *float32, depth int, bias *float32)

//go:noescape
func mulFloatAVX512(c *float32, ldc int, a *float32, lda int, b *float32, depth int, bias *float32)

//go:noescape
func mulInt8AVX2(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale,
	bias *float32)

//go:noescape
func mulInt8VNNI(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale,
	bias *float32)

//go:noescape
func mulInt8AVX512(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale,
	bias *float32)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func softmaxAVX2(x *float32, n int)

//go:noescape
func addNormAVX2(x, y, scale, shift *float32, n int, epsilon float32)

//go:noescape
func quantizeAVX2(q *uint8, x *float32, n int, row *quantization)
