// The notes of one command: what it says that has no effect here, in one sentence per reason.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace orzo {

class NoteList {
public:
  /// `flag` (as written) does nothing here because of `reason`. Flags of one reason share a note.
  void noEffect(const std::string &flag, const std::string &reason);

  /// A note that is not about a flag without effect.
  void add(std::string note) { plain.push_back(std::move(note)); }

  /// Plain notes, then e.g. "flags -t, -w have no effect here: orzo always times".
  std::vector<std::string> texts() const;

private:
  std::vector<std::string> plain;
  std::vector<std::pair<std::string, std::vector<std::string>>> byReason;
};

} // namespace orzo
