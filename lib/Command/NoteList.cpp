#include "Command/NoteList.h"

#include <algorithm>

namespace orzo {

void NoteList::noEffect(const std::string &flag, const std::string &reason) {
  auto found = std::find_if(byReason.begin(), byReason.end(), [&](const auto &entry) { return entry.first == reason; });
  if (found == byReason.end())
    found = byReason.insert(byReason.end(), {reason, {}});
  std::vector<std::string> &flags = found->second;
  if (std::find(flags.begin(), flags.end(), flag) == flags.end())
    flags.push_back(flag);
}

std::vector<std::string> NoteList::texts() const {
  std::vector<std::string> notes = plain;
  for (const auto &[reason, flags] : byReason) {
    std::string note = flags.size() == 1 ? "flag " : "flags ";
    for (size_t index = 0; index < flags.size(); ++index)
      note += (index ? ", " : "") + flags[index];
    notes.push_back(note + (flags.size() == 1 ? " has" : " have") + " no effect here: " + reason);
  }
  return notes;
}

} // namespace orzo
