// The three driver programs whose commands orzo reads. They share most flags and differ in defaults and grammar.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orzo {

enum class Dialect : uint8_t { MIOpen, Boo, Fusilli };
inline constexpr std::array<Dialect, 3> allDialects = {Dialect::MIOpen, Dialect::Boo, Dialect::Fusilli};

/// The program whose grammar it is: "MIOpenDriver", "iree-boo-driver" or "fusilli_benchmark_driver".
std::string_view programName(Dialect dialect);

/// The dialect that `word` selects when it is a program name, with or without folders before it
/// ("./bin/MIOpenDriver"); nullopt when it is none.
std::optional<Dialect> dialectOfProgram(std::string_view word);

} // namespace orzo
