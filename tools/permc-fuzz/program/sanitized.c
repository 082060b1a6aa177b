/*===- sanitized.c - memory whose ends AddressSanitizer watches -----------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

const size_t machine_margin = 0;

/* Exactly as much as is asked for. */
unsigned char *machine_memory(enum side side, size_t *bytes) {
  static unsigned char *memory[SIDES];
  free(memory[side]);
  return memory[side] = malloc(*bytes ? *bytes : 1);
}

void machine_protect(enum side side, int read_only) {
  (void)side;
  (void)read_only;
}

void machine_print(const char *text) {
  fputs(text, stdout);
  fflush(stdout);
}

/* Called by both sanitizers before they say what they found. */
void __asan_on_error(void) { check_print_running(); }
void __ubsan_on_report(void) { check_print_running(); }

int main(void) { return check_all(); }
