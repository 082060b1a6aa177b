//===- main.cpp - the permc tool ------------------------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the command line and hands over to one of the commands. LLVM registers
// hundreds of options of its own with the same parser; they are kept out of
// sight, and out of the commands.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "permc/Models/ReadModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace permc;
namespace cl = llvm::cl;

static constexpr llvm::StringRef overview =
    "permc compiles tensor permutations";

static constexpr llvm::StringRef topExamples = R"(
Examples:
  permc compile 224x224x3xu8 --perm 2,0,1 -o hwc_to_chw.o --header hwc_to_chw.h
  permc explain 224x224x3xu8 --perm "hwc->chw"
  permc run 224x224x3xu8 --perm 2,0,1 image.npy planes.npy
  permc compile model.onnx -o libkernels.a --header kernels.h --report r.html
)";

int Command::fail(const Error &error) const {
  // Editors jump to a place at the start of a line.
  llvm::errs() << (error.located ? "" : "permc: error: ") << error.message
               << "\n";
  return ExitFailure;
}

int Command::failUsage(const llvm::Twine &message) const {
  llvm::errs() << "permc: error: " << message << "\n"
               << "Try 'permc " << sub.getName() << " --help'\n";
  return ExitBadUsage;
}

static void printVersion(llvm::raw_ostream &os) {
  os << "permc " PERMC_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
}

/// Leaves in a command's help what is the command's own; at the top level that
/// is nothing but the commands.
static void hideForeignOptions(cl::SubCommand &sub) {
  const bool isTop = &sub == &cl::SubCommand::getTopLevel();
  for (auto &[name, option] : cl::getRegisteredOptions(sub)) {
    const bool isGeneral =
        llvm::is_contained(option->Categories, &cl::getGeneralCategory());
    if (name == "help")
      option->setDescription("Show this text");
    else if (name == "version")
      option->setDescription("Show the version");
    else if (name == "help-list") // the parser never hides this one
      option->setDescription("Show this text without groups");
    else if (isTop || isGeneral || name.starts_with("help-"))
      option->setHiddenFlag(cl::ReallyHidden);
  }
}

/// `command` is the one whose help is of use, or empty. LLVM's messages begin
/// with the tool's name.
static int reportBadUsage(llvm::StringRef message, llvm::StringRef command) {
  message.consume_front("permc: ");
  llvm::errs() << "permc: error: " << message.rtrim() << "\n"
               << "Try 'permc " << command << (command.empty() ? "" : " ")
               << "--help'\n";
  return ExitBadUsage;
}

/// The parser knows options of the top level that are LLVM's, not ours.
static std::optional<std::string> findForeignOption() {
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (option->getNumOccurrences() != 0)
      return name.str();
  return std::nullopt;
}

/// The arguments, with 'help COMMAND' and -MD in the parser's own words and by
/// the tool's name however it was called.
static std::vector<const char *> readArguments(int argc, char **argv) {
  std::vector<const char *> arguments(argv, argv + argc);
  arguments[0] = "permc";
  for (const char *&argument : arguments)
    if (llvm::StringRef(argument) == "-MD") // as compilers spell it
      argument = "--MD";
  if (argc > 1 && llvm::StringRef(argv[1]) == "help") {
    arguments.erase(arguments.begin() + 1);
    arguments.push_back("--help");
  }
  return arguments;
}

/// `text` in lines that fit a terminal.
static std::string breakLines(llvm::StringRef text) {
  constexpr size_t width = 80;
  std::string lines;
  size_t column = 0;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    const bool isFirst = lines.empty(),
               fits = column + 1 + word.size() <= width;
    lines += isFirst ? "" : fits ? " " : "\n";
    column = (isFirst ? 0 : fits ? column + 1 : 0) + word.size();
    lines += word;
  }
  return lines;
}

/// The exit code, once all that was printed has arrived somewhere.
static int finishOutput(int code) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  llvm::errs() << "permc: error: cannot write the standard output: "
               << llvm::outs().error().message() << "\n";
  llvm::outs().clear_error(); // or its destructor aborts
  return ExitFailure;
}

int main(int argc, char **argv) {
  llvm::setBugReportMsg(
      "permc crashed, which is a defect: please report the command line.\n");
  llvm::InitLLVM init(argc, argv);
  Commands commands;
  commands.push_back(makeCompileCommand());
  commands.push_back(makeRunCommand());
  commands.push_back(makeExplainCommand());
  commands.push_back(makeBenchCommand());
  commands.push_back(makeVerifyCommand());
  commands.push_back(makeCalibrateCommand());
  commands.push_back(makeTargetsCommand());

  // The parser has one text for below all helps: choose it beforehand.
  const std::vector<const char *> arguments = readArguments(argc, argv);
  std::string examples = topExamples.str() + "\n" +
                         breakLines("A model is " + spellModelFormats() + ".") +
                         "\n";
  llvm::StringRef named;
  hideForeignOptions(cl::SubCommand::getTopLevel());
  for (const auto &command : commands) {
    hideForeignOptions(command->subCommand());
    if (arguments.size() > 1 &&
        command->subCommand().getName() == arguments[1]) {
      examples = command->examples().str();
      named = arguments[1];
    }
  }
  cl::extrahelp below(examples);
  cl::SetVersionPrinter(printVersion);

  if (auto mistake =
          findMistake(commands, llvm::ArrayRef(arguments).drop_front()))
    return reportBadUsage(*mistake, named);
  std::string message;
  llvm::raw_string_ostream messageStream(message);
  if (!cl::ParseCommandLineOptions(int(arguments.size()), arguments.data(),
                                   overview, &messageStream, /*VFS=*/nullptr,
                                   /*EnvVar=*/nullptr,
                                   /*LongOptionsUseDoubleDash=*/true))
    return reportBadUsage(message, named);

  if (auto option = findForeignOption())
    return reportBadUsage("permc has no option --" + *option, named);

  for (const auto &command : commands)
    if (command->isChosen())
      return finishOutput(command->run());
  return reportBadUsage("no command is given; expected one, such as 'permc "
                        "compile'",
                        named);
}
