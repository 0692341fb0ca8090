#include "apps/cli.hpp"
#include "apps/commands.hpp"

int main(int argc, char** argv) {
  return dpx::run_cli(argc, argv, dpx::commands());
}
