#include "Cache/CacheKey.h"
#include "orzo/Support/Sha256.h"

namespace orzo {

std::string digest(const CacheKey &key) {
  Sha256 hash;
  for (const std::string *field :
       {&key.problem, &key.binding, &key.target, &key.plan, &key.forceLowering, &key.compilerBuild}) {
    hash.update(std::to_string(field->size()) + ":");
    hash.update(*field);
  }
  return toHex(hash.finish());
}

} // namespace orzo
