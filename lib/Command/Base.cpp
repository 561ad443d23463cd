#include "Command/Base.h"

#include "Command/Suggestion.h"

#include <algorithm>
#include <array>

namespace orzo {

const std::vector<Base> &bases() {
  static const std::vector<Base> table = {
      {"conv", Family::Conv, DataType::F32},      {"convfp32", Family::Conv, DataType::F32},
      {"convfp16", Family::Conv, DataType::F16},  {"convbfp16", Family::Conv, DataType::BF16},
      {"gemm", Family::Gemm, DataType::F32},      {"gemmfp16", Family::Gemm, DataType::F16},
      {"gemmbfp16", Family::Gemm, DataType::BF16}};
  return table;
}

/// Operations of the drivers, without their type suffix. Those orzo computes are here for their other types.
static constexpr std::array<std::string_view, 58> operations = {"conv",
                                                                "gemm",
                                                                "pool",
                                                                "lrn",
                                                                "activ",
                                                                "softmax",
                                                                "bnorm",
                                                                "rnn",
                                                                "rnn_seq",
                                                                "ctc",
                                                                "dropout",
                                                                "tensorop",
                                                                "reduce",
                                                                "layernorm",
                                                                "addlayernorm",
                                                                "t5layernorm",
                                                                "groupnorm",
                                                                "instancenorm",
                                                                "cat",
                                                                "sum",
                                                                "max",
                                                                "min",
                                                                "argmax",
                                                                "argmin",
                                                                "adam",
                                                                "ampadam",
                                                                "adamw",
                                                                "ampadamw",
                                                                "transformersadamw",
                                                                "transformersampadamw",
                                                                "getitem",
                                                                "reduceextreme",
                                                                "reducecalculation",
                                                                "rope",
                                                                "prelu",
                                                                "kthvalue",
                                                                "glu",
                                                                "softmarginloss",
                                                                "multimarginloss",
                                                                "CBAInfer",
                                                                "CAInfer",
                                                                "matmul",
                                                                "sdpa",
                                                                "avgpool",
                                                                "adaptiveavgpool",
                                                                "fold",
                                                                "unfold",
                                                                "mseloss",
                                                                "nllloss",
                                                                "kldivloss",
                                                                "logsumexp",
                                                                "interpolate",
                                                                "maskedfill",
                                                                "pad",
                                                                "topk",
                                                                "where",
                                                                "embedding",
                                                                "var"};
static constexpr std::array<std::string_view, 11> typeSuffixes = {
    "", "fp32", "fp16", "bfp16", "fp64", "int8", "fp8", "bfp8", "fp16fp32", "bfp16fp32", "bf16"};

static bool isComputed(std::string_view word) {
  return std::any_of(bases().begin(), bases().end(), [&](const Base &base) { return base.word == word; });
}

bool isKnownBase(std::string_view word) {
  if (isComputed(word) || word.starts_with("aten::"))
    return true;
  // "bf16" is no suffix of the drivers' conv and gemm: convbf16 is a misspelt convbfp16.
  for (std::string_view operation : operations)
    for (std::string_view suffix : typeSuffixes)
      if (word.size() == operation.size() + suffix.size() && word.starts_with(operation) && word.ends_with(suffix) &&
          !(suffix == "bf16" && (operation == "conv" || operation == "gemm")))
        return true;
  return false;
}

static std::string computedList(Dialect dialect) {
  if (dialect == Dialect::Fusilli)
    return "conv";
  std::string list;
  for (const Base &base : bases())
    list += (list.empty() ? "" : " ") + std::string(base.word);
  return list;
}

Expected<Base> parseBase(std::string_view word, Dialect dialect) {
  std::string quoted = "'" + std::string(word) + "'";
  for (const Base &base : bases())
    if (base.word == word) {
      if (dialect == Dialect::Fusilli && word != "conv")
        return Status::invalidArgument(std::string(programName(dialect)) + " has no base " + quoted +
                                       "; it has conv, with --fp16 or --bf16");
      return base;
    }
  if (isKnownBase(word))
    return Status::unsupported("base " + quoted + " is not computed by orzo; it computes " + computedList(dialect));
  std::vector<std::string> known;
  for (const Base &base : bases())
    known.emplace_back(base.word);
  for (std::string_view operation : operations)
    known.emplace_back(operation);
  return Status::invalidArgument("unknown base " + quoted + didYouMean(word, known) +
                                 " (bases orzo computes: " + computedList(dialect) + ")");
}

} // namespace orzo
