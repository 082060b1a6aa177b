//===- ConformanceTest.cpp - what four systems do -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the cases of a conformance file: what numpy, MATLAB, OpenVINO, MLI and
// HPTP do with given tensors and orders, each case a test of its own. The file
// explains its fields under "conventions". It is not part of the project: the
// environment variable PERMC_CONFORMANCE names it, or it is looked for beside
// the project's folder. Without it the tests are skipped.
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Convention.h"
#include "permc/Plan/Simplify.h"

#include "FrontendTesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

using namespace permc;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr uint8_t inputPadding = 0xDD, outputPadding = 0xEE;

/// One case, or why there is none.
struct Case {
  std::string id;
  json::Object fields;
  std::string absent;     ///< why there are no cases
  std::string unreadable; ///< what is wrong with the file
};

std::string conformancePath() {
  if (const char *given = std::getenv("PERMC_CONFORMANCE"))
    return given;
  return PERMC_SHARED_DIR "/conformance/cases.json";
}

std::vector<Case> loadCases() {
  const std::string file = conformancePath();
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return {{"absent", {}, file + ": " + buffer.getError().message(), ""}};
  llvm::Expected<json::Value> root = json::parse((*buffer)->getBuffer());
  if (!root)
    return {{"unreadable", {}, "", llvm::toString(root.takeError())}};
  const json::Object *object = root->getAsObject();
  const json::Array *list = object ? object->getArray("cases") : nullptr;
  if (!list || list->empty())
    return {{"unreadable", {}, "", "there is no list of cases"}};
  std::vector<Case> cases;
  for (const json::Value &value : *list) {
    const json::Object &fields = *value.getAsObject();
    cases.push_back({fields.getString("id")->str(), fields, "", ""});
  }
  return cases;
}

std::optional<Dims> readDims(const json::Value *value) {
  if (!value || !value->getAsArray())
    return std::nullopt;
  Dims dims;
  for (const json::Value &entry : *value->getAsArray()) {
    std::optional<int64_t> size = entry.getAsInteger();
    if (!size)
      return std::nullopt;
    dims.push_back(*size);
  }
  return dims;
}

/// The same where a size may be "?" or an interval: a dynamic dim.
std::optional<Dims> readPartialShape(const json::Value *value) {
  if (!value || !value->getAsArray())
    return std::nullopt;
  Dims dims;
  for (const json::Value &entry : *value->getAsArray())
    dims.push_back(entry.getAsInteger().value_or(dynamicDim));
  return dims;
}

std::string spell(const json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

/// The order as the system's user writes it: null is no order, a pair is a
/// complex number, a string is the number it names.
std::string spellOrder(const json::Value &order) {
  std::string text;
  if (const json::Array *entries = order.getAsArray())
    for (const json::Value &entry : *entries) {
      text += text.empty() ? "" : ",";
      if (const json::Array *pair = entry.getAsArray())
        text += spell((*pair)[0]) + "+" + spell((*pair)[1]) + "i";
      else if (std::optional<StringRef> name = entry.getAsString())
        text += name->str();
      else
        text += spell(entry);
    }
  return text;
}

Convention conventionOf(StringRef system) {
  // HPTP's orders are those of OpenVINO: 0-based, never negative.
  return llvm::StringSwitch<Convention>(system)
      .Case("numpy", Convention::Numpy)
      .Case("matlab", Convention::Matlab)
      .Case("mli", Convention::MLI)
      .Default(Convention::OpenVINO);
}

/// What the elements of the case are to permc. Strings move by their indices.
Result<ElementType> elementOf(const json::Object &fields) {
  StringRef dtype = *fields.getString("dtype");
  std::optional<int64_t> bytes = fields.getInteger("elem_size");
  if (dtype == "string")
    return parseElementType("i64");
  if (!bytes)
    return parseElementType(dtype);
  // RunMat's characters are of 32 bits; what is refused of them is MATLAB's.
  const json::Object *expected = fields.getObject("expected");
  if (dtype == "char32" && expected->getString("status") == "error")
    return parseElementType("char");
  return parseElementType("bytes" + std::to_string(*bytes));
}

/// Byte b of element k, by the file's rule "fill_f1".
uint8_t fillByte(int64_t k, int64_t b, int64_t elementBytes) {
  const uint64_t modulus = elementBytes == 1   ? 251
                           : elementBytes == 2 ? 65521
                           : elementBytes == 3 ? 16777213
                                               : uint64_t{1} << 32;
  const uint64_t v = k % modulus;
  return static_cast<uint8_t>(((v >> (8 * (b % 4))) & 255) + 31 * b);
}

/// The output buffer of a filled input, moved by `moves`.
std::vector<uint8_t> moveFilled(const Problem &problem,
                                const std::vector<ElementMove> &moves) {
  const int64_t bytes = problem.elementBytes();
  std::vector<uint8_t> src(problem.srcSpan(), inputPadding);
  std::vector<uint8_t> dst(problem.dstSpan(), outputPadding);
  for (const ElementMove &move : moves)
    for (int64_t b = 0; b < bytes; ++b)
      src[move.srcOffset + b] = fillByte(move.srcIndex, b, bytes);
  for (const ElementMove &move : moves)
    std::memcpy(&dst[move.dstOffset], &src[move.srcOffset], bytes);
  return dst;
}

class FrontendConformance : public testing::TestWithParam<Case> {
protected:
  const json::Object &fields() const { return GetParam().fields; }
  const json::Object &expected() const {
    return *fields().getObject("expected");
  }

  Result<PermuteSpec> makeSpec() const {
    Result<ElementType> element = elementOf(fields());
    if (!element)
      return element.error();
    PermuteSpec spec{{*readPartialShape(fields().get("shape")), *element},
                     spellOrder(*fields().get("order")),
                     conventionOf(*fields().getString("system")),
                     fields().getString("op") == "ipermute",
                     readDims(fields().get("in_strides")),
                     readDims(fields().get("out_strides"))};
    return spec;
  }

  Result<ResolvedPermute> resolveCase() const {
    Result<PermuteSpec> spec = makeSpec();
    if (!spec)
      return spec.error();
    return resolve(*spec);
  }

  Result<ResolvedDynamicPermute> resolveDynamicCase() const {
    Result<PermuteSpec> spec = makeSpec();
    if (!spec)
      return spec.error();
    return resolveDynamic(*spec);
  }

  void checkData() const;
  void checkListedData(const std::vector<ElementMove> &moves) const;
  void checkFilledData(const Problem &problem,
                       const std::vector<ElementMove> &moves) const;
  void checkShapeInference() const;
  void checkClass() const;
  void checkCanonical() const;
  void checkFold(const Problem &problem, const json::Object &steps,
                 int64_t limit) const;
  void checkError() const;
};

/// Checks shape, perm and, where it is given, element size.
void expectProblem(const Problem &problem, const json::Object *expected,
                   StringRef step) {
  ASSERT_TRUE(expected) << step.str();
  EXPECT_EQ(problem.shape(), readDims(expected->get("shape"))) << step.str();
  EXPECT_EQ(problem.perm(), readDims(expected->get("order"))) << step.str();
  if (std::optional<int64_t> bytes = expected->getInteger("elem_size"))
    EXPECT_EQ(problem.elementBytes(), *bytes) << step.str();
}

} // namespace

void FrontendConformance::checkData() const {
  Result<ResolvedPermute> resolved = resolveCase();
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->outShape, readDims(expected().get("shape")));
  if (const json::Object *rowMajor = fields().getObject("row_major_equivalent"))
    expectProblem(resolved->problem, rowMajor, "row-major equivalent");
  std::vector<ElementMove> moves = naiveMoves(resolved->problem);
  if (expected().get("data"))
    checkListedData(moves);
  else
    checkFilledData(resolved->problem, moves);
}

void FrontendConformance::checkListedData(
    const std::vector<ElementMove> &moves) const {
  const json::Array *input = fields().getArray("input");
  const json::Array *output = expected().getArray("data");
  ASSERT_TRUE(input && output);
  ASSERT_EQ(moves.size(), output->size());
  for (size_t out = 0; out < moves.size(); ++out)
    EXPECT_EQ(spell((*input)[moves[out].srcIndex]), spell((*output)[out]))
        << "output element " << out;
}

void FrontendConformance::checkFilledData(
    const Problem &problem, const std::vector<ElementMove> &moves) const {
  std::vector<uint8_t> dst = moveFilled(problem, moves);
  EXPECT_EQ(int64_t(dst.size()),
            *expected().getInteger("buffer_elems") * problem.elementBytes());
  EXPECT_EQ(llvm::toHex(llvm::SHA256::hash(dst), /*LowerCase=*/true),
            expected().getString("sha256"));
  std::optional<Dims> head = readDims(expected().get("gather_head"));
  ASSERT_TRUE(head);
  ASSERT_LE(head->size(), moves.size());
  for (size_t out = 0; out < head->size(); ++out)
    EXPECT_EQ(moves[out].srcIndex, (*head)[out]) << "output element " << out;
}

void FrontendConformance::checkShapeInference() const {
  if (!readPartialShape(fields().get("shape")) || !fields().getArray("order"))
    GTEST_SKIP() << "the rank or the order is known only at run time";
  const auto partialShape = readPartialShape(expected().get("partial_shape"));
  if (!readDims(fields().get("shape"))) {
    Result<ResolvedDynamicPermute> resolved = resolveDynamicCase();
    ASSERT_TRUE(resolved) << resolved.error().message;
    EXPECT_EQ(resolved->outShape, partialShape);
    return;
  }
  Result<ResolvedPermute> resolved = resolveCase();
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(resolved->outShape, partialShape);
}

void FrontendConformance::checkClass() const {
  const StringRef wanted = *expected().getString("class");
  if (!readDims(fields().get("shape"))) {
    Result<ResolvedDynamicPermute> resolved = resolveDynamicCase();
    ASSERT_TRUE(resolved) << resolved.error().message;
    EXPECT_EQ(StringRef(moveClassName(classify(resolved->problem))), wanted);
    return;
  }
  Result<ResolvedPermute> resolved = resolveCase();
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_EQ(StringRef(moveClassName(classify(resolved->problem))), wanted);
}

void FrontendConformance::checkCanonical() const {
  Result<ResolvedPermute> resolved = resolveCase();
  ASSERT_TRUE(resolved) << resolved.error().message;
  ASSERT_TRUE(expected().getObject("fold8"));
  checkFold(resolved->problem, *expected().getObject("fold8"), 8);
  if (const json::Object *steps = expected().getObject("fold16"))
    checkFold(resolved->problem, *steps, 16);
}

void FrontendConformance::checkFold(const Problem &problem,
                                    const json::Object &steps,
                                    int64_t limit) const {
  const StringRef moveClass = *steps.getString("move_class");
  const Problem canonical = canonicalize(problem, limit);
  // What an empty problem looks like is permc's own affair.
  ASSERT_EQ(canonical.isEmpty(), moveClass == "empty");
  if (canonical.isEmpty())
    return;
  const Problem squeezed = squeeze(problem);
  if (steps.getObject("squeezed"))
    expectProblem(squeezed, steps.getObject("squeezed"), "squeezed");
  const Problem merged = merge(squeezed);
  if (steps.getObject("merged"))
    expectProblem(merged, steps.getObject("merged"), "merged");
  expectProblem(canonical, steps.getObject("canonical"), "canonical");

  const int64_t rank = canonical.rank();
  const bool isCopy = rank == 0 || (rank == 1 && moveClass == "copy");
  EXPECT_EQ(moveClass, isCopy                                ? "copy"
                       : canonical.perm().back() == rank - 1 ? "B"
                                                             : "A");
}

/// The cause that each kind of error has, or null.
static const Cause *causeOf(StringRef errorKind) {
  static const std::map<StringRef, Cause> causes = {
      {"duplicate_axis", Cause::DuplicateAxis},
      {"order_wrong_length", Cause::BadRank},
      {"axis_out_of_range", Cause::AxisOutOfRange},
      {"negative_axis", Cause::AxisOutOfRange},
      {"axis_not_finite", Cause::BadSyntax},
      {"order_wrong_type", Cause::BadSyntax},
      {"bad_stride", Cause::BadStride},
      {"unsupported_sub_byte", Cause::Unsupported},
      {"char_not_2d", Cause::BadRank},
  };
  auto found = causes.find(errorKind);
  return found == causes.end() ? nullptr : &found->second;
}

void FrontendConformance::checkError() const {
  // About pointers, quantisation, or the type and rank of the order's tensor.
  static const std::set<StringRef> elsewhere = {
      "null_pointer", "quant_capacity_too_small", "quant_inconsistent_init",
      "order_not_vector"};
  const StringRef kind = *expected().getString("error_kind");
  if (elsewhere.contains(kind))
    GTEST_SKIP() << kind.str() << " cannot be expressed in a PermuteSpec";
  if (fields().getBoolean("upstream_defect").value_or(false))
    GTEST_SKIP() << "the original's behaviour is a defect";
  Result<ResolvedPermute> resolved = resolveCase();
  ASSERT_FALSE(resolved);
  const Cause *cause = causeOf(kind);
  ASSERT_TRUE(cause) << "no cause is known for " << kind.str();
  EXPECT_EQ(resolved.error().cause, *cause) << resolved.error().message;

  // MLI speaks in status codes, and permc's reason for refusing elements
  // smaller than a byte is its own.
  if (fields().getString("system") != "mli" && kind != "unsupported_sub_byte")
    EXPECT_NE(resolved.error().message.find(*expected().getString("message")),
              std::string::npos)
        << resolved.error().message;
}

TEST_P(FrontendConformance, Case) {
  if (!GetParam().absent.empty())
    GTEST_SKIP() << GetParam().absent;
  ASSERT_EQ(GetParam().unreadable, "");
  const StringRef kind = *fields().getString("kind");
  if (kind == "data")
    checkData();
  else if (kind == "shape_inference")
    checkShapeInference();
  else if (kind == "classify")
    checkClass();
  else if (kind == "canonicalize")
    checkCanonical();
  else if (kind == "error")
    checkError();
  else
    FAIL() << "unknown kind " << kind.str();
}

INSTANTIATE_TEST_SUITE_P(, FrontendConformance, testing::ValuesIn(loadCases()),
                         [](const testing::TestParamInfo<Case> &info) {
                           std::string name = info.param.id;
                           for (char &c : name)
                             if (!llvm::isAlnum(c))
                               c = '_';
                           return name;
                         });
