#include "CoveringGrid.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace orzo::conformance {

static int levelCount(int factor) { return static_cast<int>(gridFactors()[factor].levels.size()); }

std::vector<Triple> legalTriples() {
  std::vector<Triple> triples;
  for (int a = 0; a < factorCount; ++a)
    for (int b = a + 1; b < factorCount; ++b)
      for (int c = b + 1; c < factorCount; ++c)
        for (int i = 0; i < levelCount(a); ++i)
          for (int j = 0; j < levelCount(b); ++j)
            for (int k = 0; k < levelCount(c); ++k) {
              GridRow row = {};
              row[a] = i;
              row[b] = j;
              row[c] = k;
              if (gridProblem(row))
                triples.push_back({{a, b, c}, {i, j, k}});
            }
  return triples;
}

static bool covers(const GridRow &row, const Triple &triple) {
  return row[triple.factors[0]] == triple.levels[0] && row[triple.factors[1]] == triple.levels[1] &&
         row[triple.factors[2]] == triple.levels[2];
}

std::vector<Triple> uncovered(const std::vector<Triple> &triples, const std::vector<GridRow> &rows) {
  std::vector<Triple> left;
  for (const Triple &triple : triples)
    if (std::none_of(rows.begin(), rows.end(), [&](const GridRow &row) { return covers(row, triple); }))
      left.push_back(triple);
  return left;
}

namespace {

constexpr int mostLevels = 5, unset = -1;

class Greedy {
public:
  Greedy() : triples(legalTriples()), wanted(size_t(factorCount) * factorCount * factorCount * 125, false) {
    for (const Triple &triple : triples)
      wanted[index(triple.factors, triple.levels)] = true;
    for (int a = 0; a < factorCount; ++a)
      for (int b = 0; b < factorCount; ++b)
        for (int i = 0; i < levelCount(a); ++i)
          for (int j = 0; j < levelCount(b); ++j) {
            GridRow row = {};
            row[a] = i;
            row[b] = j;
            compatible[a][b][i][j] = a == b || gridProblem(row).has_value();
          }
  }

  std::vector<GridRow> rows() {
    std::vector<GridRow> rows;
    for (const Triple &triple : triples)
      while (wanted[index(triple.factors, triple.levels)]) {
        GridRow best = {};
        int bestGain = 0;
        for (int candidate = 0; candidate < 12; ++candidate) {
          GridRow row = extend(triple);
          if (int gain = gainOf(row); gain > bestGain && gridProblem(row)) {
            best = row;
            bestGain = gain;
          }
        }
        if (bestGain == 0)
          break; // Left uncovered; the coverage test says so.
        rows.push_back(best);
        forEachTriple(best, [&](size_t at) { wanted[at] = false; });
      }
    return rows;
  }

private:
  static size_t index(const std::array<int, 3> &f, const std::array<int, 3> &l) {
    size_t factors = (size_t(f[0]) * factorCount + f[1]) * factorCount + f[2];
    return ((factors * mostLevels + l[0]) * mostLevels + l[1]) * mostLevels + l[2];
  }

  template <typename Body> static void forEachTriple(const GridRow &row, Body body) {
    for (int a = 0; a < factorCount; ++a)
      for (int b = a + 1; b < factorCount; ++b)
        for (int c = b + 1; c < factorCount; ++c)
          body(index({a, b, c}, {row[a], row[b], row[c]}));
  }

  int gainOf(const GridRow &row) const {
    int gain = 0;
    forEachTriple(row, [&](size_t at) { gain += wanted[at]; });
    return gain;
  }

  /// New triples that `level` of `factor` makes with the factors already set; -1 where it contradicts one of them.
  int gainOfLevel(const GridRow &row, int factor, int level) const {
    int gain = 0;
    for (int a = 0; a < factorCount; ++a) {
      if (row[a] == unset)
        continue;
      if (!compatible[factor][a][level][row[a]])
        return -1;
      for (int b = a + 1; b < factorCount; ++b) {
        if (row[b] == unset)
          continue;
        std::array<std::pair<int, int>, 3> sorted = {{{a, row[a]}, {b, row[b]}, {factor, level}}};
        std::sort(sorted.begin(), sorted.end());
        gain += wanted[index({sorted[0].first, sorted[1].first, sorted[2].first},
                             {sorted[0].second, sorted[1].second, sorted[2].second})];
      }
    }
    return gain;
  }

  GridRow extend(const Triple &seed) {
    GridRow row;
    row.fill(unset);
    for (int i = 0; i < 3; ++i)
      row[seed.factors[i]] = seed.levels[i];
    std::array<int, factorCount> order;
    std::iota(order.begin(), order.end(), 0);
    for (int i = factorCount - 1; i > 0; --i) // std::shuffle differs from library to library.
      std::swap(order[i], order[random() % uint32_t(i + 1)]);
    for (int factor : order) {
      if (row[factor] != unset)
        continue;
      int best = 0, bestGain = -1;
      for (int level = 0, first = static_cast<int>(random() % uint32_t(levelCount(factor))); level < levelCount(factor);
           ++level) {
        int candidate = (first + level) % levelCount(factor);
        if (int gain = gainOfLevel(row, factor, candidate); gain > bestGain) {
          best = candidate;
          bestGain = gain;
        }
      }
      row[factor] = best;
    }
    return row;
  }

  std::vector<Triple> triples;
  std::vector<bool> wanted;
  bool compatible[factorCount][factorCount][mostLevels][mostLevels] = {};
  std::mt19937 random{20};
};

} // namespace

const std::vector<GridRow> &coveringRows() {
  static const std::vector<GridRow> rows = Greedy().rows();
  return rows;
}

} // namespace orzo::conformance
