#include "Measure/GraphVerification.h"

#include "Measure/DataGenerator.h"
#include "Measure/Findings.h"
#include "Measure/GraphBound.h"
#include "Measure/Poison.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace orzo {

static constexpr int64_t sampleCount = 4096;

static std::string nameOf(int value) { return "%" + std::to_string(value); }

Allowance allowanceOf(ElementType type, double value, double error) {
  double rounded = roundTo(type, value);
  if (error == 0 || !isFloat(type) || !std::isfinite(value))
    return {isFloat(type) && std::isnan(value) ? value : rounded, error};
  if (!std::isfinite(roundTo(type, std::abs(value) + error)))
    return {value, std::numeric_limits<double>::infinity()};
  double unit = type == ElementType::BFloat16 ? 0x1p-8 : type == ElementType::Half ? 0x1p-11 : 0x1p-24;
  double smallest = type == ElementType::BFloat16 ? 0x1p-134 : type == ElementType::Half ? 0x1p-25 : 0x1p-150;
  return {value, error + unit * (std::abs(value) + error) + smallest};
}

namespace {

/// The poison pattern as it lies at byte `offset` of a buffer.
bool isPoison(const unsigned char *data, int64_t offset, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (data[offset + static_cast<int64_t>(i)] !=
        ((offset + static_cast<int64_t>(i)) % 2 ? poisonPattern >> 8 : poisonPattern & 0xff))
      return false;
  return true;
}

class GraphVerifier {
public:
  GraphVerifier(const GraphSpec &graph, const std::vector<const void *> &memory, const VerifyOptions &options)
      : graph(graph), memory(memory), options(options) {
    for (int output : graph.outputs)
      written.push_back(writtenElements(graph, output));
  }

  void compare() {
    Demand demand = demandAll(graph);
    bool all =
        options.mode == VerifyMode::Full ||
        (options.mode == VerifyMode::Auto && estimateSeconds(graph, demand, options.threads) < options.fullSeconds);
    std::vector<std::vector<int64_t>> samples;
    if (!all)
      demand = sampledDemand(samples);
    result.mode = all ? "full" : "sample";
    std::vector<BoundedValues> expected = evaluateBounded(graph, memory, demand, options.threads);
    Findings worst;
    for (size_t i = 0; i < expected.size(); ++i) {
      Findings found = all ? compareOutput(i, expected[i], nullptr) : compareOutput(i, expected[i], &samples[i]);
      result.bad += found.bad;
      if (found.bad && result.message.empty())
        result.message = nameOf(graph.outputs[i]) + "[" + std::to_string(found.first) + "]: expected " +
                         shortest(found.expected) + ", got " + shortest(found.got) + " (" + std::to_string(found.bad) +
                         " bad elements of " + nameOf(graph.outputs[i]) + ")";
      worst.merge(found);
    }
    result.error = worst.error;
    result.bound = worst.bound;
  }

  void checkMemory(std::span<const NamedBuffer> buffers) {
    for (size_t i = 0; i < graph.outputs.size() && result.poison == "ok"; ++i)
      checkOutput(graph.outputs[i], written[i]);
    for (const NamedBuffer &named : buffers)
      if (int64_t offset = named.buffer->checkCanary(); offset && result.poison == "ok")
        result.poison =
            "memory " +
            (offset < 0 ? std::to_string(-offset) + " bytes before "
                        : std::to_string(offset - static_cast<int64_t>(named.buffer->size())) + " bytes after ") +
            std::string(named.name) + " was overwritten";
  }

  GraphVerifyResult result;

private:
  /// As many random elements of every output as there is time for.
  Demand sampledDemand(std::vector<std::vector<int64_t>> &samples) const {
    for (int64_t count = sampleCount;; count /= 2) {
      samples.clear();
      for (size_t i = 0; i < graph.outputs.size(); ++i)
        samples.push_back(someElements(i, count));
      Demand demand = demandFor(graph, samples);
      if (count <= 8 || estimateSeconds(graph, demand, options.threads) < 2 * options.fullSeconds)
        return demand;
    }
  }

  std::vector<int64_t> someElements(size_t output, int64_t count) const {
    std::vector<int64_t> elements;
    auto total = static_cast<uint64_t>(written[output].size());
    auto add = [&](uint64_t element) {
      if (element < total && written[output][element])
        elements.push_back(static_cast<int64_t>(element));
    };
    for (int64_t i = 0; i < count; ++i)
      add(i == 0   ? 0
          : i == 1 ? total - 1
                   : splitmix(options.seed + output, static_cast<uint64_t>(i)) % std::max<uint64_t>(total, 1));
    std::ranges::sort(elements);
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return elements;
  }

  Findings compareOutput(size_t output, const BoundedValues &expected, const std::vector<int64_t> *elements) {
    int value = graph.outputs[output];
    ElementType type = graph.values[value].type;
    std::atomic<int64_t> unbounded = 0, compared = 0;
    int64_t count = elements ? static_cast<int64_t>(elements->size()) : graph.values[value].elements;
    Findings found = compareAll(count, options.threads, [&](int64_t i, Findings &findings) {
      int64_t element = elements ? (*elements)[i] : i;
      if (!written[output][element])
        return;
      auto [right, allowed] = allowanceOf(type, expected.value[element], expected.error[element]);
      double got = loadElement(memory[value], element, type);
      if (std::isinf(allowed) || std::isnan(allowed)) {
        ++unbounded;
        return;
      }
      ++compared;
      if (std::isnan(right) && std::isnan(got))
        right = got = 0;
      findings.compare(element, right, got, allowed);
    });
    result.unbounded += unbounded;
    result.compared += compared;
    return found;
  }

  void checkOutput(int value, const std::vector<bool> &isWritten) {
    ElementType type = graph.values[value].type;
    const auto *data = static_cast<const unsigned char *>(memory[value]);
    auto bytes = static_cast<int64_t>(byteSize(type));
    int64_t left = 0, first = -1;
    for (int64_t element = 0; element < graph.values[value].elements; ++element) {
      bool poisoned = isPoison(data, element * bytes, byteSize(type));
      if (!isWritten[element] && !poisoned) {
        result.poison = "element " + std::to_string(element) + " of " + nameOf(value) +
                        " was written, which lies between those of the tensor";
        return;
      }
      if (!isWritten[element] || !poisoned || !isFloat(type))
        continue;
      ++left;
      first = first < 0 ? element : first;
    }
    if (left > 0)
      result.poison = std::to_string(left) + " of " + std::to_string(isWritten.size()) + " elements of " +
                      nameOf(value) + " never written, first element " + std::to_string(first);
  }

  const GraphSpec &graph;
  const std::vector<const void *> &memory;
  const VerifyOptions &options;
  std::vector<std::vector<bool>> written; ///< By output.
};

} // namespace

GraphVerifyResult verify(const GraphSpec &graph, const std::vector<const void *> &memory, const VerifyOptions &options,
                         std::span<const NamedBuffer> buffers) {
  GraphVerifier verifier(graph, memory, options);
  if (options.mode != VerifyMode::Off)
    verifier.compare();
  verifier.checkMemory(buffers);
  GraphVerifyResult result = std::move(verifier.result);
  if (result.poison != "ok" || result.bad > 0)
    result.status = "failed";
  else if (options.mode != VerifyMode::Off)
    result.status = "ok";
  if (result.poison != "ok")
    result.message = result.poison + (result.message.empty() ? "" : "; " + result.message);
  return result;
}

} // namespace orzo
