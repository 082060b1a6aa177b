//===- OpenVINOConstants.h - orders in a .bin file ------------- -*- C++
//-*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_LIB_MODELS_OPENVINOCONSTANTS_H
#define PERMC_LIB_MODELS_OPENVINOCONSTANTS_H

#include "permc/Plan/Problem.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>

namespace permc {

/// How a reason begins to leave a layer to the run-time library.
inline constexpr llvm::StringRef atRunTime = "run-time: permc_rt";

/// An order, or why it is not known.
struct FoundOrder {
  std::optional<Dims> axes;
  std::string reason = {};
};

/// The constants of an IR. Its .bin file is opened when it is first needed, for
/// an IR without one is still worth a look.
class OpenVINOConstants {
public:
  /// `xmlPath` is that of the IR; the .bin lies beside it.
  explicit OpenVINOConstants(const std::string &xmlPath);

  /// What a Const says of itself, as text where the file has text. Nothing of
  /// it is believed.
  Result<FoundOrder> readOrder(llvm::StringRef type, llvm::StringRef shape,
                               int64_t offset, int64_t size);

  /// The .bin file, if anything was read from it.
  std::optional<std::string> fileRead() const {
    return file ? std::optional(path) : std::nullopt;
  }

private:
  Result<llvm::StringRef> open(std::string &reason);

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> file;
};

} // namespace permc

#endif // PERMC_LIB_MODELS_OPENVINOCONSTANTS_H
