//===- ProveParts.cpp - parts that are right for every size ---------------===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part k of p has the grains from first(k) to first(k + 1), where first(k) is
// `k * share + min(k, rest)` for the quotient and the rest of all grains by p.
// So first(0) is 0, first(p) is all of them, and each part has `share` grains
// or one more: that much is plain algebra, whatever the sizes are. A cut is
// where a grain begins, as a position of the row that all parts share, moved on
// to where there is room; behind the last grain it is the end of the row. What
// is left to prove is about one cut, or one part, in sizes that are symbols:
//
//  * a cut leaves no less than a piece of its row before and behind it, unless
//    it is at a row's end;
//  * a cut is moved on by so little that a piece is left between it and the
//    next, `grainsPerPart` grains later, which is moved on if at all. So cuts
//    rise: parts are disjoint, and as they begin at 0 and end with the row they
//    have all of it.
//
// A product of two symbols, the place of a row among all others, is a symbol
// itself, of which is known what is said where it is made. Each statement is
// refuted by showing that no integers meet its opposite (MLIR's Presburger
// library), or with integers that do.
//
//===----------------------------------------------------------------------===//

#include "permc/JIT/Prove.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

using namespace permc;
namespace presburger = mlir::presburger;

namespace {

enum Symbol {
  Size,   ///< positions of the last dim
  Row,    ///< of all that parts share
  Count,  ///< of grains
  Number, ///< of the grain that begins at a cut
  Next,   ///< of the one at which the part ends
  Before, ///< position where the cut's row of the last dim begins
  Past,   ///< the cut behind that
  Moved,  ///< grains by which the cut is moved on
  Times,  ///< of something that divides
  Rest,
  symbols
};

struct Term {
  Symbol symbol;
  int64_t factor = 1;
};
using Sum = llvm::SmallVector<Term, 4>;

/// Some linear facts about integers that are not negative.
class Facts {
public:
  Facts() : set(presburger::PresburgerSpace::getSetSpace(symbols)) {
    for (int i = 0; i < symbols; ++i)
      atLeast({{Symbol(i)}}, 0);
  }

  Facts &atLeast(const Sum &sum, int64_t bound) {
    set.addInequality(row(sum, 1, -bound));
    return *this;
  }
  Facts &atMost(const Sum &sum, int64_t bound) {
    set.addInequality(row(sum, -1, bound));
    return *this;
  }
  Facts &equals(const Sum &sum, int64_t value) {
    set.addEquality(row(sum, 1, -value));
    return *this;
  }
  /// `quotient` is the sum divided by a number, without the rest.
  Facts &isQuotient(Symbol quotient, Symbol of, int64_t by) {
    return atLeast({{of}, {quotient, -by}}, 0)
        .atMost({{of}, {quotient, -by}}, by - 1);
  }

  /// Integers that meet all of them, if there are any.
  std::optional<std::string> example() const {
    auto sample = set.findIntegerSample();
    if (!sample)
      return std::nullopt;
    auto number = [&](Symbol i) {
      return std::to_string(int64_t((*sample)[i]));
    };
    return "size " + number(Size) + ", row of " + number(Row) + ", grain " +
           number(Number);
  }

private:
  static llvm::SmallVector<int64_t> row(const Sum &sum, int64_t sign,
                                        int64_t constant) {
    llvm::SmallVector<int64_t> numbers(symbols + 1, 0);
    for (const Term &term : sum)
      numbers[term.symbol] += sign * term.factor;
    numbers.back() = constant;
    return numbers;
  }

  presburger::IntegerPolyhedron set;
};

class CutProver {
public:
  explicit CutProver(const PartCuts &cuts) : cuts(cuts) {}

  Status run() {
    switch (cuts.kind) {
    case DynamicSplit::Kind::None:
      break;
    case DynamicSplit::Kind::Range:
      proveRanges(Size, cuts.piece, cuts.least);
      break;
    case DynamicSplit::Kind::Row:
      if (cuts.tilesFillRows) {
        proveFilledRows();
        break;
      }
      proveRoom();
      // Too short to be cut: ranges of the outer dim.
      proveRanges(Row, 1, 1);
      break;
    case DynamicSplit::Kind::Grains:
      proveGrains();
      // ... or rows that are no lines.
      proveRanges(Row, 1, 1);
      break;
    }
    if (message.empty())
      return Done{};
    return Error{Cause::VerifyFailed,
                 "pieces of " + std::to_string(cuts.piece) + ", grains of " +
                     std::to_string(cuts.grain) + ": " + message};
  }

private:
  /// What must not be possible.
  void refute(const Facts &facts, const std::string &what) {
    if (!message.empty())
      return;
    if (auto example = facts.example())
      message = *example + ": " + what;
  }

  /// Ranges of one dim, or of whole rows: cuts are where they should be.
  void proveRanges(Symbol of, int64_t piece, int64_t least) {
    auto some = [&] {
      return Facts()
          .atLeast({{of}}, std::max<int64_t>(least, 1))
          .isQuotient(Count, of, cuts.grain)
          .atLeast({{Next}, {Number, -1}}, 1);
    };
    refute(some()
               .atLeast({{Count}, {Next, -1}}, 1)
               .atLeast({{Next, cuts.grain}, {of, -1}}, 1),
           "a part ends behind the row");
    refute(some()
               .atLeast({{Count}, {Next, -1}}, 1)
               .atMost({{Next, cuts.grain}, {Number, -cuts.grain}}, piece - 1),
           "a part has less than a piece");
    refute(some()
               .equals({{Next}, {Count, -1}}, 0)
               .atMost({{of}, {Number, -cuts.grain}}, piece - 1),
           "the last part has less than a piece");
    // There is one part at least, which has all.
    refute(Facts()
               .atLeast({{of}}, least)
               .atMost({{of}}, std::min(cuts.grain, piece) - 1),
           "the only part has less than a piece");
  }

  /// A cut within rows of the last dim, before it is moved on. Of the place
  /// where its row begins is known that all of that row follows.
  Facts cutInRow(int64_t least) const {
    return Facts()
        .atLeast({{Size}}, std::max<int64_t>(least, 1))
        .atLeast({{Row}, {Before, -1}, {Size, -1}}, 0)
        .equals({{Number, cuts.grain}, {Before, -1}, {Past, -1}}, 0)
        .atLeast({{Size}, {Past, -1}}, 1);
  }

  /// Tiles fill rows: whatever is a number of pieces has room for them.
  void proveFilledRows() {
    // Rows have a number of pieces, and so has what lies before a row.
    if (cuts.divisor % cuts.piece != 0)
      refute(
          Facts().equals({{Size}}, cuts.divisor).equals({{Row}}, cuts.divisor),
          "a row is no number of pieces");
    refute(cutInRow(cuts.least)
               .equals({{Before}, {Times, -cuts.piece}}, 0)
               // Past is a multiple of a piece and a rest.
               .isQuotient(Moved, Past, cuts.piece)
               .equals({{Past}, {Moved, -cuts.piece}, {Rest, -1}}, 0)
               .atLeast({{Rest}}, 1),
           "a part begins within a piece");
  }

  enum class Place { Begin, Early, Middle, Late };

  /// Where it is after that in its row, or in the next one if it was too late
  /// for its own; less so many rows.
  Sum movedTo(Place place, int64_t less = 0) const {
    if (place == Place::Late)
      ++less;
    return {{Past, 1}, {Moved, cuts.grain}, {Size, -less}};
  }

  /// ... and moved on by as many grains as it takes to find room.
  Facts cutWithRoom(Place place) const {
    const int64_t piece = cuts.piece;
    Facts facts = cutInRow(std::max(cuts.least, cuts.leastRow));
    // The fewest grains that are enough, in this row or in the next.
    const Sum at = movedTo(place);
    switch (place) {
    case Place::Begin:
      facts.equals({{Past}}, 0).equals({{Moved}}, 0);
      break;
    case Place::Early:
      facts.atLeast({{Past}}, 1).atMost({{Past}}, piece - 1);
      facts.atLeast({{Size}, {Past, -1}}, piece);
      facts.atLeast(at, piece).atMost(at, piece + cuts.grain - 1);
      break;
    case Place::Middle:
      facts.atLeast({{Past}}, piece).atLeast({{Size}, {Past, -1}}, piece);
      facts.equals({{Moved}}, 0);
      break;
    case Place::Late:
      facts.atLeast({{Past}}, 1).atMost({{Size}, {Past, -1}}, piece - 1);
      facts.atLeast(at, piece).atMost(at, piece + cuts.grain - 1);
      break;
    }
    return facts;
  }

  void proveRoom() {
    for (Place place :
         {Place::Begin, Place::Early, Place::Middle, Place::Late}) {
      auto cut = [&] { return cutWithRoom(place); };
      if (place != Place::Begin) {
        refute(cut().atMost(movedTo(place), cuts.piece - 1),
               "too little of a row lies before a part");
        refute(cut().atLeast(movedTo(place, 1), 1 - cuts.piece),
               "too little of a row lies behind the begin of a part");
      }
      refute(cut().atLeast({{Moved, cuts.grain}},
                           cuts.grainsPerPart * cuts.grain - cuts.piece + 1),
             "a part that begins later has less than a piece");
    }
  }

  /// Rows of as many grains as fit; what is left of one goes with its last.
  void proveGrains() {
    // Of a row that counts `Count` grains, and of what lies before it.
    refute(Facts()
               .atLeast({{Size}}, std::max(cuts.least, cuts.grain))
               .isQuotient(Count, Size, cuts.grain)
               .equals({{Before}, {Times, -cuts.grain}}, 0)
               .equals({{Number, cuts.grain}, {Before, -1}, {Past, -1}}, 0)
               .atLeast({{Count, cuts.grain}, {Past, -1}}, 1)
               .atMost({{Size}, {Past, -1}}, cuts.piece - 1),
           "too little of a row lies behind the begin of a part");
    refute(Facts()
               .equals({{Before}, {Times, -cuts.grain}}, 0)
               .equals({{Number, cuts.grain}, {Before, -1}, {Past, -1}}, 0)
               .atLeast({{Past}}, 1)
               .atMost({{Past}}, cuts.piece - 1),
           "too little of a row lies before a part");
  }

  const PartCuts &cuts;
  std::string message;
};

} // namespace

Status permc::proveCuts(const PartCuts &cuts) { return CutProver(cuts).run(); }
