// The refusal of layouts that have no way back from offsets to coordinates.
#pragma once

#include "tilefoundry/layout/layout.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

// TF3018.
class NotProjectable : public NamedError<NotProjectable, ValueError> {
 public:
  static constexpr std::string_view kName = "NotProjectable";
  using NamedError::NamedError;
};

}  // namespace tilefoundry
