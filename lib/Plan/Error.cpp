//===- Error.cpp - names of causes ----------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Plan/Error.h"

using namespace permc;

std::string_view permc::causeName(Cause cause) {
  switch (cause) {
  case Cause::BadRank:
    return "BadRank";
  case Cause::DuplicateAxis:
    return "DuplicateAxis";
  case Cause::AxisOutOfRange:
    return "AxisOutOfRange";
  case Cause::BadSize:
    return "BadSize";
  case Cause::SizeOverflow:
    return "SizeOverflow";
  case Cause::BadElement:
    return "BadElement";
  case Cause::BadStride:
    return "BadStride";
  case Cause::BadSyntax:
    return "BadSyntax";
  case Cause::OverlappingBuffers:
    return "OverlappingBuffers";
  case Cause::NullPointer:
    return "NullPointer";
  case Cause::BadSchedule:
    return "BadSchedule";
  case Cause::UnknownTarget:
    return "UnknownTarget";
  case Cause::Unsupported:
    return "Unsupported";
  case Cause::BadFile:
    return "BadFile";
  case Cause::VerifyFailed:
    return "VerifyFailed";
  case Cause::Internal:
    return "Internal";
  }
  return "Internal";
}
