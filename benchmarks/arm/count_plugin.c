/*===- count_plugin.c - counts the instructions that a program executes ---===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A plugin for qemu. It writes a line with a number to the file named by its
|* argument (out=FILE) for every stretch between a call of count_on and one of
|* count_off. Debian ships no header for plugins, so what is used is declared
|* here; the interface is of qemu's plugin API, version 1.
|*
\*===----------------------------------------------------------------------===*/

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(
    uint64_t id, void (*callback)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*callback)(unsigned cpu,
                                                           void *data),
                                          int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);

int qemu_plugin_version = 1;

static FILE *out;
static uint64_t executed, start;

static void on_block(unsigned cpu, void *instructions) {
  (void)cpu;
  executed += (uintptr_t)instructions;
}

static void on_start(unsigned cpu, void *data) {
  (void)cpu;
  (void)data;
  start = executed;
}

static void on_end(unsigned cpu, void *data) {
  (void)cpu;
  (void)data;
  fprintf(out, "%" PRIu64 "\n", executed - start);
  fflush(out);
}

/* A block that starts one of the two functions reports first; its own
 * instructions count as those of the stretch that begins. */
static void translated(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  const char *symbol =
      qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
  if (symbol && strcmp(symbol, "count_on") == 0)
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_start, NO_REGISTERS, NULL);
  if (symbol && strcmp(symbol, "count_off") == 0)
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_end, NO_REGISTERS, NULL);
  qemu_plugin_register_vcpu_tb_exec_cb(
      block, on_block, NO_REGISTERS,
      (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i)
    if (strncmp(argv[i], "out=", 4) == 0)
      out = fopen(argv[i] + 4, "w");
  if (!out)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
