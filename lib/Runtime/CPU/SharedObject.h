// SharedObject: kernel code loaded from memory.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace orzo::cpu {

/// Owns an ELF shared object in this process; unloaded with the object.
class SharedObject {
public:
  /// Loads `code` without touching the file system (memfd, dlopen). `name` is what debuggers and profilers show.
  /// InvalidArgument: not an x86-64 ELF shared object, cut off, or it needs a symbol nobody has. Unavailable: the
  /// operating system refuses.
  static Expected<SharedObject> load(std::span<const uint8_t> code, const std::string &name);

  SharedObject(SharedObject &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), file(std::exchange(other.file, -1)) {}
  SharedObject &operator=(SharedObject &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(file, other.file);
    return *this;
  }
  ~SharedObject();

  /// Address of `symbol`; InvalidArgument names it where the object has none.
  Expected<void *> symbol(const std::string &symbol) const;

private:
  SharedObject(void *handle, int file) : handle(handle), file(file) {}

  void *handle;
  /// Open as long as the code is loaded: the loader knows the object by "/proc/self/fd/N" and would return this one
  /// again if another were opened under the same N.
  int file;
};

} // namespace orzo::cpu
