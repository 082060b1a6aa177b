//===- FuzzRuntime.cpp - libpermc_rt with any arguments ----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTensors.h"

#include "permc-rt/permc_rt.h"

using namespace permc;

static constexpr int64_t bufferBytes = FuzzTensors::bufferBytes;

/// Every failure has a name and says why.
static bool check(permc_status status) {
  require(permc_rt_status_name(status) != nullptr);
  if (status != PERMC_OK)
    require(*permc_rt_last_error() != '\0');
  return status == PERMC_OK;
}

/// The two calls that only say where elements go.
static void runIndices(const FuzzTensors &given) {
  std::vector<uint64_t> indices(4096);
  const uint64_t count = indices.size();
  if (!check(permc_rt_permute_indices(given.rank, given.shape.data(),
                                      given.order(), indices.data(), count)))
    return;
  struct Moves {
    const std::vector<uint64_t> &indices;
    uint64_t done;
  } moves{indices, 0};
  require(check(permc_rt_permute_elements(
      given.rank, given.shape.data(), given.order(),
      [](void *context, uint64_t to, uint64_t from) {
        auto &moves = *static_cast<Moves *>(context);
        require(to == moves.done && moves.indices[to] == from);
        ++moves.done;
      },
      &moves)));
}

/// A kernel that does not know what it says of itself, and is never run.
static void runRegister(const FuzzTensors &given, Input &input) {
  const auto shape = given.shape, perm = given.perm;
  permc_kernel kernel{};
  kernel.size = input.byte() % 2 ? sizeof kernel : input.byte();
  kernel.rank = given.rank;
  kernel.element_bytes = static_cast<uint32_t>(given.element);
  // Past what has room in a buffer, so that no call has this problem.
  std::vector<int64_t> large = shape;
  for (int64_t &size : large)
    size = size > 0 ? size + bufferBytes : size;
  kernel.shape = input.byte() % 8 ? large.data() : nullptr;
  kernel.perm = input.byte() % 8 ? perm.data() : nullptr;
  kernel.src_strides = given.srcStrides.data();
  kernel.dst_strides = input.byte() % 8 ? given.dstStrides.data() : nullptr;
  kernel.name = "fuzz";
  kernel.element = "bytes1";
  // Of no CPU: it is looked at and not kept, for its lists go.
  kernel.target = input.byte() % 8 ? "no-such-target" : nullptr;
  kernel.run =
      input.byte() % 8 ? [](const void *, void *) { std::abort(); } : nullptr;
  const permc_kernel *const list[] = {&kernel, nullptr};
  check(permc_rt_register_kernels(list, 1 + input.byte() % 2));
  check(permc_rt_register_kernel(nullptr));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::vector<char> src(3 * bufferBytes), dst(3 * bufferBytes);
  Input input(data, size);
  const FuzzTensors given(input);
  const bool room = given.fit();
  check(permc_rt_permute(room ? src.data() + bufferBytes : nullptr,
                         room ? dst.data() + bufferBytes : nullptr, given.rank,
                         given.shape.data(), given.order(), given.src(),
                         given.dst(), given.element, 1 + given.flags % 3));
  runIndices(given);
  if (given.flags & 16)
    runRegister(given, input);
  permc_rt_statistics statistics{};
  statistics.size = input.byte();
  check(permc_rt_get_statistics(&statistics));
  return 0;
}
