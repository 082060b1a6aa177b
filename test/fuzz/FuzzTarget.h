//===- FuzzTarget.h - one input of any bytes ------------------------*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fuzz target is one function in libFuzzer's own form. The preset
// `libfuzzer` links it with that engine; other builds link it with Replay.cpp,
// which tries the files of a corpus and some changes of them.
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_TEST_FUZZ_FUZZTARGET_H
#define PERMC_TEST_FUZZ_FUZZTARGET_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace permc {

/// Ends the process, in every kind of build.
inline void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Takes an input apart, from its beginning.
class Input {
public:
  Input(const uint8_t *data, size_t size)
      : rest(reinterpret_cast<const char *>(data), size) {}

  uint8_t byte() {
    if (rest.empty())
      return 0;
    const auto value = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    return value;
  }
  /// Small most of the time, of either sign, now and then huge.
  int64_t number() {
    const int kind = byte();
    int64_t value = kind % 8 == 7 ? -int64_t{byte()} : byte() % 40;
    if (kind % 16 == 3)
      for (int i = 0; i < 7; ++i)
        value =
            static_cast<int64_t>(static_cast<uint64_t>(value) << 8 | byte());
    return value;
  }
  /// Up to the end of the line.
  std::string line() {
    const size_t end = rest.find('\n');
    const std::string text(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return text;
  }
  std::string remainder() const { return std::string(rest); }

private:
  std::string_view rest;
};

} // namespace permc

#endif // PERMC_TEST_FUZZ_FUZZTARGET_H
