#include "apps/commands.hpp"

namespace dpx {

std::unique_ptr<Experiment> make_train();
std::unique_ptr<Experiment> make_parity();

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
<<<<<<< HEAD
      {"train", "train LeNet on k devices and say where the time went", make_train},
=======
      {"train", "train LeNet on k devices: loss, accuracy and where the time goes", make_train},
>>>>>>> core
      {"parity", "check that one step on k devices is the step on one", make_parity},
  };
  return list;
}

}  // namespace dpx
