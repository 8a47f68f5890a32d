#include "textflag.h"

// A constant, eight times.
#define CONSTANT(name, bits) \
	DATA name<>+0(SB)/4, $bits; \
	DATA name<>+4(SB)/4, $bits; \
	DATA name<>+8(SB)/4, $bits; \
	DATA name<>+12(SB)/4, $bits; \
	DATA name<>+16(SB)/4, $bits; \
	DATA name<>+20(SB)/4, $bits; \
	DATA name<>+24(SB)/4, $bits; \
	DATA name<>+28(SB)/4, $bits; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

CONSTANT(one, 0x3f800000)       // 1
CONSTANT(magnitude, 0x7fffffff) // every bit but the sign
CONSTANT(greatest, 0x437f0000)  // maxActivation

// exp(x) is 2ⁿ·exp(r) with x = n·ln 2 + r, |r| ≤ ln 2 / 2, and exp(r) = 1 + r + r²·p(r): the polynomial and the two parts of
// ln 2 are those of expf in the Cephes library (S. Moshier, 1989). Its error is about one unit in the last place.
CONSTANT(least, 0xc2ae0000)  // -87: below it the result would leave the normal numbers
CONSTANT(log2e, 0x3fb8aa3b)  // 1.44269504
CONSTANT(ln2high, 0x3f318000) // 0.693359375
CONSTANT(ln2low, 0xb95e8083) // -2.12194440e-4
CONSTANT(exp0, 0x39506967)   // 1.9875691500e-4
CONSTANT(exp1, 0x3ab743ce)   // 1.3981999507e-3
CONSTANT(exp2, 0x3c088908)   // 8.3334519073e-3
CONSTANT(exp3, 0x3d2aa9c1)   // 4.1665795894e-2
CONSTANT(exp4, 0x3e2aaaaa)   // 1.6666665459e-1
CONSTANT(exp5, 0x3f000000)   // 5.0000001201e-1

// EXP replaces x by exp(x), for x up to 0.
#define EXP(x, n, r, p) \
	VMAXPS least<>(SB), x, x; \
	VMULPS log2e<>(SB), x, n; \
	VROUNDPS $0, n, n; \
	VMOVAPS x, r; \
	VFNMADD231PS ln2high<>(SB), n, r; \
	VFNMADD231PS ln2low<>(SB), n, r; \
	VMOVUPS exp0<>(SB), p; \
	VFMADD213PS exp1<>(SB), r, p; \
	VFMADD213PS exp2<>(SB), r, p; \
	VFMADD213PS exp3<>(SB), r, p; \
	VFMADD213PS exp4<>(SB), r, p; \
	VFMADD213PS exp5<>(SB), r, p; \
	VMULPS r, r, x; \
	VFMADD213PS r, x, p; \
	VADDPS one<>(SB), p, x; \
	VCVTPS2DQ n, n; \
	VPSLLD $23, n, n; \
	VPADDD n, x, x

// Φ(-x) is exp(-x²/2)·t·q(t) for x ≥ 0, with t = 1/(1 + c·x): formula 7.1.26 of Abramowitz and Stegun, "Handbook of
// Mathematical Functions" (1964) for erf, with its factors √½ and ½ taken into the constants. Its error is 7.5e-8.
CONSTANT(gelut, 0x3e6d3388) // 0.2316419
CONSTANT(gelu0, 0x3f07dc22) // 0.530702715
CONSTANT(gelu1, 0xbf3a00e3) // -0.7265760135
CONSTANT(gelu2, 0x3f35f0e3) // 0.710706871
CONSTANT(gelu3, 0xbe11a98e) // -0.142248368
CONSTANT(gelu4, 0x3e027906) // 0.127414796
CONSTANT(minushalf, 0xbf000000)

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VXORPS Y9, Y9, Y9
	VMOVUPS one<>(SB), Y10

next:
	VMOVUPS (DI), Y0
	VANDPS  magnitude<>(SB), Y0, Y1
	VMOVAPS Y10, Y2
	VFMADD231PS gelut<>(SB), Y1, Y2
	VDIVPS  Y2, Y10, Y2           // t
	VMULPS  minushalf<>(SB), Y1, Y3
	VMULPS  Y1, Y3, Y3
	EXP(Y3, Y4, Y5, Y6)
	VMOVUPS gelu0<>(SB), Y4
	VFMADD213PS gelu1<>(SB), Y2, Y4
	VFMADD213PS gelu2<>(SB), Y2, Y4
	VFMADD213PS gelu3<>(SB), Y2, Y4
	VFMADD213PS gelu4<>(SB), Y2, Y4
	VMULPS  Y2, Y4, Y4
	VMULPS  Y3, Y4, Y4            // Φ(-|x|)
	VMAXPS  Y9, Y0, Y0
	VFNMADD231PS Y1, Y4, Y0       // x·Φ(x) = max(x, 0) - |x|·Φ(-|x|)
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  next
	VZEROUPPER
	RET

// HORIZONTAL combines the eight numbers of y into the first of x, which is its lower half.
#define HORIZONTAL(op, y, x, tmp) \
	VEXTRACTF128 $1, y, tmp; \
	op tmp, x, x; \
	VMOVHLPS x, x, tmp; \
	op tmp, x, x; \
	VMOVSHDUP x, tmp; \
	op tmp, x, x

// func softmaxAVX2(x *float32, n int)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), DX
	MOVQ SI, DI
	MOVQ DX, CX
	VMOVUPS (DI), Y0

greater:
	VMAXPS (DI), Y0, Y0
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  greater
	HORIZONTAL(VMAXPS, Y0, X0, X1)
	VBROADCASTSS X0, Y8
	VXORPS Y9, Y9, Y9
	MOVQ SI, DI
	MOVQ DX, CX

power:
	VMOVUPS (DI), Y0
	VSUBPS  Y8, Y0, Y0
	EXP(Y0, Y1, Y2, Y3)
	VMOVUPS Y0, (DI)
	VADDPS  Y0, Y9, Y9
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  power
	HORIZONTAL(VADDPS, Y9, X9, X1)
	VBROADCASTSS X9, Y9
	VMOVUPS one<>(SB), Y1
	VDIVPS Y9, Y1, Y9

share:
	VMULPS  (SI), Y9, Y0
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	SUBQ $8, DX
	JNZ  share
	VZEROUPPER
	RET

// func addNormAVX2(x, y, scale, shift *float32, n int, epsilon float32)
TEXT ·addNormAVX2(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ scale+16(FP), R8
	MOVQ shift+24(FP), R9
	MOVQ n+32(FP), DX
	VCVTSI2SSQ DX, X10, X10
	SHLQ $2, DX              // bytes
	VXORPS Y0, Y0, Y0
	XORQ AX, AX

sum:
	VMOVUPS (DI)(AX*1), Y1
	VADDPS  (SI)(AX*1), Y1, Y1
	VMOVUPS Y1, (DI)(AX*1)
	VADDPS  Y1, Y0, Y0
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  sum
	HORIZONTAL(VADDPS, Y0, X0, X1)
	VDIVSS X10, X0, X0
	VBROADCASTSS X0, Y8      // mean
	VXORPS Y0, Y0, Y0
	XORQ AX, AX

squares:
	VMOVUPS (DI)(AX*1), Y1
	VSUBPS  Y8, Y1, Y1
	VFMADD231PS Y1, Y1, Y0
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  squares
	HORIZONTAL(VADDPS, Y0, X0, X1)
	VDIVSS X10, X0, X0
	VADDSS epsilon+40(FP), X0, X0
	VSQRTSS X0, X0, X0
	VMOVSS one<>(SB), X1
	VDIVSS X0, X1, X0
	VBROADCASTSS X0, Y9
	XORQ AX, AX

norm:
	VMOVUPS (DI)(AX*1), Y1
	VSUBPS  Y8, Y1, Y1
	VMULPS  Y9, Y1, Y1
	VMOVUPS (R8)(AX*1), Y2
	VFMADD213PS (R9)(AX*1), Y2, Y1
	VMOVUPS Y1, (DI)(AX*1)
	ADDQ $32, AX
	CMPQ AX, DX
	JLT  norm
	VZEROUPPER
	RET

// func quantizeAVX2(q *uint8, x *float32, n int, row *quantization)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-32
	MOVQ q+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ row+24(FP), R9
	MOVQ SI, R8
	MOVQ DX, CX
	VXORPS Y8, Y8, Y8
	VXORPS Y0, Y0, Y0        // greatest
	VXORPS Y1, Y1, Y1        // least

range:
	VMOVUPS (R8), Y2
	VMAXPS Y2, Y0, Y0
	VMINPS Y2, Y1, Y1
	ADDQ $32, R8
	SUBQ $8, CX
	JNZ  range
	HORIZONTAL(VMAXPS, Y0, X0, X2)
	HORIZONTAL(VMINPS, Y1, X1, X2)
	VMOVSS greatest<>(SB), X3
	VSUBSS X1, X0, X0        // width
	VUCOMISS X8, X0
	JNE  some
	VMOVAPS X3, X0           // all are zero: any step will do

some:
	VDIVSS X3, X0, X2
	VMOVSS X2, (R9)          // step
	VDIVSS X0, X3, X2        // by
	VSUBSS X1, X8, X1
	VMULSS X2, X1, X1
	VCVTSS2SI X1, AX
	MOVL AX, 4(R9)           // zero
	VBROADCASTSS X2, Y2
	VPBROADCASTD 4(R9), Y3

next:
	VMULPS (SI), Y2, Y0
	VCVTPS2DQ Y0, Y0
	VPADDD Y3, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKUSDW X1, X0, X0
	VPACKUSWB X0, X0, X0
	VMOVQ X0, (DI)
	ADDQ $32, SI
	ADDQ $8, DI
	SUBQ $8, DX
	JNZ  next
	VZEROUPPER
	RET
