//===- CNames.cpp - C functions with the names that a reader wants --------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR prints an EmitC function with numbered values and declares a variable
// apart from its first value. The conversion left lines "/* name v3 src */";
// they are taken out and applied here, and a declaration is joined with the
// assignment behind it.
//
//===----------------------------------------------------------------------===//

#include "CSource.h"

#include "mlir/IR/Operation.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
using llvm::StringRef;

namespace {

bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

class Renamer {
public:
  /// Takes a line "/* name v3 src */"; false if it is none.
  bool takeName(StringRef line) {
    StringRef rest = line.trim();
    if (!rest.consume_front("/* name ") || !rest.consume_back(" */"))
      return false;
    auto [value, wanted] = rest.split(' ');
    std::string name = wanted.str();
    for (unsigned i = 2; !used.insert(name).second; ++i)
      name = (wanted + "_" + llvm::Twine(i)).str();
    names[value] = name;
    return true;
  }

  std::string apply(StringRef line) const {
    std::string out;
    while (!line.empty()) {
      StringRef word = line.take_while(isWord);
      if (word.empty()) {
        out += line.front();
        line = line.drop_front();
        continue;
      }
      auto known = names.find(word);
      out += known == names.end() ? word.str() : known->second;
      line = line.drop_front(word.size());
    }
    return out;
  }

private:
  llvm::StringMap<std::string> names;
  llvm::StringSet<> used;
};

/// The variable that a line declares without a value, or nothing.
StringRef declaredBy(StringRef line) {
  if (!line.consume_back(";") || line.contains('(') || line.contains('='))
    return {};
  StringRef name =
      line.take_back(line.size() -
                     line.find_last_not_of("abcdefghijklmnopqrstuvwxyz"
                                           "0123456789_") -
                     1);
  return line.trim() == name ? StringRef() : name;
}

/// "T x;" followed by "x = y;" is "T x = y;".
std::string joinDeclarations(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::string out;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    StringRef name = declaredBy(lines[i]);
    StringRef value = lines[i + 1].trim();
    if (!name.empty() && value.consume_front(name) &&
        value.consume_front(" = ")) {
      out += (lines[i].drop_back() + " = " + value + "\n").str();
      ++i;
    } else {
      out += (lines[i] + "\n").str();
    }
  }
  return out;
}

/// C's way to write a pointer, and no return from a function of no value.
std::string tidy(std::string text) {
  for (auto [printed, wanted] : {std::pair("uint8_t* ", "uint8_t *"),
                                 std::pair("uint8_t*)", "uint8_t *)")})
    for (size_t at; (at = text.find(printed)) != std::string::npos;)
      text.replace(at, 9, wanted);
  size_t last = text.rfind("  return;\n");
  if (last != std::string::npos)
    text.erase(last, 10);
  return text;
}

} // namespace

Result<std::string> permc::printFunction(mlir::Operation *function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (mlir::failed(mlir::emitc::translateToCpp(function, stream)))
    return Error{Cause::Internal, "a kernel did not print as C"};
  Renamer renamer;
  std::string kept;
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines)
    if (!renamer.takeName(line))
      kept += (line + "\n").str();
  while (StringRef(kept).ends_with("\n\n"))
    kept.pop_back();
  return tidy(joinDeclarations(renamer.apply(kept)));
}
