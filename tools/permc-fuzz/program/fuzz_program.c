/*===- fuzz_program.c - kernels against a plain loop, anywhere ------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The machine is one of those of `permc compile --verify`, or sanitized.c. What
|* is printed of a failure begins with "case N: ".
|*
\*===----------------------------------------------------------------------===*/

#include "fuzz_program.h"
#include "check.h"

enum { GAP = 0xA5, MAX_RANK = 64 };

static const struct fuzz_run *running;

void check_print_number(size_t number) {
  char text[24], *at = text + sizeof text;
  *--at = 0;
  do
    *--at = (char)('0' + number % 10);
  while (number /= 10);
  machine_print(at);
}

void check_print_running(void) {
  machine_print("case ");
  check_print_number(running ? running->number : 0);
  machine_print(": ");
}

static int wrong(const char *what, size_t offset) {
  check_print_running();
  machine_print(what);
  check_print_number(offset);
  machine_print(" of dst\n");
  return 0;
}

static unsigned char src_byte(size_t offset) {
  uint32_t mixed = (uint32_t)offset * 2654435761u + 12345u;
  mixed ^= mixed >> 15;
  return (unsigned char)((mixed * 2246822519u) >> 24);
}

struct buffer {
  unsigned char *all, *start;
  size_t all_bytes;
};

/* False if the machine has no room. */
static int place(struct buffer *buffer, enum side side, size_t bytes,
                 int32_t at) {
  size_t lead = at < 0 ? 0 : (size_t)at;
  buffer->all_bytes = bytes + lead + 2 * machine_margin;
  buffer->all = machine_memory(side, &buffer->all_bytes);
  if (!buffer->all)
    return 0;
  buffer->start = at < 0
                      ? buffer->all + buffer->all_bytes - machine_margin - bytes
                      : buffer->all + machine_margin + lead;
  return 1;
}

/* Writes what each element becomes to `to`, or the opposite of it, and returns
 * how many bytes these are. Nothing is divided: in an emulator that takes
 * longer than the kernels do. */
static size_t permute(const struct fuzz_run *r, unsigned char *to,
                      unsigned char flip) {
  int64_t index[MAX_RANK] = {0}, from = -r->src_low, at = -r->dst_low;
  size_t written = 0;
  for (uint32_t i = 0; i < r->rank; ++i)
    if (r->sizes[i] == 0)
      return 0;
  for (uint32_t dim = 1; dim > 0;) {
    for (uint32_t i = 0; i < r->element; ++i, ++written)
      to[at + i] = src_byte((size_t)from + i) ^ flip;
    /* The next element: of the last dim that has one. */
    for (dim = r->rank; dim > 0; --dim) {
      const uint32_t d = dim - 1;
      from += r->src_strides[d];
      at += r->dst_strides[d];
      if (++index[d] < r->sizes[d])
        break;
      from -= r->sizes[d] * r->src_strides[d];
      at -= r->sizes[d] * r->dst_strides[d];
      index[d] = 0;
    }
  }
  return written;
}

static void call(const struct fuzz_run *r, const unsigned char *src,
                 unsigned char *dst, uint32_t part) {
  const permc_kernel *k = r->kernel;
  if (k->dynamic_dims == 0 && r->parts == 0)
    k->run(src, dst);
  else if (k->dynamic_dims == 0)
    k->run_part(src, dst, part, r->parts);
  else if (r->parts == 0)
    k->run_dynamic(src, dst, r->dims);
  else
    k->run_dynamic_part(src, dst, r->dims, part, r->parts);
}

static void fill_dst(const struct fuzz_run *r, struct buffer *dst) {
  for (size_t i = 0; i < dst->all_bytes; ++i)
    dst->all[i] = GAP;
  permute(r, dst->start, 0xFF);
}

static int check_run(const struct fuzz_run *r) {
  struct buffer src, dst, expected;
  if (!place(&src, SRC, r->src_bytes, r->src_at) ||
      !place(&dst, DST, r->dst_bytes, r->dst_at) ||
      !place(&expected, EXPECTED, r->dst_bytes, 0)) {
    machine_print("no room for a case: left out\n");
    return 1;
  }
  for (size_t i = 0; i < r->dst_bytes; ++i)
    expected.start[i] = GAP;
  const size_t data = permute(r, expected.start, 0);
  for (size_t i = 0; i < r->src_bytes; ++i)
    src.start[i] = src_byte(i);
  machine_protect(SRC, 1);

  /* Each part by itself: what all of them write, added up, is all. */
  size_t written = 0;
  for (uint32_t part = 0; part < r->parts; ++part) {
    fill_dst(r, &dst);
    call(r, src.start, dst.start, part);
    for (size_t i = 0; i < r->dst_bytes; ++i)
      written += expected.start[i] == dst.start[i];
    written -= r->dst_bytes - data; /* the gaps */
  }
  if (r->parts != 0 && written != data)
    return wrong("parts write another number of bytes than ", data);

  fill_dst(r, &dst);
  if (r->parts == 0)
    call(r, src.start, dst.start, 0);
  for (uint32_t part = r->parts; part-- > 0;)
    call(r, src.start, dst.start, part);
  machine_protect(SRC, 0);
  for (size_t i = 0; i < r->dst_bytes; ++i)
    if (dst.start[i] != expected.start[i])
      return wrong("wrong is byte ", i);
  const size_t lead = (size_t)(dst.start - dst.all);
  for (size_t i = 0; i < dst.all_bytes; ++i)
    if ((i < lead || i >= lead + r->dst_bytes) && dst.all[i] != GAP)
      return wrong("written beside it, counted from the start of memory, byte ",
                   i);
  return 1;
}

int check_all(void) {
  for (running = fuzz_runs; running->kernel; ++running)
    if (!check_run(running))
      return 1;
  machine_print("all right\n");
  return 0;
}
