/*===- linux.c - the check as a program under Linux -----------------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Memory lies between pages that nobody may touch, and src cannot be written
|* while a kernel runs.
|*
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE

#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  unsigned char *start;
  size_t bytes;
} regions[SIDES];

const size_t machine_margin = 0;

unsigned char *machine_memory(enum side side, size_t *bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (*bytes + page - 1) / page * page;
  if (regions[side].start)
    munmap(regions[side].start - page, regions[side].bytes + 2 * page);
  regions[side].start = NULL;
  unsigned char *memory = mmap(NULL, whole + 2 * page, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED ||
      mprotect(memory + page, whole, PROT_READ | PROT_WRITE) != 0)
    return NULL;
  regions[side].start = memory + page;
  regions[side].bytes = *bytes = whole;
  return memory + page;
}

void machine_protect(enum side side, int read_only) {
  mprotect(regions[side].start, regions[side].bytes,
           read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

void machine_print(const char *text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0)
    _exit(1);
}

static void report_fault(int signal) {
  check_print_running();
  machine_print(signal == SIGILL
                    ? ": an instruction that this processor lacks\n"
                : signal == SIGBUS ? ": a misaligned access\n"
                                   : ": touches memory outside its buffers, "
                                     "or writes to src\n");
  _exit(1);
}

/* The length of SVE's vectors, which decides what a kernel does. */
static void print_vector_length(void) {
#ifdef __ARM_FEATURE_SVE
  unsigned long bytes;
  __asm__("rdvl %0, #1" : "=r"(bytes));
  machine_print("vectors of ");
  check_print_number(8 * bytes);
  machine_print(" bits\n");
#endif
}

int main(void) {
  signal(SIGSEGV, report_fault);
  signal(SIGBUS, report_fault);
  signal(SIGILL, report_fault);
  print_vector_length();
  return check_all();
}
