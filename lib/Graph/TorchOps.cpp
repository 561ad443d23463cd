#include "Graph/TorchOps.h"

namespace orzo::graph {

std::string_view torchName(DataType type) {
  switch (type) {
  case DataType::Half:
    return "f16";
  case DataType::BFloat16:
    return "bf16";
  case DataType::Float:
    return "f32";
  case DataType::Double:
    return "f64";
  case DataType::Uint8:
    return "ui8";
  case DataType::Int8:
    return "si8";
  case DataType::Int16:
    return "si16";
  case DataType::Int32:
    return "si32";
  case DataType::Int64:
    return "si64";
  case DataType::Boolean:
    return "i1";
  case DataType::NotSet:
    break;
  }
  return "unk";
}

int64_t torchScalarType(DataType type) {
  switch (type) {
  case DataType::Uint8:
    return 0;
  case DataType::Int8:
    return 1;
  case DataType::Int16:
    return 2;
  case DataType::Int32:
    return 3;
  case DataType::Int64:
    return 4;
  case DataType::Half:
    return 5;
  case DataType::Float:
    return 6;
  case DataType::Double:
    return 7;
  case DataType::Boolean:
    return 11;
  case DataType::BFloat16:
    return 15;
  case DataType::NotSet:
    break;
  }
  return -1;
}

std::string torchType(const Extents &dim, DataType type, bool isMutable) {
  return TorchText::tensor(dim, torchName(type), isMutable);
}

TorchTensor TorchOps::permute(const TorchTensor &from, const std::vector<int> &order, const std::string &name) {
  Extents dim;
  for (int source : order)
    dim.push_back(from.dim[source]);
  TorchValue dims = integers("order", {order.begin(), order.end()});
  return tensor("aten.permute", {from, dims}, name, dim, from.type);
}

TorchTensor TorchOps::unsqueeze(const TorchTensor &from, int64_t at, const std::string &name) {
  Extents dim = from.dim;
  dim.insert(dim.begin() + at, 1);
  return tensor("aten.unsqueeze", {from, integer("dim", at)}, name, dim, from.type);
}

TorchTensor TorchOps::squeeze(const TorchTensor &from, int64_t at, const std::string &name) {
  Extents dim = from.dim;
  dim.erase(dim.begin() + at);
  return tensor("aten.squeeze.dim", {from, integer("dim", at)}, name, dim, from.type);
}

} // namespace orzo::graph
