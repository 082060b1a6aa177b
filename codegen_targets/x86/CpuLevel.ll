; CpuLevel.ll - which level of x86-64 is this?
;
; Part of permc, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Goes into every object whose kernels are there for several levels; a program
; keeps one of them (the comdat). It calls nothing, so it works before main, in
; static programs and with any C library. Threads that come here at once store
; the same number. The names end with a version: objects of another permc may be
; in the same program.

$__permc_cpu_level_v1 = comdat any
$__permc_find_cpu_level_v1 = comdat any

; 0 until it is known, then 1 to 4 for x86-64 to x86-64-v4.
@__permc_cpu_level_v1 = linkonce_odr hidden global i32 0, comdat, align 4

define linkonce_odr hidden void @__permc_find_cpu_level_v1() #0 comdat {
entry:
  %leaf0 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0, i32 0)
  %leaves = extractvalue { i32, i32, i32, i32 } %leaf0, 0
  %leaf1 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 1, i32 0)
  %ecx1 = extractvalue { i32, i32, i32, i32 } %leaf1, 2
  %extended0 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 u0x80000000, i32 0)
  %extendedLeaves = extractvalue { i32, i32, i32, i32 } %extended0, 0
  %hasExtended = icmp uge i32 %extendedLeaves, u0x80000001
  br i1 %hasExtended, label %v2, label %done

v2: ; SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
  %extended1 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 u0x80000001, i32 0)
  %extendedEcx = extractvalue { i32, i32, i32, i32 } %extended1, 2
  %ecx1v2 = and i32 %ecx1, u0x00982201
  %hasEcx1v2 = icmp eq i32 %ecx1v2, u0x00982201
  %lahf = and i32 %extendedEcx, 1
  %hasLahf = icmp ne i32 %lahf, 0
  %is2 = and i1 %hasEcx1v2, %hasLahf
  %hasLeaf7 = icmp uge i32 %leaves, 7
  %mayBe3 = and i1 %is2, %hasLeaf7
  %atMost2 = select i1 %is2, i32 2, i32 1
  br i1 %mayBe3, label %v3, label %done

v3: ; FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
  %leaf7 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0)
  %ebx7 = extractvalue { i32, i32, i32, i32 } %leaf7, 1
  %ecx1v3 = and i32 %ecx1, u0x38401000
  %hasEcx1v3 = icmp eq i32 %ecx1v3, u0x38401000
  %ebx7v3 = and i32 %ebx7, u0x00000128
  %hasEbx7v3 = icmp eq i32 %ebx7v3, u0x00000128
  %lzcnt = and i32 %extendedEcx, 32
  %hasLzcnt = icmp ne i32 %lzcnt, 0
  %hasBoth = and i1 %hasEcx1v3, %hasEbx7v3
  %cpuIs3 = and i1 %hasBoth, %hasLzcnt
  br i1 %cpuIs3, label %saved, label %done

saved: ; does the system keep the registers of 32 bytes, and those of 64?
  %xcr0 = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %states = extractvalue { i32, i32 } %xcr0, 0
  %states3 = and i32 %states, u0x06
  %is3 = icmp eq i32 %states3, u0x06
  %states4 = and i32 %states, u0xe6
  %saves4 = icmp eq i32 %states4, u0xe6
  ; AVX-512 F, DQ, CD, BW, VL
  %ebx7v4 = and i32 %ebx7, u0xd0030000
  %cpuIs4 = icmp eq i32 %ebx7v4, u0xd0030000
  %is4 = and i1 %cpuIs4, %saves4
  %atLeast3 = select i1 %is4, i32 4, i32 3
  %known = select i1 %is3, i32 %atLeast3, i32 2
  br label %done

done:
  %level = phi i32 [ 1, %entry ], [ %atMost2, %v2 ], [ 2, %v3 ], [ %known, %saved ]
  store atomic i32 %level, ptr @__permc_cpu_level_v1 monotonic, align 4
  ret void
}

attributes #0 = { nounwind noinline cold "target-cpu"="x86-64" }
