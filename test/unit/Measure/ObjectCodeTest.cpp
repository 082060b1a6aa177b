//===- ObjectCodeTest.cpp - what of an object is executed -----------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"

#include "permc/Compiler/Compiler.h"

#include "llvm/Object/ELFObjectFile.h"

#include "gtest/gtest.h"

using namespace permc;

namespace {

/// A kernel that loads constants.
std::string makeObject() {
  Request request{"k", *Problem::make(1, {64, 64, 3}, {2, 0, 1}), "u8",
                  *findTarget("x86-64-v3"), ""};
  return Compiler().compile({request}, Emit::Object)->bytes;
}

/// Where a section's contents are in an object.
size_t placeOf(const std::string &object, llvm::StringRef name) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(object);
  EXPECT_TRUE(bool(file));
  for (const auto &section : *file->sections())
    if (file->getSectionName(section)->starts_with(name))
      return section.sh_offset;
  ADD_FAILURE() << "no section " << name.str();
  return 0;
}

/// The object with one bit of a byte changed.
std::string changed(std::string object, size_t at) {
  object[at] ^= 1;
  return object;
}

TEST(ObjectCode, IsTheSameForTheSameKernel) {
  EXPECT_EQ(*codeOf(makeObject()), *codeOf(makeObject()));
}

TEST(ObjectCode, HasWhatIsNoCodeLeftOut) {
  const std::string object = makeObject();
  EXPECT_EQ(*codeOf(object),
            *codeOf(changed(object, placeOf(object, ".permc.seal"))));
}

TEST(ObjectCode, HasInstructionsAndConstants) {
  const std::string object = makeObject();
  for (const char *section : {".text", ".rodata"})
    EXPECT_NE(*codeOf(object),
              *codeOf(changed(object, placeOf(object, section))))
        << section;
}

/// The same instructions load other constants.
TEST(ObjectCode, HasRelocations) {
  const std::string object = makeObject();
  constexpr size_t addend = 16; // behind the offset and the kind
  const std::string other =
      changed(object, placeOf(object, ".rela.text") + addend);
  EXPECT_NE(*codeOf(object), *codeOf(other));
}

TEST(ObjectCode, SaysWhatIsNoObject) {
  auto code = codeOf("no object");
  ASSERT_FALSE(code);
  EXPECT_NE(code.error().message.find("not an object: "), std::string::npos);
}

} // namespace
