// Splits the heads of an attention layer, [sequence, heads, features] to
// [heads, sequence, features], with one call and with a kernel of our own.

#include <permc/JIT/Permute.h>

#include <cstdio>
#include <thread>
#include <vector>

static constexpr int64_t sequence = 512, heads = 12, features = 64;

static bool isSplit(const std::vector<float> &in,
                    const std::vector<float> &out) {
  for (int64_t s = 0; s < sequence; ++s)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t f = 0; f < features; ++f)
        if (out[(h * sequence + s) * features + f] !=
            in[(s * heads + h) * features + f])
          return false;
  return true;
}

static int fail(const permc::Error &error) {
  std::fprintf(stderr, "%s: %s\n", permc::causeName(error.cause).data(),
               error.message.c_str());
  return 1;
}

int main() {
  const permc::Dims shape{sequence, heads, features}, perm{1, 0, 2};
  std::vector<float> in(sequence * heads * features), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);

  // One call, on as many threads as it is worth.
  permc::Status done =
      permc::permute(sizeof(float), shape, perm, in.data(), out.data());
  if (!done)
    return fail(done.error());
  std::printf("one call: %s\n", isSplit(in, out) ? "right" : "wrong");

  // A compiler with a cache of its own, and a kernel that can be kept, copied
  // and called from any thread.
  auto jit = permc::Jit::create({.cacheBytes = 1 << 20, .cacheDirectory = ""});
  if (!jit)
    return fail(jit.error());
  auto problem = permc::Problem::make(sizeof(float), shape, perm);
  if (!problem)
    return fail(problem.error());
  auto target = permc::findTarget("native");
  if (!target)
    return fail(target.error());
  auto kernel = (*jit)->compile({"split_heads", *problem, "f32", *target, ""});
  if (!kernel)
    return fail(kernel.error());

  std::fill(out.begin(), out.end(), 0.0F);
  std::thread other([&] { kernel->part(in.data(), out.data(), 1, 2); });
  kernel->part(in.data(), out.data(), 0, 2);
  other.join();
  std::printf("two threads: %s\n", isSplit(in, out) ? "right" : "wrong");

  // What cannot be done comes back as a value.
  auto wrong = permc::Problem::make(sizeof(float), shape, {1, 1, 2});
  std::printf("%s\n", wrong ? "no error" : wrong.error().message.c_str());
  return isSplit(in, out) && !wrong ? 0 : 1;
}
