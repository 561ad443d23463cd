# Writes OUTPUT, a header that defines ORZO_BUILD_ID: LLVM_VERSION and a hash over the files listed in SOURCES_FILE, one a
# line. The header changes only when the hash does.
file(STRINGS ${SOURCES_FILE} sources)
set(hashes "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 32 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define ORZO_BUILD_ID \"${hash}-llvm${LLVM_VERSION}\"\n")
