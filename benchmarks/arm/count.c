/*===- count.c - runs kernels and plain loops to be counted ---------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Linked with a list of cases and the start-up code of tools/permc/emulation,
|* whose check it replaces. Both of a case must give the same bytes.
|*
\*===----------------------------------------------------------------------===*/

#include "count.h"

static const char *running;

/* What the plugin looks for. */
__attribute__((noinline)) void count_on(void) { __asm__ volatile(""); }
__attribute__((noinline)) void count_off(void) { __asm__ volatile(""); }

void check_print_number(size_t number) { (void)number; }
void check_print_running(void) { machine_print(running); }

static uint32_t checksum(const unsigned char *bytes, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum = sum * 31 + bytes[i];
  return sum;
}

int check_all(void) {
  for (const struct counted *c = counted; c->name; ++c) {
    running = c->name;
    size_t src_bytes = c->bytes, dst_bytes = c->bytes;
    unsigned char *src = machine_memory(SRC, &src_bytes);
    unsigned char *dst = machine_memory(DST, &dst_bytes);
    if (!src || !dst)
      return 1;
    for (size_t i = 0; i < c->bytes; ++i)
      src[i] = (unsigned char)(i * 7 + (i >> 8));
    count_on();
    c->plain(src, dst);
    count_off();
    uint32_t expected = checksum(dst, c->bytes);
    for (size_t i = 0; i < c->bytes; ++i)
      dst[i] = 0;
    count_on();
    c->kernel(src, dst);
    count_off();
    if (checksum(dst, c->bytes) != expected) {
      machine_print(c->name);
      machine_print(" is wrong\n");
      return 1;
    }
  }
  return 0;
}
