//===- PermuteOptions.cpp - the permutation, as options -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PermuteOptions.h"

#include "ScheduleOrigin.h"

#include "permc/Frontend/KernelName.h"
#include "permc/Models/ReadModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;
namespace cl = llvm::cl;

PermuteOptions::PermuteOptions(cl::SubCommand &sub)
    : category("Permutation options"),
      tensor(cl::Positional, cl::desc("TENSOR --perm ORDER"), cl::sub(sub)),
      perm("perm", cl::sub(sub), cl::cat(category), cl::value_desc("ORDER"),
           cl::desc("Output dim i is input dim ORDER[i]: 2,0,1\n"
                    "or letters, \"hwc->chw\"; empty: reversed (numpy)")),
      convention("convention", cl::sub(sub), cl::cat(category),
                 cl::value_desc("NAME"), cl::init("numpy"),
                 cl::desc("Whose rules TENSOR and ORDER follow: numpy\n"
                          "(default), matlab, openvino or mli")),
      inverse("inverse", cl::sub(sub), cl::cat(category),
              cl::desc("Undo the permutation instead")),
      inStrides("in-strides", cl::sub(sub), cl::cat(category),
                cl::value_desc("S,S,..."),
                cl::desc("Steps of the input's dims, in elements")),
      outStrides("out-strides", cl::sub(sub), cl::cat(category),
                 cl::value_desc("S,S,..."),
                 cl::desc("Steps of the output's dims, in elements")),
      schedule("schedule", cl::sub(sub), cl::cat(category),
               cl::value_desc("FILE"),
               cl::desc("Carry out the schedule in FILE instead of the\n"
                        "chosen one; 'permc explain' prints it")),
      machineOption(sub, category) {}

std::optional<std::string> PermuteOptions::firstGiven() const {
  for (const cl::Option *option : {static_cast<const cl::Option *>(&perm),
                                   static_cast<const cl::Option *>(&convention),
                                   static_cast<const cl::Option *>(&inverse),
                                   static_cast<const cl::Option *>(&inStrides),
                                   static_cast<const cl::Option *>(&outStrides),
                                   static_cast<const cl::Option *>(&schedule)})
    if (option->getNumOccurrences() != 0)
      return "--" + option->ArgStr.str();
  return std::nullopt;
}

std::optional<std::string> PermuteOptions::findFileInPlaceOfTensor() const {
  const std::string &text = tensor;
  if (isModelPath(text))
    return "'" + text +
           "' is a model, and this is for one TENSOR; 'permc explain " + text +
           "' lists what it permutes, and how long that takes";
  if (!llvm::sys::path::has_extension(text))
    return std::nullopt;
  return "'" + text + "' is no TENSOR such as 224x224x3xu8, and no model: " +
         spellModelFormats();
}

Result<PermuteSpec> PermuteOptions::spec() const {
  auto parsedTensor = parseTensor(tensor.getValue());
  if (!parsedTensor)
    return parsedTensor.error();
  return specFor(*parsedTensor);
}

Result<PermuteSpec> PermuteOptions::specFor(const TensorSpec &given) const {
  PermuteSpec spec;
  spec.tensor = given;
  spec.order = perm;
  auto parsedConvention = parseConvention(convention.getValue());
  if (!parsedConvention)
    return parsedConvention.error();
  spec.convention = *parsedConvention;
  spec.inverse = inverse;
  const std::pair<const cl::opt<std::string> *, std::optional<Dims> *>
      strides[] = {{&inStrides, &spec.inStrides},
                   {&outStrides, &spec.outStrides}};
  for (auto [option, dims] : strides) {
    if (option->getNumOccurrences() == 0)
      continue;
    auto parsed = parseStrides(option->getValue(), "--" + option->ArgStr.str());
    if (!parsed)
      return parsed.error();
    *dims = *parsed;
  }
  return spec;
}

Result<std::string> permc::readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Error{Cause::BadFile,
                 "cannot read '" + path + "': " + buffer.getError().message()};
  return (*buffer)->getBuffer().str();
}

Result<PreparedPermute> permc::prepareSpec(const PermuteSpec &spec,
                                           const Target &target,
                                           bool allowDynamic) {
  const std::string &element = spec.tensor.element.name;
  if (allowDynamic && spec.isDynamic()) {
    auto resolved = resolveDynamic(spec);
    if (!resolved)
      return resolved.error();
    return PreparedPermute{spec, resolved->outShape,
                           makeRequest(deriveName(resolved->problem, element),
                                       resolved->problem, element, target)};
  }
  auto resolved = resolve(spec);
  if (!resolved)
    return resolved.error();
  return PreparedPermute{spec, resolved->outShape,
                         Request{deriveName(resolved->problem, element),
                                 resolved->problem, element, target, ""}};
}

/// With a warning if they are those of something else: they may fit all the
/// same.
Status permc::addScheduleFile(const std::string &path, Request &request) {
  auto texts = readScheduleFile(path);
  if (!texts)
    return texts.error();
  request.schedule = texts->schedule;
  request.unaligned = texts->unaligned;
  if (request.dynamic)
    return Done{};
  if (auto other = findOtherOrigin(texts->file, request))
    llvm::errs() << "permc: warning: the schedule of " << request.name << " "
                 << *other << "\n";
  return Done{};
}

static Result<PreparedPermute> prepare(const PermuteOptions &options,
                                       const std::string &targetName,
                                       const std::optional<std::string> &name,
                                       bool allowDynamic) {
  auto spec = options.spec();
  if (!spec)
    return spec.error();
  auto target = options.machine().findTarget(targetName);
  if (!target)
    return target.error();
  auto prepared = prepareSpec(*spec, *target, allowDynamic);
  if (!prepared)
    return prepared;
  if (options.hasSchedule())
    if (Status ok = addScheduleFile(options.scheduleFile(), prepared->request);
        !ok)
      return ok.error();
  if (name) {
    if (Status ok = checkKernelName(*name); !ok)
      return ok.error();
    prepared->request.name = *name;
  }
  return prepared;
}

Result<PreparedPermute> permc::prepare(const PermuteOptions &options,
                                       const std::string &targetName,
                                       const std::optional<std::string> &name) {
  return ::prepare(options, targetName, name, /*allowDynamic=*/false);
}

Result<PreparedPermute>
permc::prepareAny(const PermuteOptions &options, const std::string &targetName,
                  const std::optional<std::string> &name) {
  return ::prepare(options, targetName, name, /*allowDynamic=*/true);
}
