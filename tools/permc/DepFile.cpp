//===- DepFile.cpp - what a build has to watch ----------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DepFile.h"

using namespace permc;

/// As compilers write it: Make takes blanks and # after a backslash, and $
/// twice.
static std::string escape(const std::string &path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '\t' || c == '#')
      text += '\\';
    text += c;
    if (c == '$')
      text += '$';
  }
  return text;
}

std::string permc::spellDepFile(const std::vector<std::string> &outputs,
                                const std::vector<std::string> &inputs) {
  std::string text, alone;
  for (const std::string &output : outputs)
    text += (text.empty() ? "" : " ") + escape(output);
  text += ":";
  for (const std::string &input : inputs) {
    text += " \\\n  " + escape(input);
    alone += "\n" + escape(input) + ":\n";
  }
  return text + "\n" + alone;
}
