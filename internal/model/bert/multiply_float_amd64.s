#include "textflag.h"

// One step of a tile takes a row of the panel (Y12, Y13), and from each row of a one number, and adds their products. Panels
// are asked for 4 KiB ahead: with few tokens they come from far away, and the processor's own guesses end at a page.

#define ROW256(number, c0, c1) \
	VBROADCASTSS number, Y14; \
	VFMADD231PS  Y12, Y14, c0; \
	VFMADD231PS  Y13, Y14, c1

#define STEP256(i) \
	PREFETCHT0 (64*i+4096)(BX); \
	VMOVUPS (64*i)(BX), Y12; \
	VMOVUPS (64*i+32)(BX), Y13; \
	ROW256(4*i(SI), Y0, Y1); \
	ROW256(4*i(SI)(R9*1), Y2, Y3); \
	ROW256(4*i(SI)(R9*2), Y4, Y5); \
	ROW256(4*i(R10), Y6, Y7); \
	ROW256(4*i(R10)(R9*1), Y8, Y9); \
	ROW256(4*i(R10)(R9*2), Y10, Y11)

#define STORE256(c0, c1) \
	VMOVUPS c0, (DI); \
	VMOVUPS c1, 32(DI); \
	ADDQ    DX, DI

// func mulFloatAVX2(c *float32, ldc int, a *float32, lda int, b *float32, depth int, bias *float32)
TEXT ·mulFloatAVX2(SB), NOSPLIT, $0-56
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R9
	MOVQ b+32(FP), BX
	MOVQ depth+40(FP), CX
	MOVQ bias+48(FP), AX
	SHLQ $2, DX
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R10
	ADDQ SI, R10             // the fourth row
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y1, Y3
	VMOVAPS Y0, Y4
	VMOVAPS Y1, Y5
	VMOVAPS Y0, Y6
	VMOVAPS Y1, Y7
	VMOVAPS Y0, Y8
	VMOVAPS Y1, Y9
	VMOVAPS Y0, Y10
	VMOVAPS Y1, Y11
	SUBQ $2, CX
	JLT  last

pair:
	STEP256(0)
	STEP256(1)
	ADDQ $8, SI
	ADDQ $8, R10
	ADDQ $128, BX
	SUBQ $2, CX
	JGE  pair

last:
	ADDQ $2, CX
	JZ   store
	STEP256(0)

store:
	STORE256(Y0, Y1)
	STORE256(Y2, Y3)
	STORE256(Y4, Y5)
	STORE256(Y6, Y7)
	STORE256(Y8, Y9)
	STORE256(Y10, Y11)
	VZEROUPPER
	RET

#define ROW512(number, c0, c1) \
	VBROADCASTSS number, Z18; \
	VFMADD231PS  Z16, Z18, c0; \
	VFMADD231PS  Z17, Z18, c1

#define STEP512(i) \
	PREFETCHT0 (128*i+4096)(BX); \
	PREFETCHT0 (128*i+4160)(BX); \
	VMOVUPS (128*i)(BX), Z16; \
	VMOVUPS (128*i+64)(BX), Z17; \
	ROW512(4*i(SI), Z0, Z1); \
	ROW512(4*i(SI)(R9*1), Z2, Z3); \
	ROW512(4*i(SI)(R9*2), Z4, Z5); \
	ROW512(4*i(R10), Z6, Z7); \
	ROW512(4*i(R10)(R9*1), Z8, Z9); \
	ROW512(4*i(R10)(R9*2), Z10, Z11); \
	ROW512(4*i(R11), Z12, Z13); \
	ROW512(4*i(R11)(R9*1), Z14, Z15)

#define STORE512(c0, c1) \
	VMOVUPS c0, (DI); \
	VMOVUPS c1, 64(DI); \
	ADDQ    DX, DI

// func mulFloatAVX512(c *float32, ldc int, a *float32, lda int, b *float32, depth int, bias *float32)
TEXT ·mulFloatAVX512(SB), NOSPLIT, $0-56
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R9
	MOVQ b+32(FP), BX
	MOVQ depth+40(FP), CX
	MOVQ bias+48(FP), AX
	SHLQ $2, DX
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R11
	LEAQ (SI)(R11*1), R10    // the fourth row
	ADDQ R10, R11            // the seventh
	VMOVUPS (AX), Z0
	VMOVUPS 64(AX), Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z1, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z1, Z5
	VMOVAPS Z0, Z6
	VMOVAPS Z1, Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z1, Z9
	VMOVAPS Z0, Z10
	VMOVAPS Z1, Z11
	VMOVAPS Z0, Z12
	VMOVAPS Z1, Z13
	VMOVAPS Z0, Z14
	VMOVAPS Z1, Z15
	SUBQ $2, CX
	JLT  last

pair:
	STEP512(0)
	STEP512(1)
	ADDQ $8, SI
	ADDQ $8, R10
	ADDQ $8, R11
	ADDQ $256, BX
	SUBQ $2, CX
	JGE  pair

last:
	ADDQ $2, CX
	JZ   store
	STEP512(0)

store:
	STORE512(Z0, Z1)
	STORE512(Z2, Z3)
	STORE512(Z4, Z5)
	STORE512(Z6, Z7)
	STORE512(Z8, Z9)
	STORE512(Z10, Z11)
	STORE512(Z12, Z13)
	STORE512(Z14, Z15)
	VZEROUPPER
	RET
