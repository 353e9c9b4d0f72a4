// A user of the installed library: loads a program from its text, lowers and builds it, calls it on
// arrays, and reads a diagnostic of a program that is wrong.
#include <iostream>
#include <string>

#include "tilefoundry/driver/driver.h"
#include "tilefoundry/frontend/loader.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/version.h"
#include "tilefoundry/text/printer.h"

namespace tf = tilefoundry;

namespace {

const std::string kProgram = R"(
from tilefoundry import func
from tilefoundry.dsl import DimVar, Tensor

n = DimVar("n", 1, 100)


@func
def axpy(x: Tensor[(n,), "f32"], y: Tensor[(n,), "f32"]) -> Tensor[(n,), "f32"]:
    return x * 2.0 + y
)";

tf::ModuleRef load(const std::string& text) {
  const auto source = tf::make_ref<tf::SourceBuffer>("demo.py", text);
  return tf::select(tf::load_source(source), "").module;
}

tf::HostArray sequence(std::int64_t size, float step) {
  tf::HostArray array = tf::HostArray::make("f32", {size});
  for (std::int64_t i = 0; i < size; ++i) array.values<float>()[i] = step * static_cast<float>(i);
  return array;
}

void call_it() {
  const tf::ModuleRef lowered = tf::lower(load(kProgram));
  std::cout << tf::print_module_text(lowered);
  const auto program = tf::build(lowered);
  std::vector<tf::HostArray> inputs;
  inputs.push_back(sequence(5, 1.0F));
  inputs.push_back(sequence(5, 10.0F));
  const std::vector<tf::HostArray> outputs = (*program)(inputs);
  std::cout << program->name() << ":";
  for (std::int64_t i = 0; i < outputs[0].size(); ++i) {
    std::cout << " " << outputs[0].values<float>()[i];
  }
  std::cout << "\n";
  inputs.pop_back();
  try {
    (*program)(inputs);
  } catch (const tf::CallError& error) {
    std::cout << error.class_name() << ": " << error.diagnostic().message << "\n";
  }
}

}  // namespace

int main() {
  std::cout << "tilefoundry " << tf::version() << "\n";
  call_it();
  try {
    load("from tilefoundry import func\n\n\n@func\ndef f(x):\n    return addd(x, x)\n");
  } catch (const tf::Error& error) {
    std::cout << error.what();
  }
}
