// One private isl context with a work budget, and owners for isl's objects. Included by the sources
// of this folder only.
#pragma once

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

#include <memory>
#include <string>

#include "tilefoundry/relation/isl.h"

namespace tilefoundry {

struct IslFree {
  void operator()(isl_set* value) const { isl_set_free(value); }
  void operator()(isl_map* value) const { isl_map_free(value); }
  void operator()(isl_multi_aff* value) const { isl_multi_aff_free(value); }
  void operator()(isl_pw_multi_aff* value) const { isl_pw_multi_aff_free(value); }
  void operator()(isl_pw_aff* value) const { isl_pw_aff_free(value); }
  void operator()(isl_aff* value) const { isl_aff_free(value); }
};
template <class T>
using IslPtr = std::unique_ptr<T, IslFree>;

class IslSession {
 public:
  IslSession();
  ~IslSession();
  IslSession(const IslSession&) = delete;
  IslSession& operator=(const IslSession&) = delete;

  isl_ctx* ctx() const noexcept { return ctx_; }
  IslPtr<isl_set> set(const std::string& text) const;
  IslPtr<isl_map> map(const std::string& text) const;
  IslPtr<isl_multi_aff> multi_aff(const std::string& text) const;

  // Throws for what isl reports as an error: a null object or a negative answer.
  template <class T>
  IslPtr<T> own(T* value, const std::string& subject = "") const {
    if (value == nullptr) fail(subject);
    return IslPtr<T>(value);
  }
  bool truth(isl_bool answer) const {
    if (answer == isl_bool_error) fail("");
    return answer == isl_bool_true;
  }
  int count(isl_size size) const {
    if (size < 0) fail("");
    return size;
  }
  [[noreturn]] void fail(const std::string& subject) const;

  // The value with isl's canonical text.
  IslSet value(const isl_set& object) const;
  IslMap value(const isl_map& object) const;
  IslMultiAff value(const isl_multi_aff& object) const;

 private:
  std::string printed(char* text) const;
  isl_ctx* ctx_;
};

// Names in isl's notation: `$0` and non-ASCII names are encoded, everything else stays.
std::string isl_encode_names(const std::string& text);
std::string isl_decode_names(const std::string& text);
// Whether a name can stand for a parameter as it is written.
bool isl_accepts_name(const std::string& name);

}  // namespace tilefoundry
