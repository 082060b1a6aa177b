//===- Permute.cpp - the permc dialect ------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spelling and verification. What a valid problem or schedule is, Plan says;
// here its answer becomes a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "permc/Dialect/Permute/Permute.h"

#include "permc/Plan/UnalignedSchedule.h"
#include "permc/Plan/Variants.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace permc;

#include "permc/Dialect/Permute/PermuteDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "permc/Dialect/Permute/PermuteAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "permc/Dialect/Permute/PermuteOps.cpp.inc"

void PermcDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "permc/Dialect/Permute/PermuteAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "permc/Dialect/Permute/PermuteOps.cpp.inc"
      >();
}

llvm::hash_code permc::hash_value(const Problem &problem) {
  return llvm::hash_combine(problem.elementBytes(),
                            llvm::hash_combine_range(problem.shape()),
                            llvm::hash_combine_range(problem.perm()),
                            llvm::hash_combine_range(problem.srcByteStrides()),
                            llvm::hash_combine_range(problem.dstByteStrides()));
}

llvm::hash_code permc::hash_value(const DynamicProblem &problem) {
  llvm::hash_code sizes = llvm::hash_value(problem.dynamicDims());
  for (const DynamicProblem::Sizes *list :
       {&problem.shape(), &problem.srcByteStrides(), &problem.dstByteStrides()})
    for (const DynamicSize &size : *list)
      sizes = llvm::hash_combine(sizes, size.factor, size.dims);
  return llvm::hash_combine(problem.elementBytes(), sizes,
                            llvm::hash_combine_range(problem.perm()));
}

llvm::hash_code permc::hash_value(const Schedule &schedule) {
  llvm::hash_code loops = llvm::hash_value(schedule.unitLoops);
  for (const Loop &loop : schedule.loops)
    loops = llvm::hash_combine(loops, loop.dim, loop.step);
  return llvm::hash_combine(
      schedule.kind, llvm::hash_combine_range(schedule.tile),
      llvm::hash_combine_range(schedule.panel), schedule.wholeLines,
      llvm::hash_combine_range(schedule.lastTile), loops, schedule.vectorBytes,
      schedule.scalable, schedule.pairAlignment, schedule.vectorPairs,
      schedule.stepping, schedule.tables, schedule.lookupsAtOnce,
      schedule.vectorsPerLoad, schedule.vectorsPerStore, schedule.lastLane,
      schedule.structuresStep, schedule.srcReach.back, schedule.srcReach.ahead,
      schedule.dstReach.back, schedule.dstReach.ahead, schedule.stepReach.back,
      schedule.stepReach.ahead, schedule.streaming, schedule.prefetchBytes,
      schedule.prefetchToL2, schedule.prefetchPanelBytes,
      schedule.prefetchDstBytes);
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

static mlir::ParseResult parseList(mlir::AsmParser &parser, Dims &list) {
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        return parser.parseInteger(list.emplace_back());
      });
}

static mlir::ParseResult parseKey(mlir::AsmParser &parser,
                                  llvm::StringRef key) {
  return mlir::failure(parser.parseKeyword(key) || parser.parseEqual());
}

/// `key` if it comes next.
static bool parseOptionalKey(mlir::AsmParser &parser, llvm::StringRef key) {
  return mlir::succeeded(parser.parseOptionalKeyword(key));
}

static Dims inBytes(Dims strides, int64_t elementBytes) {
  for (int64_t &stride : strides)
    stride *= elementBytes;
  return strides;
}

mlir::Attribute ProblemAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t element;
  Dims shape, perm;
  if (parser.parseLess() || parseKey(parser, "element") ||
      parser.parseInteger(element) || parser.parseComma() ||
      parseKey(parser, "shape") || parseList(parser, shape) ||
      parser.parseComma() || parseKey(parser, "perm") ||
      parseList(parser, perm))
    return {};
  // The dense problem is made first: it checks what the strides build on.
  Result<Problem> problem = Problem::make(element, shape, perm);
  if (!problem) {
    parser.emitError(loc, problem.error().message);
    return {};
  }
  Dims src = problem->srcByteStrides(), dst = problem->dstByteStrides();
  bool srcGiven = false, dstGiven = false;
  while (mlir::succeeded(parser.parseOptionalComma())) {
    bool isSrc = parseOptionalKey(parser, "src_strides");
    if (!isSrc && !parseOptionalKey(parser, "dst_strides")) {
      parser.emitError(parser.getCurrentLocation(),
                       "expected 'src_strides' or 'dst_strides'");
      return {};
    }
    bool &given = isSrc ? srcGiven : dstGiven;
    if (given) {
      parser.emitError(parser.getCurrentLocation(),
                       isSrc ? "'src_strides'" : "'dst_strides'")
          << " is given twice";
      return {};
    }
    given = true;
    Dims &strides = isSrc ? src : dst;
    strides.clear();
    if (parser.parseEqual() || parseList(parser, strides))
      return {};
  }
  if (parser.parseGreater())
    return {};
  problem = Problem::makeWithByteStrides(element, shape, perm, src, dst);
  if (!problem) {
    parser.emitError(loc, problem.error().message);
    return {};
  }
  return ProblemAttr::get(parser.getContext(), *problem);
}

void ProblemAttr::print(mlir::AsmPrinter &printer) const {
  const Problem &problem = getValue();
  int64_t element = problem.elementBytes();
  printer << "<element = " << element
          << ", shape = " << spellList(problem.shape())
          << ", perm = " << spellList(problem.perm());
  if (problem.srcByteStrides() !=
      inBytes(denseStrides(problem.shape()), element))
    printer << ", src_strides = " << spellList(problem.srcByteStrides());
  if (problem.dstByteStrides() !=
      inBytes(denseStrides(problem.outShape()), element))
    printer << ", dst_strides = " << spellList(problem.dstByteStrides());
  printer << ">";
}

/// `?2`: adds the dynamic dim to `size`.
static mlir::ParseResult parseDynamicDim(mlir::AsmParser &parser,
                                         DynamicSize &size) {
  unsigned dim;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(dim))
    return mlir::failure();
  if (dim >= maxRank || (size.dims >> dim & 1))
    return parser.emitError(loc, "dynamic dim ")
           << dim << "; expected each below " << maxRank << " once";
  size.dims |= uint64_t(1) << dim;
  return mlir::success();
}

/// `224`, `?0` or `224*?0*?2`.
static mlir::ParseResult parseSize(mlir::AsmParser &parser, DynamicSize &size) {
  if (mlir::succeeded(parser.parseOptionalQuestion())) {
    if (parseDynamicDim(parser, size))
      return mlir::failure();
  } else if (parser.parseInteger(size.factor)) {
    return mlir::failure();
  }
  while (mlir::succeeded(parser.parseOptionalStar()))
    if (parser.parseQuestion() || parseDynamicDim(parser, size))
      return mlir::failure();
  return mlir::success();
}

mlir::Attribute DynamicProblemAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t element;
  DynamicProblem::Sizes shape;
  Dims perm;
  auto parseSizes = [&](DynamicProblem::Sizes &sizes) {
    return parser.parseCommaSeparatedList(
        mlir::AsmParser::Delimiter::Square,
        [&] { return parseSize(parser, sizes.emplace_back()); });
  };
  if (parser.parseLess() || parseKey(parser, "element") ||
      parser.parseInteger(element) || parser.parseComma() ||
      parseKey(parser, "shape") || parseSizes(shape) || parser.parseComma() ||
      parseKey(parser, "perm") || parseList(parser, perm))
    return {};
  std::optional<DynamicProblem::Sizes> src, dst;
  while (mlir::succeeded(parser.parseOptionalComma())) {
    const bool isSrc = parseOptionalKey(parser, "src_strides");
    auto &strides = isSrc ? src : dst;
    if ((!isSrc && !parseOptionalKey(parser, "dst_strides")) || strides) {
      parser.emitError(parser.getCurrentLocation(),
                       "expected 'src_strides' or 'dst_strides', each once");
      return {};
    }
    if (parser.parseEqual() || parseSizes(strides.emplace()))
      return {};
  }
  if (parser.parseGreater())
    return {};
  unsigned count = 0;
  for (const DynamicProblem::Sizes &list :
       {shape, src.value_or(shape), dst.value_or(shape)})
    for (const DynamicSize &size : list)
      count = std::max<unsigned>(count, llvm::bit_width(size.dims));
  auto problem = DynamicProblem::make(element, shape, perm, count, src, dst);
  if (!problem) {
    parser.emitError(loc, problem.error().message);
    return {};
  }
  return DynamicProblemAttr::get(parser.getContext(), *problem);
}

void DynamicProblemAttr::print(mlir::AsmPrinter &printer) const {
  const DynamicProblem &problem = getValue();
  auto print = [&](const char *name, const DynamicProblem::Sizes &sizes) {
    printer << ", " << name << " = [";
    llvm::interleaveComma(sizes, printer, [&](const DynamicSize &size) {
      printer << spellSize(size);
    });
    printer << "]";
  };
  printer << "<element = " << problem.elementBytes();
  print("shape", problem.shape());
  printer << ", perm = " << spellList(problem.perm());
  if (!problem.isSrcDense())
    print("src_strides", problem.srcByteStrides());
  if (!problem.isDstDense())
    print("dst_strides", problem.dstByteStrides());
  printer << ">";
}

static mlir::ParseResult parseLoops(mlir::AsmParser &parser,
                                    std::vector<Loop> &loops) {
  return parser.parseCommaSeparatedList(
      mlir::AsmParser::Delimiter::Square, [&]() -> mlir::ParseResult {
        Loop &loop = loops.emplace_back();
        return mlir::failure(parser.parseInteger(loop.dim) ||
                             parser.parseColon() ||
                             parser.parseInteger(loop.step));
      });
}

/// Back and ahead: `= 1024 : 1008`.
static mlir::ParseResult parseReach(mlir::AsmParser &parser, Reach &reach) {
  return mlir::failure(parser.parseEqual() || parser.parseInteger(reach.back) ||
                       parser.parseColon() || parser.parseInteger(reach.ahead));
}

static void printReach(mlir::AsmPrinter &printer, llvm::StringRef name,
                       Reach reach) {
  if (reach != Reach{})
    printer << ", " << name << " = " << reach.back << " : " << reach.ahead;
}

mlir::Attribute ScheduleAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  Schedule schedule;
  llvm::StringRef kind;
  if (parser.parseLess())
    return {};
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return {};
  auto parsedKind = kernelKindFromName({kind.data(), kind.size()});
  if (!parsedKind) {
    parser.emitError(loc, "unknown kernel kind '")
        << kind
        << "'; expected copy, block_copy, tile_transpose, shuffle, "
           "wide_shuffle, scalar, word_transpose, interleave or gather";
    return {};
  }
  schedule.kind = *parsedKind;
  if (parser.parseComma() || parseKey(parser, "tile") ||
      parseList(parser, schedule.tile) || parser.parseComma() ||
      parseKey(parser, "loops") || parseLoops(parser, schedule.loops) ||
      parser.parseComma() || parseKey(parser, "units") ||
      parser.parseInteger(schedule.unitLoops) || parser.parseComma() ||
      parseKey(parser, "vector") || parser.parseInteger(schedule.vectorBytes))
    return {};
  while (mlir::succeeded(parser.parseOptionalComma())) {
    if (parseOptionalKey(parser, "last_tile")) {
      if (parser.parseEqual() || parseList(parser, schedule.lastTile))
        return {};
    } else if (parseOptionalKey(parser, "scalable")) {
      schedule.scalable = true;
    } else if (parseOptionalKey(parser, "pairs")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.pairAlignment))
        return {};
    } else if (parseOptionalKey(parser, "vector_pairs")) {
      schedule.vectorPairs = true;
    } else if (parseOptionalKey(parser, "stepping")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.stepping))
        return {};
    } else if (parseOptionalKey(parser, "tables")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.tables))
        return {};
    } else if (parseOptionalKey(parser, "lookups_at_once")) {
      schedule.lookupsAtOnce = true;
    } else if (parseOptionalKey(parser, "vectors_per_load")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.vectorsPerLoad))
        return {};
    } else if (parseOptionalKey(parser, "vectors_per_store")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.vectorsPerStore))
        return {};
    } else if (parseOptionalKey(parser, "last_lane")) {
      schedule.lastLane = true;
    } else if (parseOptionalKey(parser, "structures_step")) {
      schedule.structuresStep = true;
    } else if (parseOptionalKey(parser, "src_reach")) {
      if (parseReach(parser, schedule.srcReach))
        return {};
    } else if (parseOptionalKey(parser, "dst_reach")) {
      if (parseReach(parser, schedule.dstReach))
        return {};
    } else if (parseOptionalKey(parser, "step_reach")) {
      if (parseReach(parser, schedule.stepReach))
        return {};
    } else if (parseOptionalKey(parser, "streaming")) {
      schedule.streaming = true;
    } else if (parseOptionalKey(parser, "panel")) {
      if (parser.parseEqual() || parseList(parser, schedule.panel))
        return {};
    } else if (parseOptionalKey(parser, "whole_lines")) {
      schedule.wholeLines = true;
    } else if (parseOptionalKey(parser, "prefetch")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.prefetchBytes))
        return {};
    } else if (parseOptionalKey(parser, "prefetch_to_l2")) {
      schedule.prefetchToL2 = true;
    } else if (parseOptionalKey(parser, "prefetch_panel")) {
      if (parser.parseEqual() ||
          parser.parseInteger(schedule.prefetchPanelBytes))
        return {};
    } else if (parseOptionalKey(parser, "prefetch_dst")) {
      if (parser.parseEqual() || parser.parseInteger(schedule.prefetchDstBytes))
        return {};
    } else {
      llvm::StringRef word;
      const llvm::SMLoc at = parser.getCurrentLocation();
      const bool isWord = mlir::succeeded(parser.parseOptionalKeyword(&word));
      parser.emitError(
          at, (isWord ? "unknown key '" + word.str() + "'; " : std::string()) +
                  "expected 'last_tile', 'scalable', 'pairs', 'vector_pairs', "
                  "'stepping', 'tables', 'lookups_at_once', "
                  "'vectors_per_load', 'vectors_per_store', 'last_lane', "
                  "'structures_step', "
                  "'src_reach', "
                  "'dst_reach', "
                  "'step_reach', 'panel', 'whole_lines', "
                  "'streaming', 'prefetch', 'prefetch_to_l2', "
                  "'prefetch_panel' or 'prefetch_dst'");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return ScheduleAttr::get(parser.getContext(), schedule);
}

void ScheduleAttr::print(mlir::AsmPrinter &printer) const {
  const Schedule &schedule = getValue();
  std::string_view kind = kernelKindName(schedule.kind);
  printer << "<" << llvm::StringRef(kind.data(), kind.size())
          << ", tile = " << spellList(schedule.tile) << ", loops = [";
  llvm::interleaveComma(schedule.loops, printer, [&](const Loop &loop) {
    printer << loop.dim << " : " << loop.step;
  });
  printer << "], units = " << schedule.unitLoops
          << ", vector = " << schedule.vectorBytes;
  if (!schedule.lastTile.empty())
    printer << ", last_tile = " << spellList(schedule.lastTile);
  if (schedule.scalable)
    printer << ", scalable";
  if (schedule.pairAlignment)
    printer << ", pairs = " << schedule.pairAlignment;
  if (schedule.vectorPairs)
    printer << ", vector_pairs";
  if (schedule.stepping)
    printer << ", stepping = " << schedule.stepping;
  if (schedule.tables)
    printer << ", tables = " << schedule.tables;
  if (schedule.lookupsAtOnce)
    printer << ", lookups_at_once";
  if (schedule.vectorsPerLoad)
    printer << ", vectors_per_load = " << schedule.vectorsPerLoad;
  if (schedule.vectorsPerStore)
    printer << ", vectors_per_store = " << schedule.vectorsPerStore;
  if (schedule.lastLane)
    printer << ", last_lane";
  if (schedule.structuresStep)
    printer << ", structures_step";
  printReach(printer, "src_reach", schedule.srcReach);
  printReach(printer, "dst_reach", schedule.dstReach);
  printReach(printer, "step_reach", schedule.stepReach);
  if (!schedule.panel.empty())
    printer << ", panel = " << spellList(schedule.panel);
  if (schedule.wholeLines)
    printer << ", whole_lines";
  if (schedule.streaming)
    printer << ", streaming";
  if (schedule.prefetchBytes)
    printer << ", prefetch = " << schedule.prefetchBytes;
  if (schedule.prefetchToL2)
    printer << ", prefetch_to_l2";
  if (schedule.prefetchPanelBytes)
    printer << ", prefetch_panel = " << schedule.prefetchPanelBytes;
  if (schedule.prefetchDstBytes)
    printer << ", prefetch_dst = " << schedule.prefetchDstBytes;
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// A buffer is plain memory, and one of known size must hold all that the
/// problem touches.
static mlir::LogicalResult checkBuffer(mlir::Operation *op, mlir::Value buffer,
                                       llvm::StringRef name, int64_t span) {
  auto type = llvm::cast<mlir::MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return op->emitOpError()
           << name << " is " << type
           << "; expected contiguous bytes in the default memory space";
  int64_t size = type.getDimSize(0);
  if (size == mlir::ShapedType::kDynamic || size >= span)
    return mlir::success();
  return op->emitOpError() << name << " holds " << size
                           << " bytes, but the problem spans " << span;
}

mlir::LogicalResult DynamicPermuteOp::verify() {
  if (mlir::failed(checkBuffer(*this, getSrc(), "src", 0)) ||
      mlir::failed(checkBuffer(*this, getDst(), "dst", 0)))
    return mlir::failure();
  if (getSrc() == getDst())
    return emitOpError("reads and writes the same buffer; expected src and dst "
                       "not to overlap");
  auto type = llvm::cast<mlir::MemRefType>(getDims().getType());
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return emitOpError() << "dims is " << type
                         << "; expected contiguous integers in the default "
                            "memory space";
  unsigned count = getProblem().getValue().dynamicDims();
  int64_t size = type.getDimSize(0);
  if (size != mlir::ShapedType::kDynamic && size < count)
    return emitOpError() << "dims holds " << size
                         << " sizes, but the problem has " << count
                         << " dynamic dims";
  return mlir::success();
}

/// Each dim of a box is stepped through by a loop whose range it can be.
static mlir::LogicalResult checkBox(PermuteOp op) {
  llvm::ArrayRef<int64_t> dims =
      op.getBoxed().value_or(llvm::ArrayRef<int64_t>());
  if (op.getBox().size() != 2 * dims.size())
    return op.emitOpError()
           << "has " << op.getBox().size() << " box operands along "
           << dims.size() << " dims; expected a begin and an end for each";
  if (dims.empty())
    return mlir::success();
  if (!op.getSchedule())
    return op.emitOpError("has a box but no schedule");
  // Loops inside a panel go through all of it.
  auto isStepped = [](std::optional<ScheduleAttr> schedule, int64_t dim) {
    return !schedule ||
           llvm::any_of(schedule->getValue().loops, [&](const Loop &loop) {
             return loop.dim == dim &&
                    loop.step >= innermost(schedule->getValue())[dim];
           });
  };
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!isStepped(op.getSchedule(), dim) ||
        !isStepped(op.getUnaligned(), dim) ||
        llvm::is_contained(dims.take_front(i), dim))
      return op.emitOpError() << "has a box along dim " << dim
                              << "; expected different dims that the "
                                 "schedule has loops through";
  }
  return mlir::success();
}

mlir::LogicalResult PermuteOp::verify() {
  const Problem &problem = getProblem().getValue();
  // What a nominal problem spans means nothing.
  bool nominal = !getDims().empty();
  if (mlir::failed(checkBuffer(*this, getSrc(), "src",
                               nominal ? 0 : problem.srcSpan())) ||
      mlir::failed(
          checkBuffer(*this, getDst(), "dst", nominal ? 0 : problem.dstSpan())))
    return mlir::failure();
  if (nominal && getDims().size() != 3 * problem.rank())
    return emitOpError() << "has " << getDims().size()
                         << " dims operands for a problem of rank "
                         << problem.rank()
                         << "; expected a size and two strides for each dim";
  if (getSrc() == getDst())
    return emitOpError("reads and writes the same buffer; expected src and dst "
                       "not to overlap");
  for (std::optional<ScheduleAttr> schedule : {getSchedule(), getUnaligned()}) {
    if (!schedule)
      continue;
    Status ok = checkSchedule(problem, schedule->getValue());
    if (ok && nominal)
      ok = checkNominal(schedule->getValue());
    if (!ok)
      return emitOpError() << "schedule does not fit the problem: "
                           << ok.error().message;
  }
  if (getUnaligned() &&
      (!getSchedule() || !streamsTiles(problem, getSchedule()->getValue())))
    return emitOpError("has a schedule for a dst that is not aligned; expected "
                       "one before it that streams tiles of whole lines");
  if (getUnaligned())
    if (Status ok = checkUnaligned(problem, getUnaligned()->getValue()); !ok)
      return emitOpError("schedule for a dst that is not aligned does not fit "
                         "the problem: ")
             << ok.error().message;
  return checkBox(*this);
}
