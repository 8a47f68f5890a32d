#include "textflag.h"

// The functions below add up products of bytes, which have no sign in the rows and one in q, 64 of them at a time. BX is where the
// next row lies: slices are 24 bytes long and begin with that.

#define BEGIN \
	MOVQ q+0(FP), SI; \
	MOVQ width+8(FP), DX; \
	MOVQ rows+16(FP), BX; \
	MOVQ n+24(FP), CX; \
	MOVQ out+32(FP), R8; \
	LEAQ (SI)(DX*1), R10

// AHEAD is how many rows before its use one is fetched: which are next only we know. Processors that look far ahead do without.
#define AHEAD 4

// R9 is the end of a row, R10 the end of q and AX counts up to them. R11 is the end of the row to be fetched.
#define ROW \
	MOVQ    (BX), R9; \
	ADDQ    DX, R9; \
	MOVQ    R9, R11; \
	CMPQ    CX, $AHEAD; \
	JLE     last; \
	MOVQ    (24*AHEAD)(BX), R11; \
	ADDQ    DX, R11; \
last: \
	MOVQ    DX, AX; \
	NEGQ    AX

// SUM256 writes the sum of the eight numbers of Y0.
#define SUM256 \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD  X1, X0, X0; \
	VPSHUFD $0x4e, X0, X1; \
	VPADDD  X1, X0, X0; \
	VPSHUFD $0xb1, X0, X1; \
	VPADDD  X1, X0, X0; \
	VMOVD   X0, (R8); \
	ADDQ $24, BX; \
	ADDQ $4, R8; \
	DECQ CX

#define WIDEN(off, sum) \
	VPMOVZXBW off(R9)(AX*1), Y4; \
	VPMOVSXBW off(R10)(AX*1), Y5; \
	VPMADDWD  Y5, Y4, Y4; \
	VPADDD    Y4, sum, sum

// func dotsAVX2(q *int8, width int, rows *[]uint8, n int, out *int32)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	BEGIN

row:
	ROW
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

next:
	PREFETCHT0 (R11)(AX*1)
	WIDEN(0, Y0)
	WIDEN(16, Y1)
	WIDEN(32, Y0)
	WIDEN(48, Y1)
	ADDQ $64, AX
	JNZ  next
	VPADDD Y1, Y0, Y0
	SUM256
	JNZ row
	VZEROUPPER
	RET

// func dotsVNNI(q *int8, width int, rows *[]uint8, n int, out *int32)
// The bytes are VPDPBUSD in the encoding of AVX-VNNI, which the assembler does not write: Y0 += Y4 · Y5, Y1 += Y6 · Y7.
TEXT ·dotsVNNI(SB), NOSPLIT, $0-40
	BEGIN

row:
	ROW
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

next:
	PREFETCHT0 (R11)(AX*1)
	VMOVDQU (R9)(AX*1), Y4
	VMOVDQU (R10)(AX*1), Y5
	VMOVDQU 32(R9)(AX*1), Y6
	VMOVDQU 32(R10)(AX*1), Y7
	BYTE $0xC4; BYTE $0xE2; BYTE $0x5D; BYTE $0x50; BYTE $0xC5
	BYTE $0xC4; BYTE $0xE2; BYTE $0x4D; BYTE $0x50; BYTE $0xCF
	ADDQ $64, AX
	JNZ  next
	VPADDD Y1, Y0, Y0
	SUM256
	JNZ row
	VZEROUPPER
	RET

// func dotsAVX512(q *int8, width int, rows *[]uint8, n int, out *int32)
TEXT ·dotsAVX512(SB), NOSPLIT, $0-40
	BEGIN

row:
	ROW
	VPXORD Z0, Z0, Z0

next:
	PREFETCHT0 (R11)(AX*1)
	VMOVDQU64 (R9)(AX*1), Z4
	VPDPBUSD (R10)(AX*1), Z4, Z0
	ADDQ $64, AX
	JNZ  next
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	SUM256
	JNZ row
	VZEROUPPER
	RET
