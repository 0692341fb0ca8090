#include "apps/commands.hpp"

namespace dpx {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {};
  return list;
}

}  // namespace dpx
