/*===- cortex_m.c - the check on a Cortex-M without an operating system ---===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Start-up code, and semihosting in place of an operating system: the emulator
|* prints what it is told to and ends with the program's exit code. There are no
|* guard pages; some bytes round each buffer are watched instead.
|*
\*===----------------------------------------------------------------------===*/

#include "check.h"

/* Set by cortex_m.ld. */
extern unsigned char stack_top[], memory_start[], memory_end[];

const size_t machine_margin = 64;

enum {
  SYS_WRITE0 = 0x04,
  SYS_EXIT_EXTENDED = 0x20,
  APPLICATION_EXIT = 0x20026
};

static int semihosting(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void machine_print(const char *text) { semihosting(SYS_WRITE0, text); }

static void leave(int status) {
  const int block[] = {APPLICATION_EXIT, status};
  semihosting(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}

/* Each side gets an equal share of what is left of the memory. */
unsigned char *machine_memory(enum side side, size_t *bytes) {
  size_t share = (size_t)(memory_end - memory_start) / SIDES & ~(size_t)63;
  return *bytes <= share ? memory_start + (size_t)side * share : NULL;
}

void machine_protect(enum side side, int read_only) {
  (void)side;
  (void)read_only;
}

/* gcc makes calls of these even where there is no library. */
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile unsigned char *)to)[i] = (unsigned char)value;
  return to;
}
void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
  return to;
}

static void start(void) {
  /* Lets coprocessors 10 and 11 run: vectors. Cores without take no notice. */
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  leave(check_all());
}

static void fault(void) {
  check_print_running();
  machine_print(": a fault: a misaligned access, an unknown instruction, or an "
                "address without memory\n");
  leave(1);
}

__attribute__((section(".vectors"), used)) static const struct {
  unsigned char *stack;
  void (*handlers[15])(void);
} vectors = {stack_top,
             {start, fault, fault, fault, fault, fault, fault, fault, fault,
              fault, fault, fault, fault, fault, fault}};
