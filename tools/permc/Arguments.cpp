//===- Arguments.cpp - mistakes in the words after permc ------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace permc;
using llvm::ArrayRef;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

/// Two words that are a letter or two apart are likely the same.
constexpr unsigned maxDistance = 2;

/// Options of the parser's own, which every command has.
bool isParsersOwn(StringRef name) {
  return name == "h" || name.starts_with("help") || name == "version";
}

std::string dashed(StringRef name) {
  return (name.size() == 1 ? "-" : "--") + name.str();
}

/// "--perm ORDER"
std::string spellUse(const cl::Option &option) {
  return dashed(option.ArgStr) + " " + option.ValueStr.str();
}

bool needsValue(const cl::Option &option) {
  return option.getValueExpectedFlag() == cl::ValueRequired;
}

class ArgumentCheck {
public:
  ArgumentCheck(const Commands &commands, Command &command)
      : commands(commands), command(command),
        options(cl::getRegisteredOptions(command.subCommand())) {}

  std::optional<std::string> run(ArrayRef<const char *> words) {
    bool optionsEnded = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const StringRef word = words[i];
      if (word == "--" && !optionsEnded) {
        optionsEnded = true;
        continue;
      }
      if (optionsEnded || !word.starts_with("-") || word == "-") {
        if (auto mistake = checkPositional(word))
          return mistake;
        continue;
      }
      StringRef name = word.ltrim('-').split('=').first;
      if (isParsersOwn(name))
        continue;
      auto found = options.find(name);
      // A single dash is for names of one letter.
      const StringRef given = word.split('=').first;
      if (found == options.end() || given.size() < dashed(name).size())
        return unknownOption(name, given);
      const cl::Option &option = *found->second;
      const bool hasValue = word.contains('=');
      if (!needsValue(option) && hasValue)
        return given.str() + " takes no value; it was given '" +
               word.split('=').second.str() + "'";
      if (needsValue(option) && !hasValue && ++i == words.size())
        return dashed(name) + " is the last word and has no value; expected " +
               spellUse(option);
      const StringRef value = hasValue ? word.split('=').second : words[i];
      const bool isList = option.getNumOccurrencesFlag() == cl::ZeroOrMore ||
                          option.getNumOccurrencesFlag() == cl::OneOrMore;
      if (auto [first, isNew] = values.try_emplace(name, value);
          !isNew && !isList)
        return dashed(name) + " is given twice, as '" + first->second.str() +
               "' and '" + value.str() + "'; expected it once";
    }
    return std::nullopt;
  }

private:
  std::optional<std::string> checkPositional(StringRef word) {
    const auto &places = command.subCommand().PositionalOpts;
    const bool takesMore =
        !places.empty() &&
        places.back()->getNumOccurrencesFlag() == cl::ZeroOrMore;
    if (positionals++ < places.size() || takesMore)
      return std::nullopt;
    std::string text = "'" + word.str() + "' is one word too many; '" +
                       command.subCommand().getName().str() + "' takes ";
    for (const cl::Option *place : places)
      text += (place == places.front() ? "" : " ") +
              place->HelpStr.split(' ').first.str();
    if (places.empty())
      text += "none";
    const bool isOrder =
        llvm::all_of(word, [](char c) { return llvm::isDigit(c) || c == ','; });
    if (isOrder && !values.contains("perm") && options.contains("perm"))
      text += "; did you mean --perm " + word.str() + "?";
    return text;
  }

  /// `given` has the dashes that were written.
  std::string unknownOption(StringRef name, StringRef given) const {
    std::string text = "'" + command.subCommand().getName().str() +
                       "' has no option " + given.str();
    // Elsewhere -1 is a size that comes with the call.
    if (given.starts_with("-1x"))
      return text + "; did you mean a TENSOR, '?" + given.substr(2).str() +
             "'?";
    unsigned least = maxDistance + 1;
    StringRef nearest;
    for (auto &[known, option] : options)
      if (option->getOptionHiddenFlag() == cl::NotHidden &&
          name.edit_distance(known) < least) {
        least = name.edit_distance(known);
        nearest = known;
      }
    if (!nearest.empty())
      return text + "; did you mean " + dashed(nearest) + "?";
    std::string others;
    for (const auto &other : commands) {
      auto &theirs = cl::getRegisteredOptions(other->subCommand());
      if (auto found = theirs.find(name);
          found != theirs.end() &&
          found->second->getOptionHiddenFlag() == cl::NotHidden)
        others +=
            (others.empty() ? "" : ", ") + other->subCommand().getName().str();
    }
    return others.empty() ? text : text + ", which belongs to " + others;
  }

  const Commands &commands;
  Command &command;
  decltype(cl::getRegisteredOptions()) options;
  llvm::StringMap<StringRef> values; ///< of the options so far
  size_t positionals = 0;
};

std::string unknownCommand(const Commands &commands, StringRef name) {
  std::string known, nearest;
  unsigned least = maxDistance + 1;
  for (const auto &command : commands) {
    const StringRef each = command->subCommand().getName();
    known += (known.empty() ? "" : ", ") + each.str();
    if (unsigned distance = name.edit_distance(each); distance < least) {
      least = distance;
      nearest = ", did you mean '" + each.str() + "'?";
    }
  }
  return "unknown command '" + name.str() + "'" + nearest +
         "; expected one of " + known + ", help";
}

} // namespace

std::optional<std::string>
permc::findMistake(const Commands &commands, ArrayRef<const char *> arguments) {
  if (arguments.empty())
    return "no command is given; expected one, such as 'permc compile'";
  const StringRef name = arguments.front();
  if (name.starts_with("-"))
    return std::nullopt;
  for (const auto &command : commands)
    if (command->subCommand().getName() == name)
      return ArgumentCheck(commands, *command).run(arguments.drop_front());
  return unknownCommand(commands, name);
}
