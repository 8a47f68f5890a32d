package bert

import "math"

// plain are the kernels in Go: the reference of the others, and the fallback of processors without them.
var plain = kernels{
	float:   floatKernel{name: "go", rows: 2, columns: 4, multiply: multiplyFloat},
	int8:    int8Kernel{name: "go", rows: 1, columns: 4, multiply: multiplyInt8},
	vectors: vectorKernel{name: "go", gelu: gelu, softmax: softmax, addNorm: addNorm, quantize: quantize},
}

// Each sum has its own variable, because variables stay in registers and arrays do not.

func multiplyFloat(c []float32, ldc int, a []float32, lda int, b []float32, depth int, bias []float32) {
	const columns = 4
	a0, a1 := a[:depth], a[lda:][:depth]
	s0, s1, s2, s3 := bias[0], bias[1], bias[2], bias[3]
	t0, t1, t2, t3 := s0, s1, s2, s3
	for i, x := range a0 {
		y, w := a1[i], (*[columns]float32)(b[i*columns:])
		s0 += x * w[0]
		s1 += x * w[1]
		s2 += x * w[2]
		s3 += x * w[3]
		t0 += y * w[0]
		t1 += y * w[1]
		t2 += y * w[2]
		t3 += y * w[3]
	}
	*(*[columns]float32)(c) = [columns]float32{s0, s1, s2, s3}
	*(*[columns]float32)(c[ldc:]) = [columns]float32{t0, t1, t2, t3}
}

func multiplyInt8(c []float32, _ int, a []uint8, _ int, b []int8, depth int, rows []quantization, p int8Panel) {
	const columns = 4
	var s0, s1, s2, s3 int32
	for i := 0; i < depth; i += 4 {
		w, x := (*[4 * columns]int8)(b[i*columns:]), (*[4]uint8)(a[i:])
		x0, x1, x2, x3 := int32(x[0]), int32(x[1]), int32(x[2]), int32(x[3])
		s0 += x0*int32(w[0]) + x1*int32(w[1]) + x2*int32(w[2]) + x3*int32(w[3])
		s1 += x0*int32(w[4]) + x1*int32(w[5]) + x2*int32(w[6]) + x3*int32(w[7])
		s2 += x0*int32(w[8]) + x1*int32(w[9]) + x2*int32(w[10]) + x3*int32(w[11])
		s3 += x0*int32(w[12]) + x1*int32(w[13]) + x2*int32(w[14]) + x3*int32(w[15])
	}
	for j, s := range [columns]int32{s0, s1, s2, s3} {
		c[j] = p.bias[j] + rows[0].step*(p.scale[j]*float32(s-rows[0].zero*p.sum[j]))
	}
}

func gelu(x []float32) {
	for i, v := range x {
		x[i] = float32(float64(v) / 2 * math.Erfc(-float64(v)/math.Sqrt2))
	}
}

func softmax(x []float32) {
	greatest := float32(math.Inf(-1))
	for _, v := range x {
		greatest = max(greatest, v)
	}
	var sum float64
	for i, v := range x {
		e := math.Exp(float64(v - greatest))
		x[i] = float32(e)
		sum += e
	}
	for i := range x {
		x[i] = float32(float64(x[i]) / sum)
	}
}

func addNorm(x, y, scale, shift []float32, epsilon float32) {
	var sum, squares float64
	for i := range x {
		x[i] += y[i]
		sum += float64(x[i])
	}
	mean := sum / float64(len(x))
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	by := 1 / math.Sqrt(squares/float64(len(x))+float64(epsilon))
	for i, v := range x {
		x[i] = float32((float64(v)-mean)*by)*scale[i] + shift[i]
	}
}

func quantize(q []uint8, x []float32) quantization {
	var least, greatest float32
	for _, v := range x {
		least, greatest = min(least, v), max(greatest, v)
	}
	width := greatest - least
	if width == 0 {
		width = maxActivation // all are zero: any step will do
	}
	by := maxActivation / width
	zero := int32(math.RoundToEven(float64(-least * by)))
	for i, v := range x {
		q[i] = uint8(min(max(zero+int32(math.RoundToEven(float64(v*by))), 0), maxActivation))
	}
	return quantization{step: width / maxActivation, zero: zero}
}
