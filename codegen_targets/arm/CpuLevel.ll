; CpuLevel.ll - has this 64-bit ARM SVE?
;
; Part of permc, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; See ../x86/CpuLevel.ll. A program cannot ask an ARM CPU itself; the kernel has
; told each process what there is. getauxval is in every C library for AArch64,
; also where programs are static, and works from the first instruction on.

$__permc_cpu_level_v1 = comdat any
$__permc_find_cpu_level_v1 = comdat any

; 0 until it is known, then 1 for aarch64, 2 for aarch64-sve.
@__permc_cpu_level_v1 = linkonce_odr hidden global i32 0, comdat, align 4

declare i64 @getauxval(i64)

define linkonce_odr hidden void @__permc_find_cpu_level_v1() #0 comdat {
  %hwcap = call i64 @getauxval(i64 16)   ; AT_HWCAP
  %sve = and i64 %hwcap, u0x400000       ; HWCAP_SVE
  %hasSve = icmp ne i64 %sve, 0
  %level = select i1 %hasSve, i32 2, i32 1
  store atomic i32 %level, ptr @__permc_cpu_level_v1 monotonic, align 4
  ret void
}

attributes #0 = { nounwind noinline cold "target-cpu"="generic" "target-features"="+neon" }
