//===- Seal.cpp - what an object says of its own making -------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Seal.h"

#include "Elf.h"

#include "permc/Compiler/ObjectInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace permc;
using llvm::StringRef;

namespace {

constexpr StringRef sectionName = ".permc.seal";
constexpr StringRef madeBy = "permc " PERMC_VERSION " sha256 ";
constexpr size_t hashDigits = 64;

/// Where the seal is in an object's bytes.
struct SealPlace {
  size_t offset, bytes;
};

Result<SealPlace> findSeal(StringRef object) {
  return visitElf<SealPlace>(
      object, [&](const auto &file) -> Result<SealPlace> {
        auto sections = file.sections();
        if (!sections)
          return notAnObject(sections.takeError());
        for (const auto &section : *sections) {
          auto name = file.getSectionName(section);
          auto contents = file.getSectionContents(section);
          if (!name || !contents)
            return notAnObject(
                llvm::joinErrors(name.takeError(), contents.takeError()));
          if (*name != sectionName || contents->size() <= hashDigits)
            continue;
          const auto *begin = reinterpret_cast<const char *>(contents->data());
          return SealPlace{size_t(begin - object.data()), contents->size()};
        }
        return Error{Cause::VerifyFailed,
                     "it has no seal; expected an object as permc wrote it"};
      });
}

/// The hash of an object but for the digits at `at`.
std::string hashWithout(std::string object, size_t at) {
  object.replace(at, hashDigits, hashDigits, '0');
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(object)),
                     /*LowerCase=*/true);
}

} // namespace

void permc::addSeal(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  const std::string text = madeBy.str() + std::string(hashDigits, '0');
  llvm::Constant *value =
      llvm::ConstantDataArray::getString(context, text, /*AddNull=*/false);
  auto *seal = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, value, "permc.seal");
  seal->setSection(sectionName);
  seal->setAlignment(llvm::Align(1));
  seal->setMetadata(llvm::LLVMContext::MD_exclude,
                    llvm::MDNode::get(context, {}));
  llvm::appendToCompilerUsed(module, {seal});
}

Status permc::sealObject(std::string &object) {
  auto place = findSeal(object);
  if (!place)
    return Error{Cause::Internal, place.error().message};
  const size_t at = place->offset + place->bytes - hashDigits;
  object.replace(at, hashDigits, hashWithout(object, at));
  return Done{};
}

Result<std::string> permc::checkSeal(const std::string &object) {
  auto place = findSeal(object);
  if (!place)
    return place.error();
  const size_t at = place->offset + place->bytes - hashDigits;
  if (object.substr(at, hashDigits) != hashWithout(object, at))
    return Error{Cause::VerifyFailed,
                 "it is not as permc wrote it: its bytes do not have the hash "
                 "that its seal says"};
  // "permc VERSION sha256 ": the version alone.
  const StringRef text = StringRef(object).slice(place->offset, at);
  return text.split(' ').second.split(' ').first.str();
}
