//===- FuzzCompiler.cpp - libpermc with any arguments ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTensors.h"

#include "permc-c/permc.h"

#include <array>

using namespace permc;

static constexpr int64_t bufferBytes = FuzzTensors::bufferBytes;

/// Every failure has a name and says why.
static bool check(permc_status status) {
  require(permc_status_name(status) != nullptr);
  if (status != PERMC_OK)
    require(*permc_last_error() != '\0');
  return status == PERMC_OK;
}

/// A struct whose size is right, of an older version, or of a newer one: then
/// there is more behind it, which is zero or not.
template <typename Struct> struct Sized {
  explicit Sized(Input &input) {
    const uint8_t byte = input.byte();
    fields.size = byte % 4 == 3 ? byte : sizeof(Struct);
    more.front() = byte % 8 == 7;
  }
  Struct fields{};
  std::array<char, 256> more{};
};

static void runOrder(const FuzzTensors &given, Input &input) {
  Sized<permc_order> sizedOrder(input);
  permc_order &order = sizedOrder.fields;
  order.convention = input.byte() % 6;
  order.rank = order.length = given.rank;
  if (input.byte() % 8 == 0)
    order.length = input.byte() % (given.rank + 1);
  order.shape = given.shape.data();
  order.order = given.order();
  order.number = input.byte() % 12;
  order.inverse = input.byte() % 2;
  order.is_char = input.byte() % 8 == 0;
  uint32_t rank = 0;
  int64_t shape[PERMC_MAX_RANK], perm[PERMC_MAX_RANK], result[PERMC_MAX_RANK];
  if (check(permc_resolve_order(&order, &rank, shape, perm,
                                input.byte() % 2 ? result : nullptr)))
    require(rank <= PERMC_MAX_RANK);
}

static void runPlan(const FuzzTensors &given, Input &input) {
  static std::vector<char> src(3 * bufferBytes), dst(3 * bufferBytes);
  Sized<permc_problem> sizedProblem(input);
  permc_problem &problem = sizedProblem.fields;
  problem.rank = given.rank;
  problem.element_bytes = given.element;
  problem.shape = given.shape.data();
  problem.perm = given.order();
  problem.src_strides = given.src();
  problem.dst_strides = given.dst();
  Sized<permc_plan_options> sizedOptions(input);
  permc_plan_options &options = sizedOptions.fields;
  options.threads = input.byte() % 4;
  static const char *const targets[] = {nullptr, "x86-64-v2", "", "z80",
                                        "cortex-m4"};
  options.target = targets[input.byte() % 5];
  permc_plan *plan = nullptr;
  if (!check(permc_plan_create(nullptr, &problem, &options, &plan)))
    return;
  require(plan != nullptr && permc_plan_kernel(plan) != nullptr);
  if (given.fit()) {
    const char *from = src.data() + bufferBytes;
    char *to = dst.data() + bufferBytes;
    check(permc_plan_run(plan, from, to));
    check(permc_plan_run_part(plan, from, to, input.byte(), input.byte()));
    const auto bytes = static_cast<uint64_t>(input.number());
    check(permc_plan_run_sized(plan, from, std::min<uint64_t>(bytes, 65536), to,
                               std::min<uint64_t>(bytes, 65536)));
  }
  check(permc_plan_run(plan, nullptr, nullptr));
  permc_plan_release(plan);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  const FuzzTensors given(input);
  runOrder(given, input);
  runPlan(given, input);
  Sized<permc_jit_statistics> statistics(input);
  check(permc_jit_get_statistics(nullptr, &statistics.fields));
  return 0;
}
