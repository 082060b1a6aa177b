//===- NpyDict.cpp - the dict in a .npy header ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads just the Python that numpy writes in a header: strings, True and False,
// tuples of integers, and for structured elements lists of fields. A field's
// type may be a list again; elements of such types move as opaque bytes, so
// their size is all that is wanted.
//
//===----------------------------------------------------------------------===//

#include "NpyDict.h"

#include "Integer.h"

#include <optional>

using namespace permc;
using llvm::StringRef;
using llvm::Twine;

/// numpy nests no deeper in practice; the bound keeps the recursion finite.
static constexpr unsigned maxFieldDepth = 32;

static std::optional<int64_t> multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

/// The bytes of an element of a simple type: "<f4", "|S10", ">M8[ns]".
static Result<int64_t> simpleTypeBytes(StringRef descr) {
  StringRef rest = descr;
  if (!rest.empty() && StringRef("<>|=").contains(rest.front()))
    rest = rest.drop_front();
  const char kind = rest.empty() ? '\0' : rest.front();
  if (kind == 'O')
    return Error{Cause::Unsupported,
                 ("its elements are Python objects (descr '" + descr +
                  "'), which cannot be moved as bytes")
                     .str()};
  const Error unknown{
      Cause::BadElement,
      ("its descr '" + descr +
       "' is no type permc knows; expected one like <f4, |u1, |S8")
          .str()};
  if (kind == '\0' || !StringRef("?biufcmMSaUV").contains(kind))
    return unknown;
  rest = rest.drop_front();
  if (kind == '?' && rest.empty())
    return 1;
  if (kind == 'm' || kind == 'M')
    rest = rest.take_until([](char c) { return c == '['; });
  Result<int64_t> size = parseInteger(rest, "its descr '" + descr + "': size");
  if (!size)
    return size.error().cause == Cause::BadSyntax ? unknown : size.error();
  if (*size < 0)
    return unknown;
  // numpy counts characters here, four bytes each.
  if (std::optional<int64_t> bytes = multiply(*size, kind == 'U' ? 4 : 1))
    return *bytes;
  return Error{Cause::SizeOverflow,
               ("its descr '" + descr + "': size does not fit 64 bits").str()};
}

namespace {

/// A recursive-descent reader. Functions return false once something is wrong;
/// the first thing wrong is the error.
class DictReader {
public:
  explicit DictReader(StringRef text) : text(text), rest(text) {}

  Result<NpyDict> read() {
    if (readEntries() && checkComplete())
      return dict;
    return *error;
  }

private:
  bool fail(Cause cause, const Twine &message) {
    if (!error)
      error = Error{cause, message.str()};
    return false;
  }

  bool failSyntax(const Twine &expected) {
    return fail(Cause::BadFile, "its header is malformed at offset " +
                                    Twine(text.size() - rest.size()) +
                                    "; expected " + expected);
  }

  void skipBlanks() { rest = rest.ltrim(" \t\r\n"); }

  bool consumeIf(char c) {
    skipBlanks();
    return rest.consume_front(StringRef(&c, 1));
  }

  bool consume(char c) {
    return consumeIf(c) || failSyntax("'" + Twine(c) + "'");
  }

  bool peek(char c) {
    skipBlanks();
    return rest.starts_with(StringRef(&c, 1));
  }

  /// A quoted string; escapes stay as they are written.
  bool readString(StringRef &contents) {
    skipBlanks();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return failSyntax("a string");
    const char quote = rest.front();
    for (size_t at = 1; at < rest.size(); ++at) {
      if (rest[at] == '\\')
        ++at;
      else if (rest[at] == quote) {
        contents = rest.slice(1, at);
        rest = rest.drop_front(at + 1);
        return true;
      }
    }
    return failSyntax("a string that ends");
  }

  bool readEntries() {
    if (!consume('{'))
      return false;
    while (!consumeIf('}')) {
      if (!readEntry() || (!consumeIf(',') && !peek('}') && !consume(',')))
        return false;
    }
    skipBlanks();
    return rest.empty() || failSyntax("nothing after the dict");
  }

  bool readEntry() {
    StringRef key;
    if (!readString(key) || !consume(':'))
      return false;
    bool *seen = key == "descr"           ? &seenDescr
                 : key == "fortran_order" ? &seenOrder
                 : key == "shape"         ? &seenShape
                                          : nullptr;
    if (!seen)
      return fail(Cause::BadFile,
                  "its header has the key '" + key +
                      "'; expected descr, fortran_order and shape");
    if (*seen)
      return fail(Cause::BadFile, "its header has the key '" + key + "' twice");
    *seen = true;
    if (seen == &seenDescr)
      return readTopDescr();
    return seen == &seenOrder ? readBool(dict.fortranOrder)
                              : readShape(dict.shape);
  }

  bool checkComplete() {
    for (auto [seen, key] :
         {std::pair{seenDescr, "descr"}, std::pair{seenOrder, "fortran_order"},
          std::pair{seenShape, "shape"}})
      if (!seen)
        return fail(Cause::BadFile,
                    "its header has no key '" + Twine(key) + "'");
    return true;
  }

  bool readBool(bool &value) {
    skipBlanks();
    value = rest.consume_front("True");
    return value || rest.consume_front("False") || failSyntax("True or False");
  }

  /// A tuple of sizes. Python wants a comma in "(3,)"; Python 2 wrote "3L".
  bool readShape(Dims &shape) {
    if (!consume('('))
      return false;
    bool hasComma = false;
    while (!consumeIf(')')) {
      if (!shape.empty() && !hasComma)
        return failSyntax("',' or ')'");
      skipBlanks();
      StringRef digits =
          rest.take_while([](char c) { return llvm::isDigit(c) || c == '-'; });
      Result<int64_t> size = parseInteger(digits, "its header: size");
      if (!size)
        return digits.empty() ? failSyntax("a size")
                              : fail(size.error().cause, size.error().message);
      if (*size < 0)
        return fail(Cause::BadSize, "its shape has the size " + digits +
                                        "; expected 0 or more");
      rest = rest.drop_front(digits.size());
      rest.consume_front("L");
      shape.push_back(*size);
      hasComma = consumeIf(',');
    }
    if (shape.size() == 1 && !hasComma)
      return failSyntax("a tuple, written (" + Twine(shape[0]) + ",)");
    return true;
  }

  bool readTopDescr() {
    skipBlanks();
    StringRef before = rest;
    if (!readDescr(dict.elementBytes, /*depth=*/0))
      return false;
    dict.descr = before.drop_back(rest.size()).str();
    if (before.front() != '[')
      dict.descr = dict.descr.substr(1, dict.descr.size() - 2);
    return dict.elementBytes > 0 ||
           fail(Cause::BadElement,
                "its elements have 0 bytes (descr " + dict.descr + ")");
  }

  bool readDescr(int64_t &bytes, unsigned depth) {
    if (peek('['))
      return readFields(bytes, depth);
    StringRef descr;
    if (!peek('\'') && !peek('"'))
      return failSyntax("a descr: a string, or a list of fields");
    if (!readString(descr))
      return false;
    Result<int64_t> size = simpleTypeBytes(descr);
    if (!size)
      return fail(size.error().cause, size.error().message);
    bytes = *size;
    return bytes >= 0 || fail(Cause::BadElement,
                              "its descr '" + descr + "' has a negative size");
  }

  bool readFields(int64_t &bytes, unsigned depth) {
    if (depth == maxFieldDepth)
      return fail(Cause::Unsupported, "its descr is nested more than " +
                                          Twine(maxFieldDepth) + " deep");
    bytes = 0;
    consumeIf('[');
    while (!consumeIf(']')) {
      int64_t fieldBytes;
      if (!readField(fieldBytes, depth) ||
          (!consumeIf(',') && !peek(']') && !consume(',')))
        return false;
      if (__builtin_add_overflow(bytes, fieldBytes, &bytes))
        return failFieldSize();
    }
    return true;
  }

  bool failFieldSize() {
    return fail(Cause::SizeOverflow,
                "the size of its elements does not fit 64 bits");
  }

  /// (name, descr) or (name, descr, shape); a name may be (title, name).
  bool readField(int64_t &bytes, unsigned depth) {
    StringRef ignored;
    if (!consume('('))
      return false;
    if (consumeIf('(')) {
      if (!readString(ignored) || !consume(',') || !readString(ignored) ||
          !consume(')'))
        return false;
    } else if (!readString(ignored)) {
      return false;
    }
    if (!consume(',') || !readDescr(bytes, depth + 1))
      return false;
    if (consumeIf(',') && peek('(')) {
      Dims shape;
      if (!readShape(shape))
        return false;
      for (int64_t size : shape) {
        std::optional<int64_t> product = multiply(bytes, size);
        if (!product)
          return failFieldSize();
        bytes = *product;
      }
    }
    return consume(')');
  }

  const StringRef text;
  StringRef rest;
  NpyDict dict;
  bool seenDescr = false, seenOrder = false, seenShape = false;
  std::optional<Error> error;
};

} // namespace

Result<NpyDict> permc::parseNpyDict(StringRef text) {
  return DictReader(text).read();
}
