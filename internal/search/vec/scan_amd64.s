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

// A search reads the codes of all chunks once, from memory. So while one chunk is scanned, the next is fetched: R14 is where
// its codes lie, and R15 where its other numbers do. It goes into the second cache, because the first has no room: on Zen 4 a
// search of a million took 2.2 ms of a core that way, and 3.1 ms by way of the first.

// NUMBERS fetches a block's share of the other numbers of the next chunk: 64 floats, and a 32nd of the centre. DX is the
// length of the centre in bytes, which is that of the codes of a block. Six lines are enough for 1024 dimensions.
#define NUMBERS \
	PREFETCHT1 (R15); \
	PREFETCHT1 64(R15); \
	PREFETCHT1 128(R15); \
	PREFETCHT1 192(R15); \
	PREFETCHT1 256(R15); \
	PREFETCHT1 320(R15); \
	MOVQ DX, AX; \
	SHRQ $5, AX; \
	LEAQ 256(R15)(AX*1), R15

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

// BOUNDS turns the eight sums of x into bounds.
#define BOUNDS(x, off) \
	VPMOVZXWD x, Y8; \
	VCVTDQ2PS Y8, Y8; \
	VMULPS    Y11, Y8, Y8; \
	VADDPS    Y12, Y8, Y8; \
	VMULPS    off(BX), Y8, Y8; \
	VADDPS    off(R11), Y8, Y8; \
	VMOVUPS   Y8, off(R8)

// func scanAVX2(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, blocks int,
//     ahead *uint8, numbers *float32)
TEXT ·scanAVX2(SB), NOSPLIT, $0-80
	MOVQ s+0(FP), AX
	VBROADCASTSS 0(AX), Y11
	VBROADCASTSS 4(AX), Y12
	MOVQ table+8(FP), SI
	MOVQ codes+16(FP), DI
	MOVQ entries+24(FP), DX
	MOVQ gain+32(FP), BX
	MOVQ shift+40(FP), R11
	MOVQ out+48(FP), R8
	MOVQ blocks+56(FP), CX
	MOVQ ahead+64(FP), R14
	MOVQ numbers+72(FP), R15
	VMOVDQU lowerHalf<>(SB), Y14
	VMOVDQU evenBytes<>(SB), Y15

block:
	NUMBERS
	// Sums of 16 bits: of the even and the odd of slots 0 to 15, and of 16 to 31.
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ SI, R9
	MOVQ DX, R10

next:
	PREFETCHT1 (R14)
	PREFETCHT1 64(R14)
	ADDQ $128, R14
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
	ADDQ $128, BX
	ADDQ $128, R11
	ADDQ $128, R8
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

// BOUNDS512 turns the sums of 16 slots, the even ones in even and the odd ones in odd, into bounds. The even ones have 256 times the
// odd ones in them.
#define BOUNDS512(even, odd, off) \
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
	VMOVUPS     Z8, off(R8)

// func scanAVX512(s *lookup, table, codes *uint8, entries int, gain, shift, out *float32, blocks int,
//     ahead *uint8, numbers *float32)
TEXT ·scanAVX512(SB), NOSPLIT, $0-80
	MOVQ s+0(FP), AX
	VBROADCASTSS 0(AX), Z11
	VBROADCASTSS 4(AX), Z12
	MOVQ table+8(FP), SI
	MOVQ codes+16(FP), DI
	MOVQ entries+24(FP), DX
	MOVQ gain+32(FP), BX
	MOVQ shift+40(FP), R11
	MOVQ out+48(FP), R8
	MOVQ blocks+56(FP), CX
	MOVQ ahead+64(FP), R14
	MOVQ numbers+72(FP), R15
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z14

block:
	NUMBERS
	// Sums of 16 bits: of the even (and in their upper halves of the odd) and of the odd of slots 0 to 15, and of 16 to 31.
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ SI, R9
	MOVQ DX, R10

next:
	PREFETCHT1 (R14)
	PREFETCHT1 64(R14)
	PREFETCHT1 128(R14)
	PREFETCHT1 192(R14)
	ADDQ $256, R14
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
	BOUNDS512(X0, X1, 0)
	BOUNDS512(X2, X3, 64)
	ADDQ $128, BX
	ADDQ $128, R11
	ADDQ $128, R8
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// func aboveAVX2(bounds *float32, least float32, words *uint64, n int)
// Eight bounds at a time, from the last of a word to the first.
TEXT ·aboveAVX2(SB), NOSPLIT, $0-32
	MOVQ bounds+0(FP), SI
	VBROADCASTSS least+8(FP), Y13
	MOVQ words+16(FP), DI
	MOVQ n+24(FP), CX

word:
	MOVQ $256, R9

eight:
	VMOVUPS   -32(SI)(R9*1), Y8
	VCMPPS    $13, Y13, Y8, Y8
	VMOVMSKPS Y8, AX
	SHLQ $8, R10
	ORQ  AX, R10
	SUBQ $32, R9
	JNZ  eight
	ANDQ R10, (DI)
	ADDQ $256, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word
	VZEROUPPER
	RET

// func aboveAVX512(bounds *float32, least float32, words *uint64, n int)
TEXT ·aboveAVX512(SB), NOSPLIT, $0-32
	MOVQ bounds+0(FP), SI
	VBROADCASTSS least+8(FP), Z13
	MOVQ words+16(FP), DI
	MOVQ n+24(FP), CX

word:
	VMOVUPS (SI), Z8
	VMOVUPS 64(SI), Z9
	VMOVUPS 128(SI), Z10
	VMOVUPS 192(SI), Z11
	VCMPPS  $13, Z13, Z8, K1
	VCMPPS  $13, Z13, Z9, K2
	VCMPPS  $13, Z13, Z10, K3
	VCMPPS  $13, Z13, Z11, K4
	KUNPCKWD K1, K2, K1
	KUNPCKWD K3, K4, K3
	KUNPCKDQ K1, K3, K1
	KMOVQ K1, AX
	ANDQ  AX, (DI)
	ADDQ $256, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word
	VZEROUPPER
	RET
