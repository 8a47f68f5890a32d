#include "textflag.h"

// A byte, 32 times.
#define BYTES(name, eight) \
	DATA name<>+0(SB)/8, $eight; \
	DATA name<>+8(SB)/8, $eight; \
	DATA name<>+16(SB)/8, $eight; \
	DATA name<>+24(SB)/8, $eight; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

BYTES(lowerHalf, 0x0f0f0f0f0f0f0f0f)
BYTES(evenBytes, 0x00ff00ff00ff00ff)

// GROUPS looks two groups up, one in each half of the registers, and adds the entries to Y4 (slots 0 to 15 of the block) and
// Y5 (16 to 31).
#define GROUPS(off) \
	VMOVDQU off(DI), Y8; \
	VMOVDQU off(R9), Y9; \
	VPSRLW  $4, Y8, Y10; \
	VPAND   Y14, Y8, Y8; \
	VPAND   Y14, Y10, Y10; \
	VPSHUFB Y8, Y9, Y8; \
	VPSHUFB Y10, Y9, Y10; \
	VPADDB  Y8, Y4, Y4; \
	VPADDB  Y10, Y5, Y5

// BOUNDS turns the eight sums of x into bounds, and prepends to R13 which of them pass.
#define BOUNDS(x, off) \
	VPMOVZXWD x, Y8; \
	VCVTDQ2PS Y8, Y8; \
	VMULPS    Y11, Y8, Y8; \
	VADDPS    Y12, Y8, Y8; \
	VMULPS    off(BX), Y8, Y8; \
	VADDPS    off(R11), Y8, Y8; \
	VMOVUPS   Y8, off(R8); \
	VCMPPS    $13, Y13, Y8, Y8; \
	VMOVMSKPS Y8, AX; \
	SHLL      $8, R13; \
	ORL       AX, R13

// func scanAVX2(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, passed *uint32, blocks int)
TEXT ·scanAVX2(SB), NOSPLIT, $0-72
	MOVQ s+0(FP), AX
	VBROADCASTSS 0(AX), Y11
	VBROADCASTSS 4(AX), Y12
	VBROADCASTSS 8(AX), Y13
	MOVQ table+8(FP), SI
	MOVQ codes+16(FP), DI
	MOVQ entries+24(FP), DX
	MOVQ gain+32(FP), BX
	MOVQ shift+40(FP), R11
	MOVQ out+48(FP), R8
	MOVQ passed+56(FP), R12
	MOVQ blocks+64(FP), CX
	VMOVDQU lowerHalf<>(SB), Y14
	VMOVDQU evenBytes<>(SB), Y15

block:
	// Sums of 16 bits: of the even and the odd of slots 0 to 15, and of 16 to 31.
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ SI, R9
	MOVQ DX, R10

next:
	PREFETCHT0 4096(DI) // what the processor fetches by itself comes a third later
	PREFETCHT0 4160(DI)
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	GROUPS(0)
	GROUPS(32)
	GROUPS(64)
	GROUPS(96)
	VPAND  Y15, Y4, Y6
	VPSRLW $8, Y4, Y7
	VPADDW Y6, Y0, Y0
	VPADDW Y7, Y1, Y1
	VPAND  Y15, Y5, Y6
	VPSRLW $8, Y5, Y7
	VPADDW Y6, Y2, Y2
	VPADDW Y7, Y3, Y3
	ADDQ $128, DI
	ADDQ $128, R9
	SUBQ $128, R10
	JNZ  next

	VEXTRACTI128 $1, Y0, X6
	VPADDW X6, X0, X0
	VEXTRACTI128 $1, Y1, X6
	VPADDW X6, X1, X1
	VEXTRACTI128 $1, Y2, X6
	VPADDW X6, X2, X2
	VEXTRACTI128 $1, Y3, X6
	VPADDW X6, X3, X3
	VPUNPCKLWD X1, X0, X4
	VPUNPCKHWD X1, X0, X5
	VPUNPCKLWD X3, X2, X6
	VPUNPCKHWD X3, X2, X7
	BOUNDS(X7, 96)
	BOUNDS(X6, 64)
	BOUNDS(X5, 32)
	BOUNDS(X4, 0)
	MOVL R13, (R12)
	ADDQ $128, BX
	ADDQ $128, R11
	ADDQ $128, R8
	ADDQ $4, R12
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// GROUPS512 looks four groups up, one in each quarter of the registers, and adds the entries to Z4 (slots 0 to 15 of the block) and
// Z5 (16 to 31).
#define GROUPS512(off) \
	VMOVDQU64 off(DI), Z8; \
	VMOVDQU64 off(R9), Z9; \
	VPSRLW  $4, Z8, Z10; \
	VPANDQ  Z14, Z8, Z8; \
	VPANDQ  Z14, Z10, Z10; \
	VPSHUFB Z8, Z9, Z8; \
	VPSHUFB Z10, Z9, Z10; \
	VPADDB  Z8, Z4, Z4; \
	VPADDB  Z10, Z5, Z5

// QUARTERS adds up the four quarters of z, of which y and x are parts.
#define QUARTERS(z, y, x) \
	VEXTRACTI64X4 $1, z, Y6; \
	VPADDW        Y6, y, y; \
	VEXTRACTI128  $1, y, X6; \
	VPADDW        X6, x, x

// BOUNDS512 turns the sums of 16 slots, the even ones in even and the odd ones in odd, into bounds, and writes which of them pass to to. The
// even ones have 256 times the odd ones in them.
#define BOUNDS512(even, odd, off, to) \
	VPSLLW      $8, odd, X6; \
	VPSUBW      X6, even, even; \
	VPUNPCKLWD  odd, even, X6; \
	VPUNPCKHWD  odd, even, X7; \
	VINSERTI128 $1, X7, Y6, Y6; \
	VPMOVZXWD   Y6, Z8; \
	VCVTDQ2PS   Z8, Z8; \
	VMULPS      Z11, Z8, Z8; \
	VADDPS      Z12, Z8, Z8; \
	VMULPS      off(BX), Z8, Z8; \
	VADDPS      off(R11), Z8, Z8; \
	VMOVUPS     Z8, off(R8); \
	VCMPPS      $13, Z13, Z8, K1; \
	KMOVW       K1, to

// func scanAVX512(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, passed *uint32, blocks int)
TEXT ·scanAVX512(SB), NOSPLIT, $0-72
	MOVQ s+0(FP), AX
	VBROADCASTSS 0(AX), Z11
	VBROADCASTSS 4(AX), Z12
	VBROADCASTSS 8(AX), Z13
	MOVQ table+8(FP), SI
	MOVQ codes+16(FP), DI
	MOVQ entries+24(FP), DX
	MOVQ gain+32(FP), BX
	MOVQ shift+40(FP), R11
	MOVQ out+48(FP), R8
	MOVQ passed+56(FP), R12
	MOVQ blocks+64(FP), CX
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z14

block:
	// Sums of 16 bits: of the even (and in their upper halves of the odd) and of the odd of slots 0 to 15, and of 16 to 31.
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ SI, R9
	MOVQ DX, R10

next:
	PREFETCHT0 4096(DI)
	PREFETCHT0 4160(DI)
	PREFETCHT0 4224(DI)
	PREFETCHT0 4288(DI)
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	GROUPS512(0)
	GROUPS512(64)
	GROUPS512(128)
	GROUPS512(192)
	VPADDW Z4, Z0, Z0
	VPSRLW $8, Z4, Z4
	VPADDW Z4, Z1, Z1
	VPADDW Z5, Z2, Z2
	VPSRLW $8, Z5, Z5
	VPADDW Z5, Z3, Z3
	ADDQ $256, DI
	ADDQ $256, R9
	SUBQ $256, R10
	JNZ  next

	QUARTERS(Z0, Y0, X0)
	QUARTERS(Z1, Y1, X1)
	QUARTERS(Z2, Y2, X2)
	QUARTERS(Z3, Y3, X3)
	BOUNDS512(X0, X1, 0, AX)
	BOUNDS512(X2, X3, 64, R13)
	SHLL $16, R13
	ORL  AX, R13
	MOVL R13, (R12)
	ADDQ $128, BX
	ADDQ $128, R11
	ADDQ $128, R8
	ADDQ $4, R12
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
