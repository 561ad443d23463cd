#include "Codegen/GPU/Simulation.h"

#include "Codegen/GPU/EpilogueAccess.h"
#include "Codegen/GPU/Integers.h"

#include <algorithm>

namespace orzo::gpu {

namespace {

using Coordinates = std::vector<int64_t>;

/// Element address of a point of a map, or -1 outside of its bounds.
int64_t addressOf(const TensorMapRecipe &map, const Coordinates &point) {
  auto bytes = static_cast<int64_t>(byteSize(map.type));
  int64_t address = map.byteOffset / bytes + point[0];
  for (size_t dim = 0; dim < point.size(); ++dim) {
    if (point[dim] < 0 || point[dim] >= map.sizes[dim])
      return -1;
    if (dim > 0)
      address += point[dim] * map.byteStrides[dim - 1] / bytes;
  }
  return address;
}

/// Whether a walk may start at `start`: inside of its bounds along the spatial dims.
bool isLegalStart(const TensorMapRecipe &map, const Coordinates &start) {
  for (size_t dim = 0; dim < map.lowerCorner.size(); ++dim)
    if (start[dim + 1] < map.lowerCorner[dim] || start[dim + 1] > map.sizes[dim + 1] - 1 + map.upperCorner[dim])
      return false;
  return true;
}

/// Addresses of the lines x 64 elements of a box at `start`, line by line; -1 outside of bounds. `offsets` may be
/// empty.
std::vector<int64_t> boxAddresses(const TensorMapRecipe &map, const Coordinates &start, const Coordinates &offsets) {
  bool isTiled = map.mode == TensorMapRecipe::Mode::Tiled;
  int64_t lines = isTiled ? map.box[1] : map.pixelsPerColumn;
  std::vector<int64_t> addresses;
  Coordinates point = start;
  for (int64_t line = 0; line < lines; ++line) {
    Coordinates at = point;
    for (size_t dim = 0; dim < offsets.size(); ++dim)
      at[dim + 1] += offsets[dim];
    for (int64_t channel = 0; channel < 64; ++channel) {
      at[0] = start[0] + channel;
      addresses.push_back(addressOf(map, at));
    }
    if (isTiled) {
      ++point[1];
      continue;
    }
    for (size_t dim = 0;; ++dim) {
      point[dim + 1] += map.elementStrides[dim + 1];
      if (dim == map.lowerCorner.size() || point[dim + 1] <= map.sizes[dim + 1] - 1 + map.upperCorner[dim])
        break;
      point[dim + 1] = map.lowerCorner[dim];
    }
  }
  return addresses;
}

class Simulator {
public:
  Simulator(const Tables &tables, const Plan &plan, std::span<const double> lhs, std::span<const double> rhs,
            std::span<double> out, const Epilogue &epilogue, const EpilogueAccess &access)
      : tables(tables), plan(plan), lhs(lhs), rhs(rhs), out(out), epilogue(epilogue), access(access),
        isStoredAlready(out.size()) {}

  Status run() {
    if (plan.splits > 1)
      partial.assign(plan.splits * tables.rows[0] * tables.columnBlocks() * 64, 0);
    for (int64_t tile = 0; tile < plan.tiles(tables); ++tile)
      if (Status status = runTile(locate(m, tables, plan, tile)); !status.ok())
        return status.within("tile " + std::to_string(tile));
    return plan.splits > 1 ? addPartialSums() : Status::success();
  }

private:
  /// One operand's tile: line (row or column) by depth.
  Status load(bool isLhs, const std::vector<Digits<Integers>> &pieces, const Digits<Integers> &depth,
              std::vector<double> &tile) {
    const Access &access = isLhs ? tables.lhs : tables.rhs;
    std::span<const double> memory = isLhs ? lhs : rhs;
    const TensorMapRecipe &map = access.maps[access.mapOfPhase[depth.phase]];
    for (size_t piece = 0; piece < pieces.size(); ++piece) {
      Digits<Integers> digits = pieces[piece];
      digits.depth = depth.depth, digits.depthElement = depth.depthElement;
      Coordinates start = evaluate(m, access.coordinates, digits), offsets = evaluate(m, access.offsets, digits);
      if (!isLegalStart(map, start))
        return Status::internal(std::string(isLhs ? "left" : "right") + " operand's walk starts outside of its bounds");
      int64_t lines = access.isWholeTile ? (isLhs ? plan.tileRows : plan.tileColumns) : 64;
      std::vector<int64_t> addresses = access.isGathered ? gatheredAddresses(access, depth.phase, start, offsets, lines)
                                                         : boxAddresses(map, start, offsets);
      for (size_t i = 0; i < addresses.size(); ++i) {
        if (addresses[i] >= static_cast<int64_t>(memory.size()))
          return Status::internal(std::string(isLhs ? "left" : "right") + " operand read beyond its end");
        double value = addresses[i] < 0 ? 0 : memory[addresses[i]];
        size_t line = i / 64, inner = i % 64;
        tile[access.isDepthInner ? (64 * piece + line) * 64 + inner : (64 * piece + inner) * 64 + line] = value;
      }
    }
    return Status::success();
  }

  /// The addresses of a gathered box, line by line: each of width() elements is inside or not as its first one is.
  std::vector<int64_t> gatheredAddresses(const Access &access, int64_t phase, const Coordinates &start,
                                         const Coordinates &offsets, int64_t lines) {
    std::vector<int64_t> addresses;
    int64_t width = access.width();
    for (int64_t line = 0; line < lines; ++line) {
      GatheredLine<Integers> at = gatheredLine(m, access, phase, start, offsets, line);
      for (int64_t channel = 0; channel < 64; ++channel) {
        int64_t first = at.channel + channel / width * width;
        addresses.push_back(first < at.limit ? at.element + at.channel + channel : -1);
      }
    }
    return addresses;
  }

  Status runTile(const Position<Integers> &position) {
    std::vector<double> sums(plan.tileRows * plan.tileColumns), a(plan.tileRows * 64), b(plan.tileColumns * 64);
    std::vector<Digits<Integers>> lhsPieces = loadPieces(m, tables, plan, true, position);
    std::vector<Digits<Integers>> rhsPieces = loadPieces(m, tables, plan, false, position);
    Digits<Integers> depth;
    depth.phase = position.phase;
    std::vector<int64_t> extents = depthExtents(m, tables, position.phase);
    depth.depth = firstDepth(m, tables, plan, extents, position.depthBegin);
    for (int64_t block = position.depthBegin; block < position.depthEnd; ++block) {
      depth.depthElement = 64 * block;
      if (Status status = load(true, lhsPieces, depth, a); !status.ok())
        return status;
      if (Status status = load(false, rhsPieces, depth, b); !status.ok())
        return status;
      for (int64_t row = 0; row < plan.tileRows; ++row)
        for (int64_t k = 0; k < 64; ++k)
          if (double value = a[row * 64 + k]; value != 0)
            for (int64_t column = 0; column < plan.tileColumns; ++column)
              sums[row * plan.tileColumns + column] += value * b[column * 64 + k];
      depth.depth = nextDepth(m, tables, extents, depth.depth);
    }
    for (int64_t row = 0; row < plan.tileRows; row += 64)
      for (int64_t column = 0; column < plan.tileColumns; column += 64)
        if (Status status = store(position, row, column, &sums[row * plan.tileColumns + column]); !status.ok())
          return status;
    return Status::success();
  }

  Status store(const Position<Integers> &position, int64_t row, int64_t column, const double *sums) {
    int64_t firstRow = position.rowTile * plan.tileRows + row;
    int64_t block = position.columnTile * (plan.tileColumns / 64) + column / 64;
    if (plan.splits > 1) {
      int64_t width = tables.columnBlocks() * 64;
      for (int64_t i = 0; i < 64 * 64; ++i)
        if (firstRow + i / 64 < tables.rows[0] && block < tables.columnBlocks())
          partial[(position.split * tables.rows[0] + firstRow + i / 64) * width + block * 64 + i % 64] =
              sums[i / 64 * plan.tileColumns + i % 64];
      return Status::success();
    }
    if (tables.store == StoreMode::TensorMap)
      return storeByMap(position, row, column, storePiece(m, tables, position, firstRow, block), sums);
    int64_t width = access.isByRows ? std::min<int64_t>(4, tables.storeWidth()) : tables.storeWidth();
    for (int64_t i = 0; i < 64 * 64; i += width) {
      Digits<Integers> digits = storePiece(m, tables, position, firstRow + i / 64, block);
      if (!isStored(m, tables, digits, i % 64))
        continue;
      int64_t first = evaluate(m, tables.outElement, digits) + i % 64;
      for (int64_t j = 0; j < width; ++j) {
        if (Status status = write(first + j, sums[i / 64 * plan.tileColumns + i % 64 + j]); !status.ok())
          return status;
        if (Status status =
                access.isByRows ? checkExtrasByElement(first, j, width) : checkColumns(first + j, digits, i % 64 + j);
            !status.ok())
          return status;
      }
    }
    return Status::success();
  }

  Status storeByMap(const Position<Integers> &position, int64_t row, int64_t column, const Digits<Integers> &digits,
                    const double *sums) {
    const TensorMapRecipe &map = tables.out.maps[tables.out.mapOfPhase[position.phase]];
    Coordinates start = evaluate(m, tables.out.coordinates, digits);
    if (!isLegalStart(map, start))
      return Status::internal("the result's walk starts outside of its bounds");
    std::vector<int64_t> addresses = boxAddresses(map, start, {});
    if (access.stagedCount() > 0) {
      bool isSecond = plan.isSideBySide ? column >= plan.consumerColumns() : row >= plan.consumerBlocks() * 64;
      int64_t piece =
          row / 64 % plan.consumerBlocks() * (plan.consumerColumns() / 64) + column % plan.consumerColumns() / 64;
      Digits<Integers> staged = consumerPiece(m, tables, plan, position, isSecond ? 1 : 0, piece);
      if (boxAddresses(map, evaluate(m, tables.out.coordinates, staged), {}) != addresses)
        return Status::internal("an extra's piece is not the result's");
    }
    for (int64_t i = 0; i < 64 * 64; ++i) {
      if (addresses[i] < 0)
        continue;
      if (Status status = write(addresses[i], sums[i / 64 * plan.tileColumns + i % 64]); !status.ok())
        return status;
      if (Status status = checkColumns(addresses[i], digits, i % 64); !status.ok())
        return status;
    }
    return Status::success();
  }

  Status addPartialSums() {
    int64_t width = tables.columnBlocks() * 64, count = tables.rows[0] * width;
    Position<Integers> position;
    for (int64_t i = 0; i < count; ++i) {
      Digits<Integers> digits = storePiece(m, tables, position, i / width, i % width / 64);
      if (!isStored(m, tables, digits, i % 64))
        continue;
      double sum = 0;
      for (int64_t split = 0; split < plan.splits; ++split)
        sum += partial[split * count + i];
      int64_t element = evaluate(m, tables.outElement, digits) + i % 64, lane = tables.storeWidth() > 1 ? i % 2 : 0;
      if (Status status = write(element, sum); !status.ok())
        return status;
      if (Status status = checkExtrasByElement(element - lane, lane, tables.storeWidth() > 1 ? 2 : 1); !status.ok())
        return status;
    }
    return Status::success();
  }

  Status expectExtra(size_t extra, int64_t element, int64_t got) const {
    int64_t expected = epilogue.extras[extra].map.at(element);
    return got == expected
               ? Status::success()
               : Status::internal("beside element " + std::to_string(element) + " extra " + std::to_string(extra) +
                                  " gives " + std::to_string(got) + ", not " + std::to_string(expected));
  }

  /// Of the `width` neighbours stored at once from `first` on, the extras of the one at `lane`.
  Status checkExtrasByElement(int64_t first, int64_t lane, int64_t width) {
    for (size_t extra = 0; extra < epilogue.extras.size(); ++extra) {
      int64_t got = extraElements(m, epilogue.extras[extra].map, first, width)[lane];
      if (Status status = expectExtra(extra, first + lane, got); !status.ok())
        return status;
    }
    return Status::success();
  }

  /// In registers: what column extras take at `column` of a piece, and that staged ones are the result's own element.
  Status checkColumns(int64_t element, const Digits<Integers> &digits, int64_t column) {
    for (size_t extra = 0; extra < epilogue.extras.size(); ++extra) {
      const ExtraAccess &way = access.extras[extra];
      bool isColumn = way.kind == ExtraAccess::Kind::Column;
      int64_t got = isColumn ? way.start + way.step * (digits.columns.back() + column) : element;
      if (Status status = expectExtra(extra, element, got); !status.ok())
        return status;
    }
    return Status::success();
  }

  Status write(int64_t address, double value) {
    if (address < 0 || address >= static_cast<int64_t>(out.size()))
      return Status::internal("result written outside of its memory, at element " + std::to_string(address));
    if (isStoredAlready[address])
      return Status::internal("result element " + std::to_string(address) + " written twice");
    isStoredAlready[address] = true;
    out[address] = value;
    return Status::success();
  }

  Integers m;
  const Tables &tables;
  const Plan &plan;
  std::span<const double> lhs, rhs;
  std::span<double> out;
  const Epilogue &epilogue;
  const EpilogueAccess &access;
  std::vector<bool> isStoredAlready;
  std::vector<double> partial;
};

} // namespace

Status simulate(const Tables &tables, const Plan &plan, std::span<const double> lhs, std::span<const double> rhs,
                std::span<double> out, const Epilogue &epilogue) {
  EpilogueAccess access = accessOf(plan.splits > 1 ? Epilogue() : epilogue, 0, tables, plan);
  return Simulator(access.isByRows ? tablesByRows(tables) : tables, plan, lhs, rhs, out, epilogue, access).run();
}

} // namespace orzo::gpu
