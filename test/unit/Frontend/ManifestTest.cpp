//===- ManifestTest.cpp - manifests, good and bad -------------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "permc/Frontend/Manifest.h"

#include "FrontendTesting.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc;

static Result<Manifest> parse(std::string_view text) {
  return parseManifest(text, "k.yaml");
}

static testing::AssertionResult fails(std::string_view text, Cause cause,
                                      std::string_view message) {
  return failsWith(parse(text), cause, message);
}

static const char complete[] = R"(# Two kernels.
target: x86-64-v3
convention: openvino
kernels:
  - name: hwc_to_chw
    tensor: 224x224x3xu8
    perm: 2,0,1
  - name: chw_to_hwc
    tensor: 2x3xf64
    perm: [2, 1]
    convention: matlab
    inverse: true
    in-strides: [1, 4]
    out-strides: 1,3
)";

TEST(FrontendManifest, ReadsTextInBlocks) {
  Result<Manifest> manifest =
      parse("kernels:\n  - name: a\n    tensor: >-\n      2x3xf32\n"
            "    perm: |-\n      1,0\n");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(spellTensor(manifest->kernels[0].permute.tensor), "2x3xf32");
  EXPECT_EQ(manifest->kernels[0].permute.order, "1,0");
}

TEST(FrontendManifest, ReadsEveryKey) {
  Result<Manifest> manifest = parse(complete);
  ASSERT_TRUE(manifest) << manifest.error().message;

  ASSERT_EQ(manifest->kernels.size(), 2u);

  const ManifestKernel &first = manifest->kernels[0];
  EXPECT_EQ(first.name, "hwc_to_chw");
  EXPECT_EQ(first.targets.text, "x86-64-v3");
  EXPECT_EQ(first.targets.place.line, 2u);
  EXPECT_EQ(spellTensor(first.permute.tensor), "224x224x3xu8");
  EXPECT_EQ(first.permute.order, "2,0,1");
  EXPECT_EQ(first.permute.convention, Convention::OpenVINO);
  EXPECT_FALSE(first.permute.inverse);
  EXPECT_FALSE(first.permute.inStrides);
  EXPECT_FALSE(first.permute.outStrides);

  const PermuteSpec &second = manifest->kernels[1].permute;
  EXPECT_EQ(second.order, "2,1");
  EXPECT_EQ(second.convention, Convention::Matlab);
  EXPECT_TRUE(second.inverse);
  EXPECT_EQ(second.inStrides, (Dims{1, 4}));
  EXPECT_EQ(second.outStrides, (Dims{1, 3}));
}

TEST(FrontendManifest, DefaultsMayFollowTheKernels) {
  Result<Manifest> manifest = parse(R"(
kernels:
  - {name: a, tensor: 2x3xu8, perm: [2, 1]}
convention: matlab
)");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->kernels[0].permute.convention, Convention::Matlab);
  EXPECT_EQ(manifest->kernels[0].targets.text, "");
}

TEST(FrontendManifest, OrdersInAllSpellings) {
  for (const char *order : {"hw->wh", "'hw->wh'", "1, 0", "[1, 0]", "[]", "''",
                            "\n      - 1\n      - 0"}) {
    std::string text =
        std::string("kernels:\n  - name: a\n    tensor: 2x3xu8\n    perm: ") +
        order + "\n";
    Result<Manifest> manifest = parse(text);
    ASSERT_TRUE(manifest) << manifest.error().message;
    Result<ResolvedPermute> resolved = resolve(manifest->kernels[0].permute);
    ASSERT_TRUE(resolved);
    EXPECT_EQ(resolved->problem.perm(), (Dims{1, 0})) << order;
  }
}

TEST(FrontendManifest, RejectsWhatIsNotAManifest) {
  EXPECT_TRUE(
      fails("", Cause::BadFile, "k.yaml:1:1: error: the manifest is nothing"));
  EXPECT_TRUE(fails("[1, 2]", Cause::BadFile, "is a list; expected a mapping"));
  EXPECT_TRUE(fails("target: native\n", Cause::BadFile, "has no 'kernels'"));
  EXPECT_TRUE(fails("target: a\nkernels: []\n", Cause::BadFile,
                    "k.yaml:2:1: error: 'kernels' is an empty list"));
  EXPECT_TRUE(fails("kernels:\n", Cause::BadFile, "'kernels' is nothing"));
  EXPECT_TRUE(fails("kernels: 3\n", Cause::BadFile, "'kernels' is text"));
  EXPECT_TRUE(fails("kernels:\n  - 3\n", Cause::BadFile,
                    "k.yaml:2:5: error: a kernel is text"));
  EXPECT_TRUE(
      fails("target: [a]\nkernels: [{name: a, tensor: 2xu8, perm: 0}]\n",
            Cause::BadFile, "'target' is a list; expected text"));
}

TEST(FrontendManifest, RejectsKeysThatAreUnknownMissingOrDouble) {
  EXPECT_TRUE(fails("kernels: []\nlevels: x\n", Cause::BadFile,
                    "k.yaml:2:1: error: unknown key 'levels' in the manifest; "
                    "expected target, targets, convention, defaults, kernels"));
  EXPECT_TRUE(fails(R"(kernels:
  - name: a
    shape: 2x3xu8
)",
                    Cause::BadFile,
                    "k.yaml:3:5: error: unknown key 'shape' in a kernel"));
  EXPECT_TRUE(fails("kernels:\n  - tensor: 2xu8\n    perm: 0\n", Cause::BadFile,
                    "k.yaml:2:5: error: a kernel has no 'name'"));
  EXPECT_TRUE(fails("kernels:\n  - name: a\n    perm: 0\n", Cause::BadFile,
                    "a kernel has no 'tensor'"));
  EXPECT_TRUE(fails("kernels:\n  - name: a\n    tensor: 2xu8\n", Cause::BadFile,
                    "a kernel has no 'perm'"));
  EXPECT_TRUE(
      fails("target: a\ntarget: b\n", Cause::BadFile,
            "k.yaml:2:1: error: a second 'target'; the first is on line 1"));
}

TEST(FrontendManifest, RejectsNamesAtTheirLine) {
  EXPECT_TRUE(fails("kernels:\n  - tensor: 2xu8\n    name: a-b\n    perm: 0\n",
                    Cause::BadSyntax,
                    "k.yaml:3:5: error: the kernel name 'a-b' is not"));
  EXPECT_TRUE(fails("kernels:\n  - tensor: 2xu8\n    name: int\n    perm: 0\n",
                    Cause::BadSyntax, "keyword"));
  EXPECT_TRUE(fails(R"(kernels:
  - name: a
    tensor: 2xu8
    perm: 0
  - name: a
    tensor: 3xu8
    perm: 0
)",
                    Cause::BadSyntax,
                    "k.yaml:5:5: error: a second kernel is named 'a'"));
}

TEST(FrontendManifest, RejectsBadValuesAtTheirLine) {
  auto kernel = [](std::string_view more) {
    return "kernels:\n  - name: a\n    tensor: 2x3xu8\n" + std::string(more);
  };
  EXPECT_TRUE(fails("kernels:\n  - name: a\n    tensor: 2x3\n    perm: 0\n",
                    Cause::BadElement,
                    "k.yaml:3:5: error: tensor '2x3' has no element"));
  EXPECT_TRUE(fails(kernel("    perm: 0,0\n"), Cause::DuplicateAxis,
                    "k.yaml:4:5: error: kernel 'a': repeated axis"));
  EXPECT_TRUE(fails(kernel("    perm:\n"), Cause::BadFile,
                    "k.yaml:4:5: error: 'perm' is nothing; expected a list"));
  EXPECT_TRUE(fails(kernel("    perm: [[0], 1]\n"), Cause::BadFile,
                    "an entry of 'perm' is a list"));
  EXPECT_TRUE(fails(kernel("    perm: 1,0\n    convention: torch\n"),
                    Cause::BadSyntax,
                    "k.yaml:5:5: error: unknown convention 'torch'"));
  EXPECT_TRUE(
      fails(kernel("    perm: 1,0\n    inverse: yes\n"), Cause::BadFile,
            "k.yaml:5:5: error: 'inverse' is 'yes'; expected true or false"));
  EXPECT_TRUE(fails(kernel("    perm: 1,0\n    in-strides: [a, 1]\n"),
                    Cause::BadSyntax,
                    "k.yaml:5:5: error: in-strides 'a,1': entry 0"));
  EXPECT_TRUE(fails(kernel("    perm: 1,0\n    in-strides: [1]\n"),
                    Cause::BadRank, "input strides [1]"));
  EXPECT_TRUE(fails(kernel("    perm: 1,0\n    out-strides: [1, 1]\n"),
                    Cause::BadStride, "overlap"));
}

TEST(FrontendManifest, RejectsBadYamlAtItsLine) {
  EXPECT_TRUE(fails("kernels:\n  - {name: a\nb: [\n", Cause::BadFile,
                    "this is not YAML: "));
  EXPECT_TRUE(
      fails("a: &x 1\nb: *x\n", Cause::BadFile, "k.yaml:2:1: error: an alias"));
  EXPECT_TRUE(fails("? [a]\n: b\n", Cause::BadFile, "not plain text"));
  EXPECT_TRUE(fails("kernels: []\n---\nkernels: []\n", Cause::BadFile,
                    "a second document"));
  EXPECT_TRUE(
      fails(std::string(200000, '['), Cause::BadFile, "nested too deep"));
}

/// Whatever is cut off or altered, reading ends with a value or an error.
TEST(FrontendManifest, SurvivesDamage) {
  const std::string text = complete;
  for (size_t length = 0; length < text.size(); ++length)
    if (Result<Manifest> manifest = parse(text.substr(0, length)); !manifest)
      EXPECT_EQ(manifest.error().message.find("k.yaml:"), 0u) << length;
  for (size_t at = 0; at < text.size(); ++at)
    for (char damage :
         {'\0', '\n', '\t', ':', '[', '{', '"', '|', '&', '\xff'}) {
      std::string damaged = text;
      damaged[at] = damage;
      if (Result<Manifest> manifest = parse(damaged); !manifest)
        EXPECT_EQ(manifest.error().message.find("k.yaml:"), 0u)
            << at << " " << int(damage);
    }
}

TEST(FrontendManifest, ReadsFiles) {
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("manifest", "yaml", descriptor, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << complete;
  Result<Manifest> manifest = readManifest(path.str().str());
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->kernels.size(), 2u);

  EXPECT_TRUE(failsWith(readManifest((path + ".absent").str()), Cause::BadFile,
                        "cannot read the manifest"));
}

TEST(FrontendManifest, ReadsDynamicDims) {
  Result<Manifest> manifest = parse(R"(kernels:
  - name: batch
    tensor: ?x224x224x3xu8
    perm: 0,3,1,2
    specialize: [1x224x224x3, 8x224x224x3xu8]
)");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const ManifestKernel &kernel = manifest->kernels.front();
  EXPECT_TRUE(kernel.permute.tensor.isDynamic());
  EXPECT_EQ(kernel.specialized, (std::vector<Dims>{{1}, {8}}));

  EXPECT_TRUE(fails(R"(kernels:
  - name: batch
    tensor: ?x3xu8
    perm: 0,0
)",
                    Cause::DuplicateAxis, "k.yaml:4:5: error: kernel 'batch'"));
  EXPECT_TRUE(fails(R"(kernels:
  - name: batch
    tensor: ?x3xu8
    perm: 1,0
    specialize: 8x4
)",
                    Cause::BadSize,
                    "k.yaml:5:5: error: the specialised shape '8x4'"));
  EXPECT_TRUE(fails(R"(kernels:
  - name: fixed
    tensor: 8x3xu8
    perm: 1,0
    specialize: 8x3
)",
                    Cause::BadSyntax, "which has no '?'"));
}

TEST(FrontendManifest, ReadsWhatAKernelAloneHas) {
  Result<Manifest> manifest = parseManifest(R"(
targets: [x86-64-v2, x86-64-v3]
defaults:
  tune: true
  inverse: true
kernels:
  - {name: a, tensor: 2x3xu8, perm: "1,0"}
  - {name: b, tensor: 2x3xu8, perm: "1,0", target: c99, tune: false,
     inverse: false, schedule: mine/b.schedule}
  - {name: c, tensor: 2x3xu8, perm: "1,0", targets: "x86-64,x86-64-v4",
     tune: false, schedule: /c.schedule}
)",
                                            "folder/k.yaml");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const std::vector<ManifestKernel> &kernels = manifest->kernels;
  EXPECT_EQ(kernels[0].targets.text, "x86-64-v2,x86-64-v3");
  EXPECT_EQ(kernels[0].tune.text, "true");
  EXPECT_EQ(kernels[0].tune.place.line, 4u);
  EXPECT_EQ(kernels[0].tune.place.column, 3u);
  EXPECT_TRUE(kernels[0].permute.inverse);
  EXPECT_EQ(kernels[0].schedule.text, "");
  EXPECT_EQ(kernels[1].targets.text, "c99");
  EXPECT_EQ(kernels[1].targets.place.column, 44u);
  EXPECT_EQ(kernels[1].tune.text, "");
  EXPECT_FALSE(kernels[1].permute.inverse);
  EXPECT_EQ(kernels[1].schedule.text, "folder/mine/b.schedule");
  EXPECT_EQ(kernels[2].targets.text, "x86-64,x86-64-v4");
  EXPECT_EQ(kernels[2].schedule.text, "/c.schedule");
}

TEST(FrontendManifest, RejectsDefaultsThatContradict) {
  const std::string kernels =
      "kernels: [{name: a, tensor: 2xu8, perm: 0, schedule: f}]\n";
  EXPECT_TRUE(fails(kernels + "target: a\ntargets: [b]\n", Cause::BadFile,
                    "k.yaml:3:1: error: 'target' and 'targets'"));
  EXPECT_TRUE(fails(kernels + "target: a\ndefaults: {target: b}\n",
                    Cause::BadFile, "k.yaml:2:1: error: 'target' is among"));
  EXPECT_TRUE(fails(kernels + "defaults: {perm: 0}\n", Cause::BadFile,
                    "k.yaml:2:12: error: unknown key 'perm' in 'defaults'"));
  EXPECT_TRUE(fails(kernels + "defaults: {tune: true}\n", Cause::BadFile,
                    "k.yaml:1:44: error: 'schedule' of a kernel that is"));
  EXPECT_TRUE(fails(kernels + "targets: []\n", Cause::BadFile,
                    "k.yaml:2:1: error: 'targets' is empty"));
}
