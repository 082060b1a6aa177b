//===- Tensor.cpp - how people spell tensors ------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads "224x224x3xu8". No type name contains an 'x', so the text splits at
// every 'x': the last piece is the type, those before it are sizes. Only what
// other systems call a type can have one; it is told apart to be named whole
// when it is refused.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Tensor.h"

#include "Integer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct NamedType {
  StringRef name;
  int64_t bytes;
};

constexpr NamedType namedTypes[] = {
    {"u8", 1},   {"i8", 1},  {"u16", 2}, {"i16", 2},   {"f16", 2},
    {"bf16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4},   {"u64", 8},
    {"i64", 8},  {"f64", 8}, {"c64", 8}, {"c128", 16}, {"bool", 1},
};

/// An opaque element is this and its size in bytes.
constexpr StringRef opaquePrefix = "bytes";

} // namespace

/// The type that users of another system mean by `text`, or empty.
static StringRef otherSystemsName(StringRef text) {
  return llvm::StringSwitch<StringRef>(text)
      .Cases({"uint8", "uint8_t", "byte"}, "u8")
      .Cases({"int8", "int8_t", "sa8", "fx8"}, "i8")
      .Cases({"uint16", "uint16_t"}, "u16")
      .Cases({"int16", "int16_t", "fx16"}, "i16")
      .Cases({"float16", "half"}, "f16")
      .Cases({"bfloat16", "bfloat"}, "bf16")
      .Cases({"uint32", "uint32_t"}, "u32")
      .Cases({"int32", "int32_t", "int", "sa32"}, "i32")
      .Cases({"float32", "float", "single"}, "f32")
      .Cases({"uint64", "uint64_t"}, "u64")
      .Cases({"int64", "int64_t"}, "i64")
      .Cases({"float64", "double"}, "f64")
      .Cases({"complex64", "complex<f32>"}, "c64")
      .Cases({"complex128", "complex<f64>"}, "c128")
      .Cases({"logical", "boolean", "i1"}, "bool")
      .Default("");
}

/// The known type that `text` most likely stands for, or empty.
static StringRef suggestType(StringRef text) {
  std::string lower = text.lower();
  if (StringRef other = otherSystemsName(lower); !other.empty())
    return other;
  for (const NamedType &type : namedTypes)
    if (type.name == lower)
      return type.name;
  for (const NamedType &type : namedTypes)
    if (type.name.edit_distance(lower) == 1)
      return type.name;
  return "";
}

static Error unknownType(StringRef text) {
  std::string message = ("unknown element type '" + text + "'").str();
  if (StringRef suggestion = suggestType(text); !suggestion.empty())
    message += (", did you mean '" + suggestion + "'?").str();
  message += " (known:";
  for (const NamedType &type : namedTypes)
    message += (" " + type.name).str();
  message += " and bytesN for opaque elements of N bytes)";
  return {Cause::BadElement, message};
}

static Result<ElementType> parseOpaque(StringRef text) {
  Result<int64_t> bytes =
      parseInteger(text.substr(opaquePrefix.size()),
                   "the size in element type '" + text + "':");
  if (!bytes && bytes.error().cause == Cause::SizeOverflow)
    return bytes.error();
  if (!bytes || *bytes < 1)
    return Error{Cause::BadElement,
                 ("element type '" + text +
                  "' has no size: expected bytesN with N >= 1, as in bytes12")
                     .str()};
  return ElementType{(opaquePrefix + Twine(*bytes)).str(), *bytes};
}

Result<ElementType> permc::parseElementType(std::string_view spelled) {
  StringRef text = spelled;
  for (const NamedType &type : namedTypes)
    if (type.name == text)
      return ElementType{type.name.str(), type.bytes};
  if (text == StringRef(charType))
    return ElementType{std::string(charType), 2};
  if (text.starts_with(opaquePrefix))
    return parseOpaque(text);
  if (llvm::is_contained({"u1", "u2", "u4", "i4", "f4"}, text))
    return Error{Cause::Unsupported,
                 ("element type '" + text +
                  "' is smaller than a byte: permc moves whole bytes")
                     .str()};
  if (text == "string")
    return Error{Cause::Unsupported,
                 "element type 'string' owns memory and cannot be moved as "
                 "bytes: permute i64 indices and move the strings by them"};
  return unknownType(text);
}

/// `dim` counts from 0.
static Result<int64_t> parseSize(StringRef text, size_t dim, StringRef tensor) {
  std::string where = (" in tensor '" + tensor + "'").str();
  if (text.empty())
    return Error{Cause::BadSyntax,
                 ("dim " + Twine(dim) + where +
                  " is empty: expected sizes and a type joined by 'x', as in "
                  "224x224x3xu8")
                     .str()};
  if (text == "?")
    return dynamicDim;
  // Other systems write N, * or -1 for a size that comes with the call.
  constexpr StringRef expected =
      ": a size is 0 or more, or '?' if it comes with the call";
  Result<int64_t> size = parseInteger(text, "dim " + Twine(dim) + where + ":");
  if (!size && size.error().cause == Cause::BadSyntax)
    return Error{Cause::BadSyntax, size.error().message + expected.str()};
  if (size && *size < 0)
    return Error{
        Cause::BadSize,
        ("dim " + Twine(dim) + where + " is " + text + expected).str()};
  return size;
}

static Result<ElementType> parseLastPiece(StringRef text, StringRef tensor) {
  if (text.empty())
    return Error{Cause::BadSyntax, ("tensor '" + tensor +
                                    "' ends without an element type: expected "
                                    "one after the last 'x', as in 2x3xf32")
                                       .str()};
  if (text == "?" || text == "*" || llvm::isDigit(text.front()) ||
      text.front() == '-')
    return Error{Cause::BadElement, ("tensor '" + tensor +
                                     "' has no element type: expected one "
                                     "after the sizes, as in " +
                                     tensor + "xf32")
                                        .str()};
  Result<ElementType> type = parseElementType(text);
  if (type)
    return type;
  return Error{type.error().cause,
               ("tensor '" + tensor + "': " + type.error().message).str()};
}

/// "4x5xf32" for "4, 5, f32" and the like, also where the type is missing.
static std::string joinedByX(StringRef text) {
  std::string joined;
  for (char c : text) {
    const bool joins = StringRef(", *Xx").contains(c);
    if (!joins)
      joined += c;
    else if (!joined.empty() && joined.back() != 'x')
      joined += 'x';
  }
  if (!joined.empty() && joined.back() == 'x')
    joined.pop_back();
  const StringRef last = StringRef(joined).substr(joined.rfind('x') + 1);
  const bool hasType = !last.empty() && last != "?" && !llvm::isDigit(last[0]);
  return hasType ? joined : joined + "xf32";
}

/// Whether the pieces are joined by anything but 'x'. A '*' alone is a piece:
/// someone's dynamic size.
static bool isJoinedOtherwise(StringRef text) {
  return llvm::any_of(llvm::split(text, 'x'), [](StringRef piece) {
    return piece != "*" && piece.find_first_of(", *X") != StringRef::npos;
  });
}

/// Where the type begins: behind the last 'x', but for names that have one.
static size_t typeStart(StringRef text) {
  constexpr size_t longest = StringRef("complex<f64>").size();
  // Behind each 'x' from the last on; none at all is npos, and npos + 1 is 0.
  const size_t last = text.rfind('x') + 1;
  for (size_t start = last; text.size() - start <= longest;
       start = text.rfind('x', start - 1) + 1) {
    if (!otherSystemsName(text.substr(start).lower()).empty())
      return start;
    if (start == 0)
      break;
  }
  return last;
}

Result<TensorSpec> permc::parseTensor(std::string_view spelled) {
  StringRef text = spelled;
  if (text.empty())
    return Error{Cause::BadSyntax,
                 "the tensor is empty: expected sizes and a type, as in "
                 "224x224x3xu8, or a type alone for a scalar"};
  if (isJoinedOtherwise(text))
    return Error{Cause::BadSyntax,
                 ("the sizes and the type of tensor '" + text +
                  "' are not joined by 'x'; expected " + joinedByX(text))
                     .str()};
  const size_t start = typeStart(text);
  const StringRef lastPiece = text.substr(start);
  llvm::SmallVector<StringRef> pieces;
  if (start > 0)
    text.take_front(start - 1).split(pieces, 'x');
  if (pieces.size() > size_t(maxRank))
    return Error{Cause::BadRank, ("a tensor of rank " + Twine(pieces.size()) +
                                  " was given: ranks up to " + Twine(maxRank) +
                                  " are supported")
                                     .str()};
  Dims shape;
  for (auto [dim, piece] : llvm::enumerate(pieces)) {
    Result<int64_t> size = parseSize(piece, dim, text);
    if (!size)
      return size.error();
    shape.push_back(*size);
  }
  Result<ElementType> element = parseLastPiece(lastPiece, text);
  if (!element)
    return element.error();
  return TensorSpec{std::move(shape), std::move(*element)};
}

std::string permc::spellTensor(const TensorSpec &tensor) {
  if (tensor.shape.empty())
    return tensor.element.name;
  return spellShape(tensor.shape) + "x" + tensor.element.name;
}

bool TensorSpec::isDynamic() const {
  return llvm::is_contained(shape, dynamicDim);
}

/// The sizes of the dynamic dims of `tensor` in one of its shapes.
static Result<Dims> parseSpecialization(StringRef text,
                                        const TensorSpec &tensor) {
  StringRef shape = text;
  // Sizes end in digits, types do not begin with one.
  StringRef last = text.rsplit('x').second;
  const bool typed = !last.empty() && llvm::isAlpha(last.front());
  Result<TensorSpec> given = parseTensor(
      typed ? text.str() : (shape + "x" + tensor.element.name).str());
  if (!given)
    return given.error();
  auto differs = [&] {
    return Error{Cause::BadSize, ("the specialised shape '" + text +
                                  "' is none of " + spellTensor(tensor) +
                                  "; expected sizes in place of its '?' and "
                                  "the rest as it is")
                                     .str()};
  };
  if (given->shape.size() != tensor.shape.size() ||
      given->element.name != tensor.element.name || given->isDynamic())
    return differs();
  Dims sizes;
  for (auto [wanted, size] : llvm::zip_equal(tensor.shape, given->shape)) {
    if (wanted == dynamicDim)
      sizes.push_back(size);
    else if (wanted != size)
      return differs();
  }
  return sizes;
}

Result<std::vector<Dims>>
permc::parseSpecializations(std::string_view text, const TensorSpec &tensor) {
  if (!tensor.isDynamic())
    return Error{Cause::BadSyntax,
                 "specialised shapes '" + std::string(text) + "' for " +
                     spellTensor(tensor) +
                     ", which has no '?'; expected a tensor that has"};
  llvm::SmallVector<StringRef> shapes;
  StringRef(text).split(shapes, ',');
  std::vector<Dims> specialized;
  for (StringRef shape : shapes) {
    Result<Dims> sizes = parseSpecialization(shape.trim(), tensor);
    if (!sizes)
      return sizes.error();
    if (llvm::is_contained(specialized, *sizes))
      return Error{
          Cause::BadSyntax,
          ("the specialised shape '" + shape + "' is given twice").str()};
    specialized.push_back(std::move(*sizes));
  }
  return specialized;
}
