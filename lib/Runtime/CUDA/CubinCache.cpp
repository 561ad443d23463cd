#include "Runtime/CUDA/CubinCache.h"
#include "orzo/Support/Environment.h"
#include "orzo/Support/Sha256.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace orzo::cuda {

namespace fs = std::filesystem;

std::optional<CubinCache> CubinCache::standard() {
  if (std::optional<std::string> folder = defaultCacheDirectory())
    return CubinCache(*folder + "/cubin");
  return std::nullopt;
}

std::string CubinCache::key(std::span<const uint8_t> ptx, int driverVersion, const std::string &architecture) {
  std::string text = architecture + " " + std::to_string(driverVersion) + "\n";
  text.append(ptx.begin(), ptx.end());
  return toHex(sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
}

std::optional<std::vector<uint8_t>> CubinCache::read(const std::string &key) const {
  std::ifstream file(fileOf(key), std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Sha256Digest digest;
  if (file.bad() || bytes.size() <= digest.size())
    return std::nullopt;
  std::vector<uint8_t> cubin(bytes.begin() + digest.size(), bytes.end());
  digest = sha256(cubin);
  if (!std::equal(digest.begin(), digest.end(), bytes.begin()))
    return std::nullopt;
  return cubin;
}

bool CubinCache::write(const std::string &key, std::span<const uint8_t> cubin) const {
  std::error_code error;
  fs::create_directories(folder, error);
  std::string temporary = folder + "/" + key + "." + std::to_string(getpid()) + ".tmp";
  {
    std::ofstream file(temporary, std::ios::binary);
    Sha256Digest digest = sha256(cubin);
    file.write(reinterpret_cast<const char *>(digest.data()), digest.size());
    file.write(reinterpret_cast<const char *>(cubin.data()), static_cast<std::streamsize>(cubin.size()));
    if (!file.flush()) {
      file.close();
      fs::remove(temporary, error);
      return false;
    }
  }
  fs::rename(temporary, fileOf(key), error);
  if (error) {
    fs::remove(temporary, error);
    return false;
  }
  evict(fileOf(key));
  return true;
}

void CubinCache::evict(const std::string &kept) const {
  struct File {
    fs::file_time_type written;
    int64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".cubin")
      continue;
    // Another process may remove it meanwhile.
    std::error_code gone;
    File file{at->last_write_time(gone), gone ? 0 : static_cast<int64_t>(at->file_size(gone)), at->path()};
    if (gone)
      continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &File::written);
  for (const File &file : files) {
    if (total <= maxBytes)
      return;
    if (file.path == kept)
      continue;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

} // namespace orzo::cuda
