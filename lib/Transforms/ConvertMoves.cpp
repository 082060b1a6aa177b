//===- ConvertMoves.cpp - moves to the LLVM dialect -----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly all operations of a kernel are moves, and each becomes one or two of
// the LLVM dialect whatever surrounds it. So they are rewritten on the spot, in
// the order of the code: a dialect conversion, which keeps a record of every
// step to take it back, needs several times as long.
//
//===----------------------------------------------------------------------===//

#include "ConvertMoves.h"

#include "permc/Lowering/EmitMoves.h"
#include "permc/Plan/WordTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

namespace {

/// Looks through casts: shuffles of what was just loaded, and stores of what
/// was just shuffled, are seen as structure moves only without a cast between.
Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  return value;
}

bool isFlat(mlir::Type type) {
  return llvm::cast<mlir::VectorType>(type).getRank() == 1;
}

class MoveConverter {
public:
  MoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                int64_t integerBits)
      : b(context), indexBits(indexBits), integerBits(integerBits),
        pointerType(LLVM::LLVMPointerType::get(context)),
        indexType(mlir::IntegerType::get(context, indexBits)) {}

  void convert(mlir::Operation *op) {
    b.setInsertionPoint(op);
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
              vector::MaskedStoreOp, memref::PrefetchOp>([&](auto move) {
          if (isByteBuffer(move.getMemRefType()))
            rewrite(move);
        })
        .Case<vector::ShuffleOp, vector::BitCastOp>([&](auto change) {
          if (change.getResultVectorType().getRank() == 1 &&
              isFlat(change->getOperand(0).getType()))
            rewrite(change);
        })
        .Case<LoadOp, StoreOp>([&](auto move) { rewrite(move); })
        .Case([&](VectorsOp vectors) { loadAtOnce(vectors); });
  }

private:
  /// A move of bytes from or to an address.
  struct Moved {
    Value at;
    int32_t bytes;
    Value end = {}; ///< the address behind it, if the move itself makes that
  };

  void rewrite(vector::LoadOp op) {
    Value from = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
    lastLoaded = {from, bytesOf(op)};
    if (isSeveralWords(op))
      return loadWords(op, from);
    load(op, from, op.getAlignment());
  }

  void rewrite(LoadOp op) {
    Value from = placeOf(op, lastLoaded);
    if (!op.getRegisters())
      return load(op, from);
    if (indexBits == 32)
      return loadRegisters(op, from, *op.getRegisters());
    loadVectors(op, from, op.getVectorType().getNumElements() / laneBytes);
  }

  template <typename Load>
  void load(Load op, Value from, std::optional<uint64_t> alignment = {}) {
    mlir::Type loaded = loadedType(op);
    Value value = LLVM::LoadOp::create(
        b, op.getLoc(), loaded, from, alignment.value_or(1),
        isPair(loaded, alignment), op.getNontemporal());
    replace(op, castTo(op.getLoc(), op.getVectorType(), value));
  }

  void rewrite(vector::StoreOp op) {
    Value to = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
    lastStored = {to, bytesOf(op)};
    store(op, withoutCasts(op.getValueToStore()), to, op.getAlignment());
  }

  void rewrite(StoreOp op) {
    Value value = withoutCasts(op.getMoved());
    Value to = placeOf(op, lastStored);
    if (op.getRegisters())
      return storeVectors(op, value, to);
    if (op.getLane())
      return storeLane(op, value, to);
    store(op, value, to);
  }

  template <typename Store>
  void store(Store op, Value value, Value to,
             std::optional<uint64_t> alignment = {}) {
    mlir::Type type = storedType(op.getVectorType(), value);
    value = castTo(op.getLoc(), type, value);
    LLVM::StoreOp::create(b, op.getLoc(), value, to, alignment.value_or(1),
                          isPair(type, alignment), op.getNontemporal());
    op.erase();
  }

  template <typename Move> static int32_t bytesOf(Move op) {
    return static_cast<int32_t>(op.getVectorType().getNumElements());
  }

  /// What a move takes, or the address behind the one before it. The back end
  /// has structure moves that step their address on, if it does not know
  /// better: so it is not told that all are so far from the first.
  template <typename Move> Value placeOf(Move op, Moved &last) {
    const mlir::Location loc = op.getLoc();
    Value at;
    if (op.getFollows() && last.end)
      at = last.end;
    else if (op.getFollows())
      at = emitHidden(
          b, loc,
          step(loc, last.at, last.bytes, LLVM::GEPNoWrapFlags::inbounds));
    else
      at = ownAddress(op);
    last = {at, bytesOf(op)};
    return at;
  }

  Value ownAddress(LoadOp op) {
    if (std::optional<uint64_t> middle = op.getNear())
      return addressNear(op.getLoc(), op.getBase(), op.getOffset(),
                         static_cast<int32_t>(*middle));
    return addressOf(op.getLoc(), op.getBase(), op.getOffset());
  }
  Value ownAddress(StoreOp op) {
    return addressOf(op.getLoc(), op.getBase(), op.getOffset());
  }

  // What is left out may lie in front of the buffer, or behind it.

  void rewrite(vector::MaskedLoadOp op) {
    Value from = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0],
                           LLVM::GEPNoWrapFlags::none);
    replace(op, LLVM::MaskedLoadOp::create(b, op.getLoc(), op.getVectorType(),
                                           from, op.getMask(), op.getPassThru(),
                                           /*alignment=*/1));
  }

  void rewrite(vector::MaskedStoreOp op) {
    Value to = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0],
                         LLVM::GEPNoWrapFlags::none);
    LLVM::MaskedStoreOp::create(b, op.getLoc(), op.getValueToStore(), to,
                                op.getMask(), /*alignment=*/1);
    op.erase();
  }

  void rewrite(vector::ShuffleOp op) {
    Value first = op.getV1(), second = op.getV2();
    if (Value piece = pieceOfWord(op, withoutCasts(first)))
      return replace(op, piece);
    if (Value piece = pieceOfWords(op))
      return replace(op, piece);
    if (Value piece = oneOfRegisters(op))
      return replace(op, piece);
    if (Value word = exchangedWord(op))
      return replace(op, word);
    if (isNarrow(op))
      return replace(op, shuffledInHalf(op));
    llvm::SmallVector<int32_t> mask(op.getMask());
    if (first == second) {
      // One input is what it is, and how structure loads are recognised.
      auto units = static_cast<int32_t>(op.getV1VectorType().getNumElements());
      for (int32_t &unit : mask)
        unit = unit < units ? unit : unit - units;
      second = LLVM::PoisonOp::create(b, op.getLoc(), first.getType());
    }
    replace(op,
            LLVM::ShuffleVectorOp::create(b, op.getLoc(), first, second, mask));
  }

  void rewrite(vector::BitCastOp op) {
    replace(op, castTo(op.getLoc(), op.getResultVectorType(),
                       withoutCasts(op.getSource())));
  }

  void rewrite(memref::PrefetchOp op) {
    // May ask for what lies behind the buffer.
    Value at = addressOf(op.getLoc(), op.getMemref(), op.getIndices()[0],
                         LLVM::GEPNoWrapFlags::none);
    LLVM::Prefetch::create(b, op.getLoc(), at, op.getIsWrite() ? 1 : 0,
                           op.getLocalityHint(), op.getIsDataCache() ? 1 : 0);
    op.erase();
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  static void replace(mlir::Operation *op, Value by) {
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  }

  Value castTo(mlir::Location loc, mlir::Type type, Value value) {
    if (value.getType() == type)
      return value;
    return LLVM::BitcastOp::create(b, loc, type, value);
  }

  /// Small moves are integers: LLVM would take small vectors apart.
  mlir::Type moveType(mlir::VectorType type) const {
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    if (bits <= integerBits && !type.isScalable())
      return mlir::IntegerType::get(type.getContext(), bits);
    return type;
  }

  /// Whether a move is of a pair of words of a 32-bit machine. Only if it is
  /// volatile can it be relied on to become one instruction (ldrd, strd).
  bool isPair(mlir::Type type, std::optional<uint64_t> alignment) const {
    return type.isInteger(64) && indexBits == 32 && alignment.value_or(1) >= 4;
  }

  /// What a load gives: units of the size that its only user wants.
  template <typename Load> mlir::Type loadedType(Load op) const {
    mlir::Type type = moveType(op.getVectorType());
    if (llvm::isa<mlir::VectorType>(type) && op->hasOneUse())
      if (auto cast = llvm::dyn_cast<vector::BitCastOp>(*op->user_begin()))
        return cast.getResultVectorType();
    return type;
  }

  /// How a value is stored. The back end takes a store of what was just
  /// shuffled for a structure store (NEON's st3), unless there is a cast
  /// between. That is wanted for several registers at once; for one it would
  /// only replace the last zip of a transposed tile, and cost an address more.
  mlir::Type storedType(mlir::VectorType type, Value value) const {
    // What was narrowed is narrowed by the store itself.
    if (value.getDefiningOp<LLVM::TruncOp>() &&
        llvm::isa<mlir::VectorType>(value.getType()))
      return value.getType();
    mlir::Type moved = moveType(type);
    if (!llvm::isa<mlir::VectorType>(moved))
      return moved;
    if (type.getNumElements() == laneBytes &&
        value.getDefiningOp<LLVM::ShuffleVectorOp>())
      return mlir::VectorType::get(
          {laneBytes / 8}, mlir::IntegerType::get(type.getContext(), 64));
    return value.getType();
  }

  /// Neighbouring bytes of a word that was loaded as an integer: a shift.
  Value pieceOfWord(vector::ShuffleOp op, Value word) {
    auto type = llvm::dyn_cast<mlir::IntegerType>(word.getType());
    mlir::VectorType piece = op.getResultVectorType();
    unsigned bits = piece.getNumElements() * piece.getElementTypeBitWidth();
    llvm::ArrayRef<int64_t> mask = op.getMask();
    if (!type || bits >= type.getWidth() || op.getV1() != op.getV2())
      return {};
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[0] < 0 || mask[i] != mask[0] + static_cast<int64_t>(i))
        return {};
    mlir::Location loc = op.getLoc();
    int64_t shift = mask[0] * piece.getElementTypeBitWidth();
    if (shift != 0)
      word = LLVM::LShrOp::create(
          b, loc, word,
          LLVM::ConstantOp::create(b, loc, type,
                                   b.getIntegerAttr(type, shift)));
    word = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), word);
    return LLVM::BitcastOp::create(b, loc, piece, word);
  }

  //===--------------------------------------------------------------------===//
  // Less than half a register
  //===--------------------------------------------------------------------===//

  static constexpr unsigned halfBits = 8 * laneBytes / 2;

  static unsigned bitsOf(mlir::VectorType type) {
    return type.getNumElements() * type.getElementTypeBitWidth();
  }

  /// Whether a shuffle is of less than half a register, or makes less. ARMv7's
  /// back end would take such vectors apart, element by element.
  bool isNarrow(vector::ShuffleOp op) const {
    return integerBits < halfBits &&
           (bitsOf(op.getV1VectorType()) < halfBits ||
            bitsOf(op.getResultVectorType()) < halfBits);
  }

  /// The same by registers of half the size at least. What is less is an
  /// element of one.
  Value shuffledInHalf(vector::ShuffleOp op) {
    const mlir::Location loc = op.getLoc();
    const mlir::VectorType result = op.getResultVectorType();
    const unsigned unit = result.getElementTypeBitWidth();
    const auto given =
        static_cast<int32_t>(op.getV1VectorType().getNumElements());
    const unsigned width =
        std::max({halfBits, bitsOf(op.getV1VectorType()), bitsOf(result)});
    const auto units = static_cast<int32_t>(width / unit);
    Value first = widened(loc, op.getV1(), width);
    Value second =
        op.getV1() == op.getV2()
            ? LLVM::PoisonOp::create(b, loc, first.getType()).getResult()
            : widened(loc, op.getV2(), width);
    llvm::SmallVector<int32_t> mask(op.getMask());
    for (int32_t &place : mask)
      if (place >= given)
        place += op.getV1() == op.getV2() ? -given : units - given;
    const int32_t start = mask[0];
    bool neighbours = start < units && start % mask.size() == 0;
    for (size_t i = 0; i < mask.size(); ++i)
      neighbours &= mask[i] < 0 || mask[i] == start + static_cast<int32_t>(i);
    if (neighbours)
      return elementOf(loc, first, start / mask.size(), result);
    mask.resize(units, -1);
    Value all = LLVM::ShuffleVectorOp::create(b, loc, first, second, mask);
    return elementOf(loc, all, 0, result);
  }

  /// A value as the lowest part of a register of so many bits.
  Value widened(mlir::Location loc, Value value, unsigned bits) {
    auto type = llvm::cast<mlir::VectorType>(value.getType());
    if (bitsOf(type) == bits)
      return value;
    const auto wide = mlir::VectorType::get(
        {static_cast<int64_t>(bits / type.getElementTypeBitWidth())},
        type.getElementType());
    const mlir::Type element = b.getIntegerType(bitsOf(type));
    auto elements = mlir::VectorType::get(
        {static_cast<int64_t>(bits / bitsOf(type))}, element);
    Value none = LLVM::PoisonOp::create(b, loc, elements);
    Value one = castTo(loc, element, withoutCasts(value));
    return castTo(
        loc, wide,
        LLVM::InsertElementOp::create(b, loc, none, one, number(loc, 0)));
  }

  /// Element `place` of a register whose elements are of the result's size.
  Value elementOf(mlir::Location loc, Value value, int64_t place,
                  mlir::VectorType result) {
    const unsigned bits = bitsOf(llvm::cast<mlir::VectorType>(value.getType()));
    if (bits == bitsOf(result))
      return castTo(loc, result, value);
    auto elements =
        mlir::VectorType::get({static_cast<int64_t>(bits / bitsOf(result))},
                              b.getIntegerType(bitsOf(result)));
    Value one = LLVM::ExtractElementOp::create(
        b, loc, castTo(loc, elements, value), number(loc, place));
    return castTo(loc, result, one);
  }

  //===--------------------------------------------------------------------===//
  // Several words at once
  //===--------------------------------------------------------------------===//

  /// Whether a load is of more aligned words than two, of a 32-bit machine.
  bool isSeveralWords(vector::LoadOp op) const {
    return indexBits == 32 && op.getAlignment().value_or(1) == 4 &&
           op.getVectorType().getNumElements() == maxWordLoad;
  }

  /// The back end makes an ldm of loads only where registers happen to be in
  /// order. So it is told the instruction, and registers: not those of the
  /// function's arguments, and r7, which might be a frame pointer's.
  void loadWords(vector::LoadOp op, Value from) {
    constexpr llvm::StringLiteral text =
        "ldm.w $8, {r2, r3, r4, r5, r6, r8, r9, r10}";
    constexpr llvm::StringLiteral constraints =
        "={r2},={r3},={r4},={r5},={r6},={r8},={r9},={r10},r,~{memory}";
    llvm::SmallVector<mlir::Type> types(maxWordLoad / 4, b.getI32Type());
    Value loaded = emitAssembly(op.getLoc(), types, from, text, constraints);
    auto &words = severalWords[op.getResult()];
    for (size_t i = 0; i < types.size(); ++i)
      words.push_back(LLVM::ExtractValueOp::create(b, op.getLoc(), loaded,
                                                   static_cast<int64_t>(i)));
  }

  /// ARMv7's back end does not find registers that suit loads of several and
  /// structure stores both. So it is told the instructions, and the registers
  /// in which these are left by zips where the stores want them.
  void loadRegisters(LoadOp op, Value from, int64_t first) {
    constexpr int64_t perLoad = 2;
    const int64_t count = op.getVectorType().getNumElements() / laneBytes;
    std::string text, constraints;
    llvm::raw_string_ostream code(text), places(constraints);
    for (int64_t at = first; at < first + count; at += perLoad)
      code << (at > first ? "\n\t" : "") << "vld1.8 {d" << 2 * at << ", d"
           << 2 * at + 1 << ", d" << 2 * at + 2 << ", d" << 2 * at + 3
           << "}, [$" << count << "]!";
    for (int64_t at = first; at < first + count; ++at)
      places << "={q" << at << "},";
    places << "=r," << count << ",~{memory}";
    llvm::SmallVector<mlir::Type> types(
        count, mlir::VectorType::get({laneBytes}, b.getI8Type()));
    types.push_back(pointerType);
    Value loaded = emitAssembly(op.getLoc(), types, from, text, constraints);
    auto piece = [&](int64_t i) {
      return LLVM::ExtractValueOp::create(b, op.getLoc(), loaded, i);
    };
    auto &registers = severalRegisters[op.getMoved()];
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(piece(i));
    lastLoaded.end = piece(count);
  }

  /// Vectors that are constants, from one place (AArch64's ld1). The back end
  /// would give each of them a place of its own.
  void loadAtOnce(VectorsOp op) {
    const mlir::Location loc = op.getLoc();
    const auto bytes = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
    Value from = LLVM::AddressOfOp::create(
        b, loc, constantAt(op->getParentOfType<mlir::ModuleOp>(), loc, bytes));
    loadVectors(op, from, bytes.getNumElements() / laneBytes);
  }

  /// Two to four vectors that follow one another, instead of `op` (AArch64's
  /// ld1).
  void loadVectors(mlir::Operation *op, Value from, int64_t count) {
    const mlir::Location loc = op->getLoc();
    auto vector = mlir::VectorType::get({laneBytes}, b.getI8Type());
    llvm::SmallVector<mlir::Type> types(count, vector);
    auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value loaded =
        LLVM::CallIntrinsicOp::create(b, loc, all, severalAtOnce("ld", types),
                                      mlir::ValueRange(from))
            .getResult(0);
    auto &registers = severalRegisters[op->getResult(0)];
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  }

  /// ... and st1. The back end would make pairs of them.
  void storeVectors(StoreOp op, Value value, Value to) {
    llvm::SmallVector<Value> operands = registersOf(value);
    operands.resize(op.getVectorType().getNumElements() / laneBytes);
    mlir::StringAttr name =
        severalAtOnce("st", mlir::ValueRange(operands).getTypes());
    operands.push_back(to);
    LLVM::CallIntrinsicOp::create(b, op.getLoc(), name, operands);
    op.erase();
  }

  /// One element of each of two to four registers (AArch64's st3 of a lane).
  void storeLane(StoreOp op, Value value, Value to) {
    const mlir::Location loc = op.getLoc();
    auto lanes = value.getDefiningOp<LLVM::ShuffleVectorOp>();
    assert(lanes && "elements were put side by side");
    const unsigned bits =
        llvm::cast<mlir::VectorType>(value.getType()).getElementTypeBitWidth();
    llvm::SmallVector<Value> operands = registersOf(lanes.getV1());
    operands.append(registersOf(lanes.getV2()));
    operands.resize(lanes.getMask().size());
    auto type =
        mlir::VectorType::get({8 * laneBytes / bits}, b.getIntegerType(bits));
    for (Value &operand : operands)
      operand = castTo(loc, type, operand);
    const std::string name = "llvm.aarch64.neon.st" +
                             std::to_string(operands.size()) + "lane" +
                             spellType(type) + ".p0";
    operands.push_back(LLVM::ConstantOp::create(
        b, loc, b.getI64Type(), b.getI64IntegerAttr(lanes.getMask()[0])));
    operands.push_back(to);
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
    op.erase();
  }

  /// What a value was put together of.
  static llvm::SmallVector<Value> registersOf(Value value) {
    value = withoutCasts(value);
    if (bitsOf(llvm::cast<mlir::VectorType>(value.getType())) == 8 * laneBytes)
      return {value};
    auto both = value.getDefiningOp<LLVM::ShuffleVectorOp>();
    assert(both && "registers were put side by side");
    llvm::SmallVector<Value> registers = registersOf(both.getV1());
    registers.append(registersOf(both.getV2()));
    return registers;
  }

  /// The intrinsic that moves as many vectors as there are types, all the same.
  mlir::StringAttr severalAtOnce(const char *verb, mlir::TypeRange types) {
    return b.getStringAttr("llvm.aarch64.neon." + std::string(verb) + "1x" +
                           std::to_string(types.size()) +
                           spellType(llvm::cast<mlir::VectorType>(types[0])) +
                           ".p0");
  }

  /// As the names of intrinsics have it.
  static std::string spellType(mlir::VectorType type) {
    return ".v" + std::to_string(type.getNumElements()) + "i" +
           std::to_string(type.getElementTypeBitWidth());
  }

  /// A constant in memory, the same for all that have its bytes. No kernel has
  /// a name like its.
  LLVM::GlobalOp constantAt(mlir::ModuleOp module, mlir::Location loc,
                            mlir::DenseElementsAttr bytes) {
    LLVM::GlobalOp &global = constants[bytes];
    if (global)
      return global;
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.getNumElements());
    auto array = mlir::DenseElementsAttr::getFromRawBuffer(
        mlir::RankedTensorType::get({bytes.getNumElements()}, b.getI8Type()),
        bytes.getRawData());
    global = LLVM::GlobalOp::create(
        b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private,
        "permc.constant." + std::to_string(constants.size() - 1), array,
        /*alignment=*/laneBytes);
    return global;
  }

  Value emitAssembly(mlir::Location loc, llvm::ArrayRef<mlir::Type> types,
                     Value from, llvm::StringRef text,
                     llvm::StringRef constraints) {
    auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    return LLVM::InlineAsmOp::create(
               b, loc, all, from, text, constraints,
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, /*asm_dialect=*/{},
               /*operand_attrs=*/{})
        .getRes();
  }

  /// One of several registers that were loaded at once.
  Value oneOfRegisters(vector::ShuffleOp op) {
    auto registers = severalRegisters.find(op.getV1());
    if (registers == severalRegisters.end())
      return {};
    assert(op.getMask().size() == size_t(laneBytes) &&
           op.getMask().front() % laneBytes == 0);
    return registers->second[op.getMask()[0] / laneBytes];
  }

  /// One of several words, or two of them.
  Value pieceOfWords(vector::ShuffleOp op) {
    auto words = severalWords.find(op.getV1());
    llvm::ArrayRef<int64_t> mask = op.getMask();
    if (words == severalWords.end() || mask[0] % 4 != 0 ||
        (mask.size() != 4 && mask.size() != 8))
      return {};
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i] != mask[0] + static_cast<int64_t>(i))
        return {};
    const mlir::Location loc = op.getLoc();
    const auto *first = words->second.begin() + mask[0] / 4;
    Value piece = *first;
    if (mask.size() == 8)
      piece = bothWords(loc, piece, *(first + 1));
    return castTo(loc, op.getResultVectorType(), piece);
  }

  /// Two words as one that is moved at once.
  Value bothWords(mlir::Location loc, Value low, Value high) {
    const mlir::Type both = b.getI64Type();
    Value shifted = LLVM::ShlOp::create(
        b, loc, LLVM::ZExtOp::create(b, loc, both, high),
        LLVM::ConstantOp::create(b, loc, both, b.getI64IntegerAttr(32)));
    return either(loc, LLVM::ZExtOp::create(b, loc, both, low), shifted);
  }

  /// Every second byte, or one half each, or all of two words that are
  /// integers. The back end has one or two instructions for it, and none for
  /// the shuffle.
  Value exchangedWord(vector::ShuffleOp op) {
    Value first = withoutCasts(op.getV1()), second = withoutCasts(op.getV2());
    if (!first.getType().isInteger(32) || !second.getType().isInteger(32))
      return {};
    using Places = llvm::SmallVector<int64_t, 4>;
    Places bytes;
    const int64_t unit = op.getResultVectorType().getElementTypeBitWidth() / 8;
    for (int64_t place : op.getMask())
      for (int64_t i = 0; i < unit; ++i)
        bytes.push_back(place * unit + i);
    const mlir::Location loc = op.getLoc();
    Value word;
    if (bytes == Places{0, 1, 4, 5})
      word = either(loc, masked(loc, first, 0xffff), shifted(loc, second, 16));
    else if (bytes == Places{2, 3, 6, 7})
      word = either(loc, shifted(loc, first, -16),
                    masked(loc, second, 0xffff0000));
    else if (bytes == Places{0, 1, 2, 3, 4, 5, 6, 7})
      word = bothWords(loc, first, second);
    else if (bytes == Places{0, 4, 2, 6})
      word =
          unlike(loc, first, shifted(loc, tradedBytes(loc, first, second), 8));
    else if (bytes == Places{1, 5, 3, 7})
      word = unlike(loc, second, tradedBytes(loc, first, second));
    else
      return {};
    return castTo(loc, op.getResultVectorType(), word);
  }

  /// In what the odd bytes of one word and the even ones of another differ:
  /// made once for both words that trade them.
  Value tradedBytes(mlir::Location loc, Value odd, Value even) {
    Value &made = traded[{odd.getAsOpaquePointer(), even.getAsOpaquePointer()}];
    if (!made)
      made = masked(loc, unlike(loc, shifted(loc, odd, -8), even), 0x00ff00ff);
    return made;
  }

  Value number(mlir::Location loc, uint32_t value) {
    return LLVM::ConstantOp::create(
        b, loc, b.getI32Type(),
        b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value masked(mlir::Location loc, Value word, uint32_t bits) {
    return LLVM::AndOp::create(b, loc, word, number(loc, bits));
  }
  /// By so many bits up, or down.
  Value shifted(mlir::Location loc, Value word, int bits) {
    if (bits < 0)
      return LLVM::LShrOp::create(b, loc, word, number(loc, -bits));
    return LLVM::ShlOp::create(b, loc, word, number(loc, bits));
  }
  Value either(mlir::Location loc, Value a, Value other) {
    return LLVM::OrOp::create(b, loc, a, other);
  }
  Value unlike(mlir::Location loc, Value a, Value other) {
    return LLVM::XOrOp::create(b, loc, a, other);
  }

  //===--------------------------------------------------------------------===//
  // Addresses
  //===--------------------------------------------------------------------===//

  /// The address at `offset`. A constant that was added to it last stays apart:
  /// then the back end sees at once that all moves of a tile share an address,
  /// which it would else take up to half of its time to find out.
  Value addressOf(mlir::Location loc, Value buffer, Value offset,
                  LLVM::GEPNoWrapFlags flags = LLVM::GEPNoWrapFlags::inbounds) {
    if (std::optional<int32_t> bytes = constantStep(offset))
      return step(loc, converted(buffer, pointerType), *bytes, flags);
    if (auto add = offset.getDefiningOp<mlir::arith::AddIOp>())
      if (std::optional<int32_t> bytes = constantStep(add.getRhs()))
        return step(loc, sharedAddress(loc, buffer, add.getLhs(), flags),
                    *bytes, flags);
    return sharedAddress(loc, buffer, offset, flags);
  }

  /// The address at `offset` from another that is `middle` bytes from what is
  /// shared, and of which the back end does not know that.
  Value addressNear(mlir::Location loc, Value buffer, Value offset,
                    int32_t middle) {
    const auto flags = LLVM::GEPNoWrapFlags::inbounds;
    int32_t bytes = 0;
    if (auto add = offset.getDefiningOp<mlir::arith::AddIOp>())
      if (std::optional<int32_t> further = constantStep(add.getRhs())) {
        bytes = *further;
        offset = add.getLhs();
      }
    Value shared = sharedAddress(loc, buffer, offset, flags);
    Value &near = middles[{b.getInsertionBlock(), shared.getAsOpaquePointer()}];
    if (!near)
      near = emitHidden(b, loc,
                        step(loc, shared, middle, LLVM::GEPNoWrapFlags::none));
    return step(loc, near, bytes - middle, flags);
  }

  /// A constant that an address can have beside it.
  static std::optional<int32_t> constantStep(Value value) {
    std::optional<int64_t> bytes = mlir::getConstantIntValue(value);
    if (!bytes || !llvm::isInt<LLVM::kGEPConstantBitWidth>(*bytes))
      return std::nullopt;
    return static_cast<int32_t>(*bytes);
  }

  Value step(mlir::Location loc, Value from, LLVM::GEPArg by,
             LLVM::GEPNoWrapFlags flags) {
    return LLVM::GEPOp::create(b, loc, pointerType, b.getI8Type(), from, by,
                               flags);
  }

  /// One for all moves of a block.
  Value sharedAddress(mlir::Location loc, Value buffer, Value offset,
                      LLVM::GEPNoWrapFlags flags) {
    Value &made = addresses[{b.getInsertionBlock(), buffer.getAsOpaquePointer(),
                             offset.getAsOpaquePointer(), flags}];
    if (!made)
      made = step(loc, converted(buffer, pointerType),
                  converted(offset, indexType), flags);
    return made;
  }

  /// A value as the LLVM dialect has it, cast where it is made.
  Value converted(Value value, mlir::Type type) {
    Value &made = casts[value];
    if (!made) {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(value);
      made = mlir::UnrealizedConversionCastOp::create(b, value.getLoc(), type,
                                                      value)
                 .getResult(0);
    }
    return made;
  }

  mlir::OpBuilder b;
  const unsigned indexBits;
  const int64_t integerBits;
  const mlir::Type pointerType, indexType;

  Moved lastLoaded, lastStored;
  llvm::DenseMap<Value, Value> casts;
  std::map<std::pair<void *, void *>, Value> traded;
  llvm::DenseMap<Value, llvm::SmallVector<Value, 8>> severalWords,
      severalRegisters;
  llvm::DenseMap<mlir::Attribute, LLVM::GlobalOp> constants;
  using Address =
      std::tuple<mlir::Block *, void *, void *, LLVM::GEPNoWrapFlags>;
  std::map<Address, Value> addresses;
  std::map<std::pair<mlir::Block *, void *>, Value> middles;
};

} // namespace

bool permc::isByteBuffer(mlir::MemRefType type) {
  return type.getRank() == 1 && type.getElementType().isInteger(8) &&
         type.getLayout().isIdentity();
}

void permc::convertMoves(mlir::ModuleOp module, unsigned indexBits,
                         int64_t integerBits) {
  MoveConverter converter(module.getContext(), indexBits, integerBits);
  module.walk([&](mlir::Operation *op) { converter.convert(op); });
}

void permc::eraseUnused(mlir::ModuleOp module) {
  module.walk([](mlir::Block *block) {
    for (mlir::Operation &op :
         llvm::make_early_inc_range(llvm::reverse(*block)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  });
}
