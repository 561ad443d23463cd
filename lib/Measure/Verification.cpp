#include "Measure/Verification.h"

#include "Measure/ErrorBound.h"
#include "Measure/Findings.h"
#include "Measure/Poison.h"
#include "Measure/Samples.h"
#include "Reference/Projection.h"

#include <cmath>
#include <vector>

namespace orzo {

static constexpr int64_t sampleCount = 4096;

std::string_view name(VerifyMode mode) {
  switch (mode) {
  case VerifyMode::Auto:
    return "auto";
  case VerifyMode::Full:
    return "full";
  case VerifyMode::Project:
    return "project";
  case VerifyMode::Sample:
    return "sample";
  case VerifyMode::Off:
    break;
  }
  return "off";
}

Expected<VerifyMode> parseVerifyMode(std::string_view text) {
  for (VerifyMode mode : {VerifyMode::Auto, VerifyMode::Full, VerifyMode::Project, VerifyMode::Sample, VerifyMode::Off})
    if (text == name(mode))
      return mode;
  return Status::invalidArgument("--verify: unknown mode '" + std::string(text) +
                                 "'; known are auto, full, project, sample and off");
}

namespace {

class Verifier {
public:
  Verifier(const ConvSpec &spec, const reference::Tensors &tensors, const VerifyOptions &options)
      : spec(spec), tensors(tensors), options(options), role(resultRole(spec.direction)),
        actual(tensors[static_cast<int>(role)]), bound(errorBound(spec)) {}

  void full() {
    auto count = static_cast<size_t>(spec.elementCount(role));
    std::vector<double> value(count), spread(options.exact ? 0 : count);
    reference::evaluate(spec, tensors, value.data(), options.exact ? nullptr : spread.data(), options.threads);
    note("full", static_cast<int64_t>(count),
         compareAll(static_cast<int64_t>(count), options.threads, [&](int64_t element, Findings &found) {
           compareElement(element, element, value[element], options.exact ? 0 : spread[element], found);
         }));
    describe([](int64_t element) { return element; });
  }

  void sample() {
    std::vector<int64_t> elements = chooseSamples(spec, sampleCount, options.seed);
    std::vector<double> value(elements.size()), spread(elements.size());
    reference::sample(spec, tensors, elements, value.data(), options.exact ? nullptr : spread.data(), options.threads);
    note("sample", static_cast<int64_t>(elements.size()),
         compareAll(static_cast<int64_t>(elements.size()), options.threads,
                    [&](int64_t i, Findings &found) { compareElement(i, elements[i], value[i], spread[i], found); }));
    describe([&](int64_t i) { return elements[i]; });
  }

  void project() {
    reference::Projection projection = reference::project(spec, tensors, options.seed, !options.exact, options.threads);
    std::vector<double> value, roundings;
    reference::projectResult(spec, projection, actual, options.exact, value, roundings, options.threads);
    auto channels = static_cast<int64_t>(projection.signs.size());
    note("project", static_cast<int64_t>(value.size()),
         compareAll(static_cast<int64_t>(value.size()), options.threads, [&](int64_t i, Findings &found) {
           double allowed = options.exact ? 6 * std::sqrt(roundings[i])
                                          : bound.ofProjection(roundings[i], projection.spread[i], channels);
           found.compare(i, projection.value[i], value[i], allowed);
         }));
    if (!latest.bad)
      return;
    // The projected result is the result with one axis gone.
    ConvSpec projected = spec;
    std::erase(projected.layout(role), projection.axis);
    result.message = describeElement(projected, role, latest.first) + " summed over " +
                     std::string(1, letter(role, projection.axis, spec.rank())) + " with random signs" + tail();
  }

  VerifyResult result;

private:
  void compareElement(int64_t index, int64_t element, double reference, double spread, Findings &found) const {
    double got = loadElement(actual, element, spec.type(role));
    if (!options.exact) {
      found.compare(index, reference, got, bound.of(reference, spread));
      return;
    }
    if (got != reference) { // Rounding is slow, and most integers need none.
      uint32_t rounded = 0;
      storeElement(&rounded, 0, spec.type(role), reference);
      reference = loadElement(&rounded, 0, spec.type(role));
    }
    found.compare(index, reference, got, 0);
  }

  void note(const char *mode, int64_t compared, const Findings &found) {
    result.mode = result.mode == "off" ? mode : result.mode + "+" + mode;
    result.compared += compared;
    result.bad += found.bad;
    if (found.worstRatio > worstRatio) {
      worstRatio = found.worstRatio;
      result.error = found.error;
      result.bound = found.bound;
    }
    latest = found;
  }

  std::string tail() const {
    return ": expected " + shortest(latest.expected) + ", got " + shortest(latest.got) + " (" +
           std::to_string(latest.bad) + " bad of " + std::to_string(result.compared) + " compared)";
  }

  template <typename ElementOf> void describe(ElementOf elementOf) {
    if (latest.bad)
      result.message =
          std::string(name(role)) + "[" + describeElement(spec, role, elementOf(latest.first)) + "]" + tail();
  }

  const ConvSpec &spec;
  const reference::Tensors &tensors;
  const VerifyOptions &options;
  Role role;
  const void *actual;
  ErrorBound bound;
  double worstRatio = -1;
  Findings latest;
};

std::string poisonReport(const ConvSpec &spec, const void *result, std::span<const NamedBuffer> buffers) {
  Role role = resultRole(spec.direction);
  PoisonLeft left = poisonLeft(result, spec.elementCount(role), spec.type(role));
  if (left.count > 0)
    return std::to_string(left.count) + " of " + std::to_string(spec.elementCount(role)) + " elements of " +
           std::string(name(role)) + " never written, first " + describeElement(spec, role, left.first);
  for (const NamedBuffer &named : buffers)
    if (int64_t offset = named.buffer->checkCanary())
      return "memory " +
             (offset < 0 ? std::to_string(-offset) + " bytes before "
                         : std::to_string(offset - static_cast<int64_t>(named.buffer->size())) + " bytes after ") +
             std::string(named.name) + " was overwritten";
  return "ok";
}

} // namespace

VerifyResult verify(const ConvSpec &spec, const reference::Tensors &tensors, const VerifyOptions &options,
                    std::span<const NamedBuffer> buffers) {
  Verifier verifier(spec, tensors, options);
  VerifyMode mode = options.mode;
  bool both = false;
  if (mode == VerifyMode::Auto) {
    mode = VerifyMode::Full;
    both = reference::estimateSeconds(spec, options.threads) >= options.fullSeconds;
  }
  // Samples last: an element's name says more than a sum's, but the sums see everything.
  if (both || mode == VerifyMode::Project)
    verifier.project();
  if (both || mode == VerifyMode::Sample)
    verifier.sample();
  if (!both && mode == VerifyMode::Full)
    verifier.full();
  VerifyResult result = std::move(verifier.result);
  result.poison = poisonReport(spec, tensors[static_cast<int>(resultRole(spec.direction))], buffers);
  if (result.poison != "ok" || result.bad > 0)
    result.status = "failed";
  else if (mode != VerifyMode::Off)
    result.status = "ok";
  if (result.poison != "ok")
    result.message = result.poison + (result.message.empty() ? "" : "; " + result.message);
  return result;
}

} // namespace orzo
