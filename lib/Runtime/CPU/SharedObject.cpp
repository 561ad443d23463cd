#include "Runtime/CPU/SharedObject.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orzo::cpu {

/// The loader trusts offsets and sizes that it finds in the file; those that can lead it outside are checked first.
static Status checkElf(std::span<const uint8_t> code) {
  Elf64_Ehdr header;
  if (code.size() < sizeof header || std::memcmp(code.data(), ELFMAG, SELFMAG) != 0)
    return Status::invalidArgument("the kernel image is not an ELF file");
  std::memcpy(&header, code.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_X86_64 || header.e_type != ET_DYN)
    return Status::invalidArgument("the kernel image is not a shared object for x86-64");
  uint64_t tableBytes = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > code.size() ||
      tableBytes > code.size() - header.e_phoff)
    return Status::invalidArgument("the kernel image's program headers lie outside of it");
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, code.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
      continue;
    if (segment.p_offset > code.size() || segment.p_filesz > code.size() - segment.p_offset)
      return Status::invalidArgument("the kernel image is cut off: a segment ends at byte " +
                                     std::to_string(segment.p_offset + segment.p_filesz) + " of " +
                                     std::to_string(code.size()));
  }
  return {};
}

/// A memory file that may be mapped executable.
static int createMemoryFile(const std::string &name) {
  // MFD_EXEC asks for it where the system's default is not to allow it; kernels before 6.3 do not know the flag.
  constexpr unsigned executable = 0x0010;
  int file = memfd_create(name.c_str(), MFD_CLOEXEC | executable);
  return file >= 0 || errno != EINVAL ? file : memfd_create(name.c_str(), MFD_CLOEXEC);
}

Expected<SharedObject> SharedObject::load(std::span<const uint8_t> code, const std::string &name) {
  if (Status status = checkElf(code); !status.ok())
    return status;
  int file = createMemoryFile(name);
  if (file < 0)
    return Status::unavailable(std::string("cannot create a memory file for kernels: ") + std::strerror(errno));
  SharedObject object(nullptr, file);
  for (size_t done = 0; done < code.size();) {
    ssize_t written = write(file, code.data() + done, code.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Status::unavailable(std::string("cannot write kernels to a memory file: ") + std::strerror(errno));
    done += written;
  }
  object.handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle) {
    const char *reason = dlerror();
    return Status::invalidArgument(std::string("the kernel image cannot be loaded: ") +
                                   (reason ? reason : "no reason"));
  }
  return object;
}

SharedObject::~SharedObject() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

Expected<void *> SharedObject::symbol(const std::string &symbol) const {
  if (void *address = dlsym(handle, symbol.c_str()))
    return address;
  return Status::invalidArgument("the kernel image has no symbol '" + symbol + "'");
}

} // namespace orzo::cpu
