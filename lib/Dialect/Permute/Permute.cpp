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
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
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

mlir::LogicalResult
PermcDialect::verifyOperationAttribute(mlir::Operation *op,
                                       mlir::NamedAttribute attribute) {
  const mlir::StringAttr name = attribute.getName();
  if (name == getTargetAttrHelper().getName()) {
    if (llvm::isa<mlir::ModuleOp>(op) &&
        llvm::isa<mlir::StringAttr>(attribute.getValue()))
      return mlir::success();
    return op->emitOpError() << name << " = " << attribute.getValue()
                             << "; expected the name of a target, on a module";
  }
  if (name == getKernelAttrHelper().getName()) {
    if (llvm::isa<mlir::FunctionOpInterface>(op) &&
        llvm::isa<mlir::UnitAttr>(attribute.getValue()))
      return mlir::success();
    return op->emitOpError() << name << " = " << attribute.getValue()
                             << "; expected no value, on a function";
  }
  return op->emitOpError() << "has the attribute " << name
                           << ", which permc does not know; expected "
                              "permc.kernel or permc.target";
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

static llvm::hash_code hashField(const Dims &list) {
  return llvm::hash_combine_range(list);
}
static llvm::hash_code hashField(const Reach &reach) {
  return llvm::hash_combine(reach.back, reach.ahead);
}
static llvm::hash_code hashField(int64_t number) {
  return llvm::hash_value(number);
}

llvm::hash_code permc::hash_value(const Schedule &schedule) {
  llvm::hash_code loops = llvm::hash_value(schedule.unitLoops);
  for (const Loop &loop : schedule.loops)
    loops = llvm::hash_combine(loops, loop.dim, loop.step);
  llvm::hash_code hash =
      llvm::hash_combine(schedule.kernel.index(), hashField(schedule.tile),
                         loops, schedule.vectorBytes);
  visitFields(schedule, [&](llvm::StringRef, const auto &value) {
    hash = llvm::hash_combine(hash, hashField(value));
  });
  return hash;
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

//===--- fields that not every schedule has -------------------------------===//

/// "a, b or c".
static std::string spellChoice(llvm::ArrayRef<std::string> words) {
  if (words.size() == 1)
    return words.front();
  return llvm::join(words.drop_back(), ", ") + " or " + words.back();
}

static mlir::ParseResult parseField(mlir::AsmParser &parser, Dims &list) {
  return mlir::failure(parser.parseEqual() || parseList(parser, list));
}
static mlir::ParseResult parseField(mlir::AsmParser &, bool &flag) {
  flag = true;
  return mlir::success();
}
static mlir::ParseResult parseField(mlir::AsmParser &parser, int64_t &number) {
  return mlir::failure(parser.parseEqual() || parser.parseInteger(number));
}
/// Back and ahead: `= 1024 : 1008`.
static mlir::ParseResult parseField(mlir::AsmParser &parser, Reach &reach) {
  return mlir::failure(parser.parseEqual() || parser.parseInteger(reach.back) ||
                       parser.parseColon() || parser.parseInteger(reach.ahead));
}

static void printField(mlir::AsmPrinter &printer, const Dims &list) {
  printer << " = " << spellList(list);
}
static void printField(mlir::AsmPrinter &, bool) {}
static void printField(mlir::AsmPrinter &printer, int64_t number) {
  printer << " = " << number;
}
static void printField(mlir::AsmPrinter &printer, const Reach &reach) {
  printer << " = " << reach.back << " : " << reach.ahead;
}

/// All keys: "'last_tile', 'scalable' ... or 'prefetch_dst'".
static std::string spellKeys() {
  llvm::SmallVector<std::string> keys;
  auto add = [&](llvm::StringRef key) {
    std::string quoted = "'" + key.str() + "'";
    if (!llvm::is_contained(keys, quoted))
      keys.push_back(std::move(quoted));
  };
#define PERMC_KERNEL_FIELD(owner, type, member, key) add(key);
#define PERMC_PANEL_FIELD(type, member, key) add(key);
#define PERMC_PREFETCH_FIELD(type, member, key) add(key);
#define PERMC_STORES_FIELD(type, member, key) add(key);
#include "permc/Plan/ScheduleFields.def"
  return spellChoice(keys);
}

/// The kinds of micro kernel that have a field.
static llvm::SmallVector<std::string> kindsWith(llvm::StringRef key) {
  llvm::SmallVector<std::string> kinds;
  forEachKernel([&](const auto &kernel) {
    micro::visitFields(kernel, [&](llvm::StringRef its, const auto &) {
      if (its == key)
        kinds.emplace_back(kernel.name);
    });
  });
  return kinds;
}

/// The field whose key comes next.
static mlir::ParseResult parseNextField(mlir::AsmParser &parser,
                                        Schedule &schedule) {
  const llvm::SMLoc at = parser.getCurrentLocation();
  llvm::StringRef word;
  const bool isWord = mlir::succeeded(parser.parseOptionalKeyword(&word));
  std::optional<mlir::ParseResult> result;
  visitFields(schedule, [&](llvm::StringRef key, auto &value) {
    if (isWord && key == word)
      result = parseField(parser, value);
  });
  if (result)
    return *result;
  if (const auto kinds = kindsWith(word); !kinds.empty())
    return parser.emitError(at, "the key '")
           << word << "' in a schedule of the kind " << kernelName(schedule)
           << "; expected the kind " << spellChoice(kinds);
  return parser.emitError(at, isWord ? "unknown key '" + word.str() + "'; "
                                     : std::string())
         << "expected " << spellKeys();
}

mlir::Attribute ScheduleAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  Schedule schedule;
  llvm::StringRef kind;
  if (parser.parseLess())
    return {};
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&kind))
    return {};
  auto kernel = kernelNamed({kind.data(), kind.size()});
  if (!kernel) {
    llvm::SmallVector<std::string> kinds;
    forEachKernel([&](const auto &one) { kinds.emplace_back(one.name); });
    parser.emitError(loc, "unknown kernel kind '")
        << kind << "'; expected " << spellChoice(kinds);
    return {};
  }
  schedule.kernel = std::move(*kernel);
  if (parser.parseComma() || parseKey(parser, "tile") ||
      parseList(parser, schedule.tile) || parser.parseComma() ||
      parseKey(parser, "loops") || parseLoops(parser, schedule.loops) ||
      parser.parseComma() || parseKey(parser, "units") ||
      parser.parseInteger(schedule.unitLoops) || parser.parseComma() ||
      parseKey(parser, "vector") || parser.parseInteger(schedule.vectorBytes))
    return {};
  schedule.panel.emplace();
  while (mlir::succeeded(parser.parseOptionalComma()))
    if (parseNextField(parser, schedule))
      return {};
  if (parser.parseGreater())
    return {};
  if (schedule.panel->extent.empty()) {
    if (*schedule.panel != Panel()) {
      parser.emitError(loc, "'whole_lines' or 'prefetch_panel' without a "
                            "'panel'");
      return {};
    }
    schedule.panel.reset();
  }
  return ScheduleAttr::get(parser.getContext(), schedule);
}

void ScheduleAttr::print(mlir::AsmPrinter &printer) const {
  const Schedule &schedule = getValue();
  printer << "<" << kernelName(schedule)
          << ", tile = " << spellList(schedule.tile) << ", loops = [";
  llvm::interleaveComma(schedule.loops, printer, [&](const Loop &loop) {
    printer << loop.dim << " : " << loop.step;
  });
  printer << "], units = " << schedule.unitLoops
          << ", vector = " << schedule.vectorBytes;
  visitFields(schedule, [&](llvm::StringRef key, const auto &value) {
    if (value == std::decay_t<decltype(value)>{})
      return;
    printer << ", " << key;
    printField(printer, value);
  });
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
  auto hasSizes = [&](mlir::NamedAttribute kernel) {
    auto sizes = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(kernel.getValue());
    return sizes && sizes.size() == int64_t{count};
  };
  if (getSpecialized() && !llvm::all_of(*getSpecialized(), hasSizes))
    return emitOpError() << "is specialized as " << *getSpecialized()
                         << "; expected kernels with " << count
                         << " sizes each, as array<i64: ...>";
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
  if (!getOrigins().empty() && (!nominal || getOrigins().size() != 2))
    return emitOpError() << "has " << getOrigins().size() << " origins"
                         << (nominal ? "" : " and no dims")
                         << "; expected one in src and one in dst, beside dims";
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

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Registers as permc.load and permc.store know them.
static mlir::LogicalResult checkRegisters(mlir::Operation *op,
                                          mlir::VectorType type) {
  const int64_t bytes = type.getNumElements();
  if (!type.isScalable() && bytes % laneBytes == 0 && bytes > laneBytes &&
      bytes <= 4 * laneBytes)
    return mlir::success();
  return op->emitOpError() << "is of registers that are " << type
                           << " together; expected two to four of 16 bytes";
}

mlir::LogicalResult LoadOp::verify() {
  if (getNear() && getFollows())
    return emitOpError("is near an address and follows another; expected one "
                       "of them");
  return getRegisters() ? checkRegisters(*this, getVectorType())
                        : mlir::success();
}

mlir::LogicalResult StoreOp::verify() {
  if (getRegisters() && getLane())
    return emitOpError("is of whole registers and of a lane; expected one of "
                       "them");
  return getRegisters() ? checkRegisters(*this, getVectorType())
                        : mlir::success();
}

mlir::LogicalResult CopyOp::verify() {
  const auto type = llvm::cast<mlir::MemRefType>(getSrc().getType());
  if (!type.hasStaticShape())
    return emitOpError() << "copies " << type << "; expected a known size";
  if (!llvm::isPowerOf2_64(getAlignment()))
    return emitOpError() << "is aligned to " << getAlignment()
                         << "; expected a power of two";
  return mlir::success();
}

mlir::LogicalResult VectorsOp::verify() {
  return checkRegisters(*this, getVectors().getType());
}
