//===- SvgWriter.cpp - shapes and words of a picture ----------------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SvgWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace permc::bench;
using llvm::formatv;

void SvgWriter::text(double x, double y, const std::string &words,
                     TextStyle style) {
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printHTMLEscaped(words, stream);
  shapes += formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" font-size=\"{2:f1}\" "
                    "fill=\"{3}\" text-anchor=\"{4}\"{5}>{6}</text>\n",
                    x, y, style.size, style.color, style.anchor,
                    style.bold ? " font-weight=\"600\"" : "", escaped)
                .str();
}

void SvgWriter::line(double x1, double y1, double x2, double y2,
                     const char *color, double width, const char *dashes) {
  shapes += formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" "
                    "y2=\"{3:f1}\" stroke=\"{4}\" stroke-width=\"{5:f1}\"",
                    x1, y1, x2, y2, color, width)
                .str();
  if (dashes)
    shapes += formatv(" stroke-dasharray=\"{0}\"", dashes).str();
  shapes += "/>\n";
}

void SvgWriter::dot(double x, double y, double radius, const char *color) {
  shapes += formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"{2:f1}\" "
                    "fill=\"{3}\"/>\n",
                    x, y, radius, color)
                .str();
}

void SvgWriter::ring(double x, double y, double radius, const char *color) {
  shapes += formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"{2:f1}\" "
                    "fill=\"#fff\" stroke=\"{3}\" stroke-width=\"1.8\"/>\n",
                    x, y, radius, color)
                .str();
}

void SvgWriter::tick(double x, double y, double half, const char *color) {
  line(x, y - half, x, y + half, color, 2);
}

std::string SvgWriter::finish(double width, double height) const {
  return formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:f0}\" "
                 "height=\"{1:f0}\" viewBox=\"0 0 {0:f0} {1:f0}\" "
                 "font-family=\"Inter, 'Segoe UI', Helvetica, Arial, "
                 "'DejaVu Sans', sans-serif\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                 width, height)
             .str() +
         shapes + "</svg>\n";
}
