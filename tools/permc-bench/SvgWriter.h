//===- SvgWriter.h - shapes and words of a picture --------------*- C++ -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_BENCH_SVGWRITER_H
#define PERMC_BENCH_SVGWRITER_H

#include <string>

namespace permc::bench {

struct TextStyle {
  double size = 11;
  const char *color = "#000";
  const char *anchor = "start"; ///< or "middle", "end"
  bool bold = false;
};

/// Collects shapes in the order they are painted.
class SvgWriter {
public:
  void text(double x, double y, const std::string &words, TextStyle style);
  void line(double x1, double y1, double x2, double y2, const char *color,
            double width, const char *dashes = nullptr);
  void dot(double x, double y, double radius, const char *color);
  void ring(double x, double y, double radius, const char *color);
  /// A short upright bar.
  void tick(double x, double y, double half, const char *color);

  /// The file, on a white ground.
  std::string finish(double width, double height) const;

private:
  std::string shapes;
};

} // namespace permc::bench

#endif // PERMC_BENCH_SVGWRITER_H
