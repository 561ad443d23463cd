#include "Api/CompilerLibrary.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace orzo {

static constexpr const char *libraryName = "liborzo-compiler.so";

static std::string executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string text(path, length > 0 ? static_cast<size_t>(length) : 0);
  size_t slash = text.rfind('/');
  return slash == std::string::npos ? "." : text.substr(0, slash);
}

Expected<std::string> findCompilerLibrary() {
  std::string folder = executableFolder(), tried;
  for (const std::string &path : {folder + "/../lib/" + libraryName, folder + "/" + libraryName}) {
    if (access(path.c_str(), R_OK) == 0)
      return path;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return Status::unavailable("the compiler library is not there; tried " + tried +
                             ". Build it (./dev build), or run what is compiled already with orzo-run");
}

namespace {

/// Read-only view of a file's pieces by offset.
class FileReader {
public:
  explicit FileReader(const std::string &path) : file(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileReader() {
    if (file >= 0)
      close(file);
  }
  FileReader(const FileReader &) = delete;
  FileReader &operator=(const FileReader &) = delete;

  bool read(uint64_t offset, void *into, size_t bytes) const {
    return file >= 0 && pread(file, into, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

private:
  int file;
};

/// The contents of the NT_GNU_BUILD_ID note among `notes`, in hexadecimal; empty where there is none.
std::string buildIdNote(const std::vector<unsigned char> &notes) {
  auto padded = [](uint32_t size) { return (uint64_t(size) + 3) / 4 * 4; };
  uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    uint64_t name = at + sizeof note, contents = name + padded(note.n_namesz), next = contents + padded(note.n_descsz);
    if (next > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      std::string text;
      for (uint64_t i = 0; i < note.n_descsz; ++i) {
        text += "0123456789abcdef"[notes[contents + i] >> 4];
        text += "0123456789abcdef"[notes[contents + i] & 15];
      }
      return text;
    }
    at = next;
  }
  return "";
}

std::string elfBuildId(const std::string &path) {
  FileReader file(path);
  Elf64_Ehdr header;
  if (!file.read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "";
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!file.read(header.e_phoff + i * sizeof segment, &segment, sizeof segment))
      return "";
    if (segment.p_type != PT_NOTE || segment.p_filesz > (1 << 16))
      continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    if (!file.read(segment.p_offset, notes.data(), notes.size()))
      return "";
    if (std::string text = buildIdNote(notes); !text.empty())
      return text;
  }
  return "";
}

} // namespace

Expected<std::string> compilerBuildId() {
  Expected<std::string> path = findCompilerLibrary();
  if (!path)
    return path.status();
  if (std::string text = elfBuildId(*path); !text.empty())
    return "elf-" + text;
  struct stat state;
  if (stat(path->c_str(), &state) != 0)
    return Status::unavailable("cannot look at " + *path + ": " + std::strerror(errno));
  return "file-" + std::to_string(state.st_size) + "-" + std::to_string(state.st_mtim.tv_sec) + "." +
         std::to_string(state.st_mtim.tv_nsec);
}

static Expected<const orzo_compiler_table *> openCompiler() {
  Expected<std::string> path = findCompilerLibrary();
  if (!path)
    return path.status();
  void *library = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status::unavailable("the compiler library cannot be loaded: " + std::string(reason ? reason : *path));
  }
  auto entry = reinterpret_cast<orzo_compiler_entry_fn>(dlsym(library, "orzo_compiler_entry"));
  const orzo_compiler_table *table = entry ? entry() : nullptr;
  if (!table)
    return Status::unavailable(*path + " is no compiler library: it has no orzo_compiler_entry");
  if (table->version != ORZO_COMPILER_ENTRY_VERSION)
    return Status::unavailable(*path + " has entry version " + std::to_string(table->version) +
                               ", this program needs version " + std::to_string(ORZO_COMPILER_ENTRY_VERSION));
  return table;
}

Expected<LoadedCompiler> loadCompiler() {
  static std::mutex mutex;
  static const orzo_compiler_table *loaded = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (loaded)
    return LoadedCompiler{loaded, 0};
  auto start = std::chrono::steady_clock::now();
  Expected<const orzo_compiler_table *> table = openCompiler();
  if (!table)
    return table.status();
  loaded = *table;
  return LoadedCompiler{loaded,
                        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()};
}

std::string describeCompilerLibrary() {
  Expected<std::string> path = findCompilerLibrary();
  if (!path)
    return path.status().message();
  Expected<std::string> build = compilerBuildId();
  return *path + ", build " + (build ? *build : build.status().message());
}

} // namespace orzo
