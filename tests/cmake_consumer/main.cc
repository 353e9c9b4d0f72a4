// The smallest user of the installed library: renders one diagnostic.
#include <iostream>
#include <string>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/source.h"
#include "tilefoundry/support/version.h"

int main() {
  const std::string text = "y = addd(x, x)\n";
  const tilefoundry::Diagnostic diagnostic{
      .code = "TF2001",
      .message = "unknown name 'addd'",
      .span = {tilefoundry::make_ref<tilefoundry::SourceBuffer>("demo.py", text), 4, 8},
      .hint = "write 'add'"};
  std::cout << "tilefoundry " << tilefoundry::version() << "\n" << tilefoundry::render(diagnostic);
}
