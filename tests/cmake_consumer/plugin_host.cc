// plugin_host PLUGIN: loads a plugin with dlopen and lets its analysis work on a program.
#include <dlfcn.h>

#include <iostream>

#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/support/diagnostic.h"

namespace tf = tilefoundry;

namespace {

const char* const kProgram = R"(
from tilefoundry import func
from tilefoundry.dsl import Tensor
from tilefoundry.dsl.tf import reshape


@func
def f(x: Tensor[(4, 8), "f32"]) -> Tensor[(8, 4), "f32"]:
    flat = reshape(x, (32,))
    pairs = reshape(flat, (8, 4))
    squared = pairs * pairs
    return reshape(squared, (8, 4))
)";

}  // namespace

int main(int, char** argv) {
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::cerr << dlerror() << "\n";
    return 1;
  }
  const auto source = tf::make_ref<tf::SourceBuffer>("demo.py", kProgram);
  const tf::LoadedFile file = tf::load_source(source);
  using Register = void();
  const auto add = reinterpret_cast<Register*>(dlsym(plugin, "register_plugin"));
  add();
  using Count = int(const tf::Function&);
  const auto count = reinterpret_cast<Count*>(dlsym(plugin, "count_views_of_parameters"));
  std::cout << "views of parameters: " << count(*file.functions.front()) << "\n";
  try {
    add();
  } catch (const tf::RegistryError& error) {
    std::cout << error.what();
  }
}
