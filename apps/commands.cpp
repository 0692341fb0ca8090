#include "apps/commands.hpp"

namespace dpx {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      {"train", "train LeNet on k devices and say where the time went", make_train},
      {"parity", "check that one step on k devices is the step on one", make_parity},
  };
  return list;
}

}  // namespace dpx
