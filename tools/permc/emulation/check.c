/*===- check.c - checks kernels by labels, inside an emulator -------------===*\
|*
|* Part of permc, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Every byte of src is labelled with its own offset, one byte of it a round.
|* dst is filled with a label that is no offset, and so is what lies round both.
|* After all rounds each byte of dst has told where it came from. Where a byte
|* should come from is worked out by a plain loop over the output index.
|*
|* No library: it also runs where there is no operating system.
|*
\*===----------------------------------------------------------------------===*/

#include "check.h"

enum { LINE = 64, LARGE = 1 << 20, SMALL = 16 << 10 };

/* The labels of what was not written and of what lies outside src. */
#define NOT_WRITTEN ((size_t)-1)
#define OUTSIDE ((size_t)-2)

static const struct asked *running;
static unsigned long runs, elements;

struct buffer {
  unsigned char *all;   /* what the machine gave */
  size_t all_bytes;     /* its size */
  unsigned char *start; /* what the kernel gets */
  size_t bytes;         /* what belongs to the tensor */
};

void check_print_number(size_t number) {
  char text[24], *at = text + sizeof text;
  *--at = 0;
  do
    *--at = (char)('0' + number % 10);
  while (number /= 10);
  machine_print(at);
}

static void print_name(const struct asked *k) {
  machine_print(k->name);
  for (uint32_t i = 0; i < k->dynamic_dims; ++i) {
    machine_print(i == 0 ? " with the dims " : ", ");
    check_print_number((size_t)k->dims[i]);
  }
}

void check_print_running(void) {
  if (running)
    print_name(running);
  else
    machine_print("the check");
}

static int wrong(const struct asked *k, const char *what) {
  print_name(k);
  machine_print(": ");
  machine_print(what);
  machine_print("\n");
  return 0;
}

static size_t span(const struct asked *k, const int64_t *strides) {
  size_t last = 0;
  for (uint32_t i = 0; i < k->rank; ++i) {
    if (k->sizes[i] == 0)
      return 0;
    last += (size_t)(k->sizes[i] - 1) *
            (size_t)(strides[i] < 0 ? -strides[i] : strides[i]);
  }
  return last + k->element;
}

/* Where in its buffer the first element is: behind all others of a dim that
 * goes backwards. */
static size_t origin(const struct asked *k, const int64_t *strides) {
  size_t first = 0;
  for (uint32_t i = 0; i < k->rank; ++i)
    if (strides[i] < 0)
      first += (size_t)(k->sizes[i] - 1) * (size_t)-strides[i];
  return first;
}

/* Whether what _info says of a size is what was asked for: in a kernel with
 * dynamic dims it may leave that open. */
static int size_agrees(const struct asked *k, int64_t said, int64_t size) {
  return said == size || (k->dynamic_dims != 0 && said == PERMC_DYNAMIC);
}

/* The same of a stride, which it says in elements. */
static int stride_agrees(const struct asked *k, int64_t said, int64_t stride) {
  return (k->dynamic_dims != 0 && said == PERMC_DYNAMIC_STRIDE) ||
         said * k->element == stride;
}

static int describes_dims(const struct asked *k) {
  const permc_kernel *info = k->info;
  for (uint32_t i = 0; i < k->rank; ++i) {
    uint32_t axis = (uint32_t)info->perm[i];
    if (!size_agrees(k, info->shape[axis], k->sizes[i]))
      return 0;
    /* Strides of a dim of size 1 mean nothing. */
    if (k->sizes[i] > 1 &&
        (!stride_agrees(k, info->src_strides[axis], k->src_strides[i]) ||
         !stride_agrees(k, info->dst_strides[i], k->dst_strides[i])))
      return 0;
    for (uint32_t j = 0; j < k->dynamic_dims; ++j)
      if (info->dynamic_axes[j] == axis &&
          (info->shape[axis] != PERMC_DYNAMIC || k->dims[j] != k->sizes[i]))
        return 0;
  }
  return 1;
}

static int describes_itself(const struct asked *k) {
  const permc_kernel *info = k->info;
  int dynamic = k->dynamic_dims != 0;
  if (info->size != sizeof *info || info->rank != k->rank ||
      info->element_bytes != k->element || info->run != k->run ||
      info->run_part != k->run_part || info->run_dynamic != k->run_dynamic ||
      info->run_dynamic_part != k->run_dynamic_part ||
      info->dynamic_dims != k->dynamic_dims ||
      info->src_bytes != (dynamic ? 0 : span(k, k->src_strides)) ||
      info->dst_bytes != (dynamic ? 0 : span(k, k->dst_strides)))
    return wrong(k, "its _info does not describe it");
  if (!describes_dims(k))
    return wrong(k, "its _info has another shape or other strides");
  for (const char *a = info->name, *b = k->name; *a || *b; ++a, ++b)
    if (*a != *b)
      return wrong(k, "its _info has another name");
  return 1;
}

static unsigned char label(size_t offset, unsigned round) {
  return (unsigned char)(offset >> 8 * round);
}

static void fill(unsigned char *to, size_t bytes, unsigned char value) {
  for (size_t i = 0; i < bytes; ++i)
    to[i] = value;
}

/* Where a buffer lies: `end` touches the end of its memory, else it starts
 * `offset` bytes past an aligned address. */
struct placement {
  int end;
  size_t offset;
};

static int make(struct buffer *b, enum side side, size_t bytes) {
  b->bytes = bytes;
  b->all_bytes = bytes + 2 * LINE + 2 * machine_margin;
  b->all = machine_memory(side, &b->all_bytes);
  return b->all != NULL;
}

static void place(struct buffer *b, struct placement at) {
  b->start = at.end ? b->all + b->all_bytes - machine_margin - b->bytes
                    : b->all + machine_margin + at.offset;
}

/* The image of dst that a round must leave, through the dims from `dim` on. */
static void expect(const struct asked *k, uint32_t dim, size_t src, size_t dst,
                   unsigned round, unsigned char *image) {
  if (dim == k->rank) {
    for (uint32_t i = 0; i < k->element; ++i)
      image[dst + i] = label(src + i, round);
    return;
  }
  for (int64_t i = 0; i < k->sizes[dim]; ++i)
    expect(k, dim + 1, src + (size_t)i * (size_t)k->src_strides[dim],
           dst + (size_t)i * (size_t)k->dst_strides[dim], round, image);
}

static void call_part(const struct asked *k, struct buffer *src,
                      struct buffer *dst, uint32_t part, uint32_t parts) {
  if (k->dynamic_dims != 0)
    k->run_dynamic_part(src->start, dst->start, k->dims, part, parts);
  else
    k->run_part(src->start, dst->start, part, parts);
}

static void call(const struct asked *k, struct buffer *src, struct buffer *dst,
                 uint32_t parts) {
  ++runs;
  machine_protect(SRC, 1);
  if (parts == 0 && k->dynamic_dims != 0)
    k->run_dynamic(src->start, dst->start, k->dims);
  else if (parts == 0)
    k->run(src->start, dst->start);
  for (uint32_t part = 0; part < parts; ++part)
    call_part(k, src, dst, part, parts);
  machine_protect(SRC, 0);
}

static int is_filled(const unsigned char *from, const unsigned char *to,
                     unsigned char value) {
  for (; from < to; ++from)
    if (*from != value)
      return 0;
  return 1;
}

/* Whether src is as it was: not every machine can keep it from being written.
 */
static int is_intact(const struct asked *k, const struct buffer *src,
                     unsigned round) {
  const unsigned char *end = src->start + src->bytes;
  int intact = is_filled(src->all, src->start, label(OUTSIDE, round)) &&
               is_filled(end, src->all + src->all_bytes, label(OUTSIDE, round));
  for (size_t i = 0; intact && i < src->bytes; ++i)
    intact = src->start[i] == label(i, round);
  return intact ? 1 : wrong(k, "wrote to src");
}

/* Whether dst is as `expected` says and all round it is as it was. */
static int is_right(const struct asked *k, const struct buffer *dst,
                    const unsigned char *expected, unsigned char untouched) {
  if (!is_filled(dst->all, dst->start, untouched))
    return wrong(k, "wrote in front of dst");
  if (!is_filled(dst->start + dst->bytes, dst->all + dst->all_bytes, untouched))
    return wrong(k, "wrote behind dst");
  for (size_t i = 0; i < dst->bytes; ++i)
    if (dst->start[i] != expected[i]) {
      print_name(k);
      machine_print(": byte ");
      check_print_number(i);
      machine_print(" of dst is ");
      check_print_number(dst->start[i]);
      machine_print(", expected ");
      check_print_number(expected[i]);
      machine_print("\n");
      return 0;
    }
  return 1;
}

static int check_run(const struct asked *k, struct buffer *src,
                     struct buffer *dst, const unsigned char *expected,
                     unsigned round, uint32_t parts) {
  fill(src->all, src->all_bytes, label(OUTSIDE, round));
  for (size_t i = 0; i < src->bytes; ++i)
    src->start[i] = label(i, round);
  fill(dst->all, dst->all_bytes, label(NOT_WRITTEN, round));
  call(k, src, dst, parts);
  if (is_intact(k, src, round) &&
      is_right(k, dst, expected, label(NOT_WRITTEN, round)))
    return 1;
  machine_print("  with src at ");
  check_print_number((uintptr_t)src->start % LINE);
  machine_print(", dst at ");
  check_print_number((uintptr_t)dst->start % LINE);
  machine_print(" of a line, in ");
  check_print_number(parts);
  machine_print(" parts\n");
  return 0;
}

static int check_placements(const struct asked *k, struct buffer *src,
                            struct buffer *dst, const unsigned char *expected,
                            unsigned round) {
  size_t e = k->element % LINE;
  size_t offsets[] = {e, 1, 3, (LINE - e) % LINE, 4, 8, 16};
  struct placement begin = {0, 0}, end = {1, 0};
  size_t bytes = src->bytes + dst->bytes;
  size_t count = bytes > LARGE ? 2 : sizeof offsets / sizeof offsets[0];
  place(src, end);
  place(dst, end);
  if (!check_run(k, src, dst, expected, round, 0))
    return 0;
  place(src, begin);
  if (!check_run(k, src, dst, expected, round, 0))
    return 0;
  for (size_t i = 0; i < count; ++i) {
    struct placement at = {0, offsets[i]};
    place(src, begin);
    place(dst, at);
    if (!check_run(k, src, dst, expected, round, 0))
      return 0;
    place(src, at);
    place(dst, begin);
    if (!check_run(k, src, dst, expected, round, 0))
      return 0;
  }
  place(src, end);
  for (size_t i = 0; bytes < SMALL && i < 16; ++i) {
    struct placement at = {0, i};
    place(dst, at);
    if (!check_run(k, src, dst, expected, round, 0))
      return 0;
  }
  return 1;
}

/* Parts must not write a byte twice. Two part numbers differ in some bit: for
 * each bit those that have it and those that have it not must write different
 * bytes. */
static int parts_are_disjoint(const struct asked *k, struct buffer *src,
                              struct buffer *dst, unsigned char *clear,
                              uint32_t parts) {
  fill(src->all, src->all_bytes, 0);
  for (uint32_t bit = 1; bit < parts; bit <<= 1)
    for (int set = 0; set < 2; ++set) {
      fill(dst->all, dst->all_bytes, 0xFF);
      for (uint32_t part = 0; part < parts; ++part)
        if (!(part & bit) == !set)
          call_part(k, src, dst, part, parts);
      for (size_t i = 0; i < dst->bytes; ++i) {
        if (set && !clear[i] && !dst->start[i])
          return wrong(k, "two parts write the same byte");
        if (!set)
          clear[i] = dst->start[i];
      }
    }
  return 1;
}

static int check_parts(const struct asked *k, struct buffer *src,
                       struct buffer *dst, unsigned char *expected,
                       unsigned round) {
  static const uint32_t counts[] = {1, 2, 3, 7, 100};
  struct placement begin = {0, 0};
  place(src, begin);
  place(dst, begin);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    if (!check_run(k, src, dst, expected, round, counts[i]))
      return 0;
  return 1;
}

/* Rounds that it takes to show a label that is no offset apart from all. */
static unsigned rounds_for(size_t bytes) {
  unsigned rounds = 1;
  while (rounds < sizeof(size_t) && bytes > ((size_t)1 << 8 * rounds) - 2)
    ++rounds;
  return rounds;
}

static int check(const struct asked *k) {
  struct buffer src, dst, image;
  running = k;
  if (!describes_itself(k))
    return 0;
  if (!make(&src, SRC, span(k, k->src_strides)) ||
      !make(&dst, DST, span(k, k->dst_strides)) ||
      !make(&image, EXPECTED, span(k, k->dst_strides)))
    return wrong(k, "the emulated machine has no memory for its buffers");
  for (unsigned round = 0; round < rounds_for(src.bytes); ++round) {
    fill(image.all, dst.bytes, label(NOT_WRITTEN, round));
    if (src.bytes != 0)
      expect(k, 0, origin(k, k->src_strides), origin(k, k->dst_strides), round,
             image.all);
    if (!check_placements(k, &src, &dst, image.all, round) ||
        !check_parts(k, &src, &dst, image.all, round))
      return 0;
  }
  if (!parts_are_disjoint(k, &src, &dst, image.all, 2) ||
      !parts_are_disjoint(k, &src, &dst, image.all, 7))
    return 0;
  size_t count = 1;
  for (uint32_t i = 0; i < k->rank; ++i)
    count *= (size_t)k->sizes[i];
  elements += count;
  return 1;
}

int check_all(void) {
  size_t right = 0, all = 0;
  for (const struct asked *k = asked; k->name;) {
    /* All choices of its dims are one kernel. */
    const permc_kernel *info = k->info;
    int is_right = 1;
    for (; k->name && k->info == info; ++k)
      is_right &= check(k);
    right += (size_t)is_right;
    ++all;
  }
  running = NULL;
  check_print_number(right);
  machine_print(" of ");
  check_print_number(all);
  machine_print(" kernels move all elements right (");
  check_print_number(elements);
  machine_print(" elements, ");
  check_print_number(runs);
  machine_print(" runs)\n");
  return right == all && all != 0 ? 0 : 1;
}
