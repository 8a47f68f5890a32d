#include "textflag.h"

// One step of a tile takes four rows of the panel (Y8, Y9), and from each row of a four numbers, and adds their products.

// AVX2 multiplies bytes with signed bytes into pairs of 16 bits, which must not overflow, and adds those up.
#define ROWAVX2(numbers, c0, c1) \
	VPBROADCASTD numbers, Y10; \
	VPMADDUBSW   Y8, Y10, Y11; \
	VPMADDUBSW   Y9, Y10, Y12; \
	VPMADDWD     Y13, Y11, Y11; \
	VPMADDWD     Y13, Y12, Y12; \
	VPADDD       Y11, c0, c0; \
	VPADDD       Y12, c1, c1

// VPDPBUSD in the encoding of AVX-VNNI, which the assembler does not write: accumulator n += Y10 · Y8, and n+1 += Y10 · Y9.
#define ROWVNNI(numbers, n) \
	VPBROADCASTD numbers, Y10; \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x2D; BYTE $0x50; BYTE $(0xC0 + 8*n); \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x2D; BYTE $0x50; BYTE $(0xC9 + 8*n)

// A row of sums begins with what the place of zero takes away from them.
#define ZERO256(row, c0, c1) \
	VPBROADCASTD (8*row+4)(AX), Y10; \
	VPSUBD Y10, Y11, Y10; \
	VPMULLD Y8, Y10, c0; \
	VPMULLD Y9, Y10, c1

#define BEGIN256 \
	MOVQ c+0(FP), DI; \
	MOVQ ldc+8(FP), DX; \
	MOVQ a+16(FP), SI; \
	MOVQ lda+24(FP), R9; \
	MOVQ b+32(FP), BX; \
	MOVQ depth+40(FP), CX; \
	MOVQ rows+48(FP), AX; \
	MOVQ sum+56(FP), R8; \
	SHLQ $2, DX; \
	LEAQ (R9)(R9*2), R10; \
	ADDQ SI, R10; \
	VMOVDQU (R8), Y8; \
	VMOVDQU 32(R8), Y9; \
	VPXOR Y11, Y11, Y11; \
	ZERO256(0, Y0, Y1); \
	ZERO256(1, Y2, Y3); \
	ZERO256(2, Y4, Y5); \
	ZERO256(3, Y6, Y7)

#define NEXT256 \
	ADDQ $4, SI; \
	ADDQ $4, R10; \
	ADDQ $64, BX; \
	SUBQ $4, CX

// A row of the result: the sums as floats, times the worth of the row and of the columns (Y8, Y9), plus bias (Y10, Y11).
#define SCALE256(row, c0, c1) \
	VBROADCASTSS (8*row)(AX), Y12; \
	VCVTDQ2PS c0, c0; \
	VCVTDQ2PS c1, c1; \
	VMULPS Y8, c0, c0; \
	VMULPS Y9, c1, c1; \
	VFMADD213PS Y10, Y12, c0; \
	VFMADD213PS Y11, Y12, c1; \
	VMOVUPS c0, (DI); \
	VMOVUPS c1, 32(DI); \
	ADDQ DX, DI

#define END256 \
	MOVQ scale+64(FP), R8; \
	VMOVUPS (R8), Y8; \
	VMOVUPS 32(R8), Y9; \
	MOVQ bias+72(FP), R8; \
	VMOVUPS (R8), Y10; \
	VMOVUPS 32(R8), Y11; \
	SCALE256(0, Y0, Y1); \
	SCALE256(1, Y2, Y3); \
	SCALE256(2, Y4, Y5); \
	SCALE256(3, Y6, Y7); \
	VZEROUPPER

// func mulInt8AVX2(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale, bias *float32)
TEXT ·mulInt8AVX2(SB), NOSPLIT, $0-80
	BEGIN256
	VPCMPEQW Y13, Y13, Y13
	VPSRLW   $15, Y13, Y13 // ones

step:
	VMOVDQU (BX), Y8
	VMOVDQU 32(BX), Y9
	ROWAVX2((SI), Y0, Y1)
	ROWAVX2((SI)(R9*1), Y2, Y3)
	ROWAVX2((SI)(R9*2), Y4, Y5)
	ROWAVX2((R10), Y6, Y7)
	NEXT256
	JNZ step
	END256
	RET

// func mulInt8VNNI(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale, bias *float32)
TEXT ·mulInt8VNNI(SB), NOSPLIT, $0-80
	BEGIN256

step:
	VMOVDQU (BX), Y8
	VMOVDQU 32(BX), Y9
	ROWVNNI((SI), 0)
	ROWVNNI((SI)(R9*1), 2)
	ROWVNNI((SI)(R9*2), 4)
	ROWVNNI((R10), 6)
	NEXT256
	JNZ step
	END256
	RET

#define ROW512(numbers, c0, c1) \
	VPBROADCASTD numbers, Z18; \
	VPDPBUSD     Z16, Z18, c0; \
	VPDPBUSD     Z17, Z18, c1

#define ZERO512(row, c0, c1) \
	VPBROADCASTD (8*row+4)(AX), Z18; \
	VPSUBD Z18, Z19, Z18; \
	VPMULLD Z16, Z18, c0; \
	VPMULLD Z17, Z18, c1

#define SCALE512(row, c0, c1) \
	VBROADCASTSS (8*row)(AX), Z20; \
	VCVTDQ2PS c0, c0; \
	VCVTDQ2PS c1, c1; \
	VMULPS Z16, c0, c0; \
	VMULPS Z17, c1, c1; \
	VFMADD213PS Z18, Z20, c0; \
	VFMADD213PS Z19, Z20, c1; \
	VMOVUPS c0, (DI); \
	VMOVUPS c1, 64(DI); \
	ADDQ DX, DI

// func mulInt8AVX512(c *float32, ldc int, a *uint8, lda int, b *int8, depth int, rows *quantization, sum *int32, scale, bias *float32)
TEXT ·mulInt8AVX512(SB), NOSPLIT, $0-80
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R9
	MOVQ b+32(FP), BX
	MOVQ depth+40(FP), CX
	MOVQ rows+48(FP), AX
	MOVQ sum+56(FP), R8
	SHLQ $2, DX
	LEAQ (R9)(R9*2), R11
	LEAQ (SI)(R11*1), R10    // the fourth row
	ADDQ R10, R11            // the seventh
	VMOVDQU32 (R8), Z16
	VMOVDQU32 64(R8), Z17
	VPXORQ Z19, Z19, Z19
	ZERO512(0, Z0, Z1)
	ZERO512(1, Z2, Z3)
	ZERO512(2, Z4, Z5)
	ZERO512(3, Z6, Z7)
	ZERO512(4, Z8, Z9)
	ZERO512(5, Z10, Z11)
	ZERO512(6, Z12, Z13)
	ZERO512(7, Z14, Z15)

step:
	VMOVDQU32 (BX), Z16
	VMOVDQU32 64(BX), Z17
	ROW512((SI), Z0, Z1)
	ROW512((SI)(R9*1), Z2, Z3)
	ROW512((SI)(R9*2), Z4, Z5)
	ROW512((R10), Z6, Z7)
	ROW512((R10)(R9*1), Z8, Z9)
	ROW512((R10)(R9*2), Z10, Z11)
	ROW512((R11), Z12, Z13)
	ROW512((R11)(R9*1), Z14, Z15)
	ADDQ $4, SI
	ADDQ $4, R10
	ADDQ $4, R11
	ADDQ $128, BX
	SUBQ $4, CX
	JNZ  step

	MOVQ scale+64(FP), R8
	VMOVUPS (R8), Z16
	VMOVUPS 64(R8), Z17
	MOVQ bias+72(FP), R8
	VMOVUPS (R8), Z18
	VMOVUPS 64(R8), Z19
	SCALE512(0, Z0, Z1)
	SCALE512(1, Z2, Z3)
	SCALE512(2, Z4, Z5)
	SCALE512(3, Z6, Z7)
	SCALE512(4, Z8, Z9)
	SCALE512(5, Z10, Z11)
	SCALE512(6, Z12, Z13)
	SCALE512(7, Z14, Z15)
	VZEROUPPER
	RET
