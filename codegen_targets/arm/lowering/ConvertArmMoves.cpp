//===- ConvertArmMoves.cpp - moves that only ARM has ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ARM's back ends do not find by themselves: pairs and more of words in
// one instruction (ldrd, ldm), several vectors in one (vld1, ld1, st1), moves
// that step their address on, one element of several registers (st3), and on
// ARMv7 vectors of less than half a register.
//
//===----------------------------------------------------------------------===//

#include "ConvertArmMoves.h"

#include "permc/Dialect/Permute/Permute.h"
#include "permc/Lowering/EmitMoves.h"
#include "permc/Plan/Network.h"
#include "permc/Plan/WordTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace permc;
using mlir::Value;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;

namespace {

class ArmMoveConverter : public MoveConverter {
public:
  using MoveConverter::MoveConverter;

private:
  /// A move of bytes from or to an address.
  struct Moved {
    Value at;
    int32_t bytes;
    Value end = {}; ///< the address behind it, if the move itself makes that
  };

  void rewrite(vector::LoadOp op) override {
    Value from = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
    lastLoaded = {from, bytesOf(op)};
    if (isSeveralWords(op))
      return loadWords(op, from);
    load(op, from, formOf(loadedType(op), op.getAlignment()));
  }

  void rewrite(vector::StoreOp op) override {
    Value to = addressOf(op.getLoc(), op.getBase(), op.getIndices()[0]);
    lastStored = {to, bytesOf(op)};
    Value value = withoutCasts(op.getValueToStore());
    store(op, value, to,
          formOf(storedType(op.getVectorType(), value), op.getAlignment()));
  }

  void rewrite(vector::ShuffleOp op) override {
    if (Value piece = pieceOfWords(op))
      return replace(op, piece);
    if (Value piece = oneOfRegisters(op))
      return replace(op, piece);
    if (!isNarrow(op))
      return MoveConverter::rewrite(op);
    if (Value word = shuffledWord(op))
      return replace(op, word);
    replace(op, shuffledInHalf(op));
  }

  void rewriteOwn(mlir::Operation *op) override {
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<LoadOp, StoreOp>([&](auto move) { rewriteMove(move); })
        .Case([&](CopyOp copy) { copyInPlace(copy); })
        .Case([&](VectorsOp vectors) { loadAtOnce(vectors); });
  }

  void rewriteMove(LoadOp op) {
    Value from = placeOf(op, lastLoaded);
    if (!op.getRegisters())
      return load(op, from);
    if (indexBits == 32)
      return loadRegisters(op, from, *op.getRegisters());
    loadVectors(op, from, op.getVectorType().getNumElements() / laneBytes);
  }

  void rewriteMove(StoreOp op) {
    Value value = withoutCasts(op.getMoved());
    Value to = placeOf(op, lastStored);
    if (op.getRegisters())
      return storeVectors(op, value, to);
    if (op.getLane())
      return storeLane(op, value, to);
    store(op, value, to);
  }

  /// A copy so short that the back end does it in place, by ldm and stm.
  void copyInPlace(CopyOp op) {
    const mlir::Location loc = op.getLoc();
    const auto type = llvm::cast<mlir::MemRefType>(op.getSrc().getType());
    Value dst = converted(op.getDst(), pointerType),
          src = converted(op.getSrc(), pointerType);
    Value bytes = LLVM::ConstantOp::create(
        b, loc, indexType, b.getIntegerAttr(indexType, type.getNumElements()));
    auto copy = LLVM::MemcpyOp::create(b, loc, dst, src, bytes,
                                       /*isVolatile=*/false);
    mlir::DictionaryAttr aligned = b.getDictionaryAttr(b.getNamedAttr(
        LLVM::LLVMDialect::getAlignAttrName(), op.getAlignmentAttr()));
    copy.setArgAttrsAttr(
        b.getArrayAttr({aligned, aligned, b.getDictionaryAttr({})}));
    op.erase();
  }

  /// A pair of words of a 32-bit machine can be relied on to become one
  /// instruction (ldrd, strd) only if it is volatile.
  MoveForm formOf(mlir::Type type, std::optional<uint64_t> alignment) const {
    const uint64_t known = alignment.value_or(1);
    return {.alignment = known,
            .isVolatile = type.isInteger(64) && indexBits == 32 && known >= 4};
  }

  template <typename Move> static int32_t bytesOf(Move op) {
    return static_cast<int32_t>(op.getVectorType().getNumElements());
  }

  //===--------------------------------------------------------------------===//
  // Addresses
  //===--------------------------------------------------------------------===//

  /// What a move takes, or the address behind the one before it. The back end
  /// has structure moves that step their address on, if it does not know
  /// better: so it is not told that all are so far from the first.
  template <typename Move> Value placeOf(Move op, Moved &last) {
    const mlir::Location loc = op.getLoc();
    Value at;
    if (op.getFollows() && last.end)
      at = last.end;
    else if (op.getFollows())
      at = emitHidden(b, loc, step(loc, last.at, last.bytes, NoWrap::inbounds));
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

  /// The address at `offset` from another that is `middle` bytes from what is
  /// shared, and of which the back end does not know that.
  Value addressNear(mlir::Location loc, Value buffer, Value offset,
                    int32_t middle) {
    int32_t bytes = 0;
    if (auto add = offset.getDefiningOp<mlir::arith::AddIOp>())
      if (std::optional<int32_t> further = constantStep(add.getRhs())) {
        bytes = *further;
        offset = add.getLhs();
      }
    Value shared = sharedAddress(loc, buffer, offset, NoWrap::inbounds);
    Value &near = middles[{b.getInsertionBlock(), shared.getAsOpaquePointer()}];
    if (!near)
      near = emitHidden(b, loc, step(loc, shared, middle, NoWrap::none));
    return step(loc, near, bytes - middle, NoWrap::inbounds);
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

  Moved lastLoaded, lastStored;
  llvm::DenseMap<Value, llvm::SmallVector<Value, 8>> severalWords,
      severalRegisters;
  llvm::DenseMap<mlir::Attribute, LLVM::GlobalOp> constants;
  std::map<std::pair<mlir::Block *, void *>, Value> middles;
};

} // namespace

std::unique_ptr<MoveConverter>
permc::makeArmMoveConverter(mlir::MLIRContext *context, unsigned indexBits,
                            int64_t integerBits) {
  return std::make_unique<ArmMoveConverter>(context, indexBits, integerBits);
}
