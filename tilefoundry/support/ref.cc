#include "tilefoundry/support/ref.h"

namespace tilefoundry {
namespace {

void (*python_incref)(void*) noexcept = nullptr;
void (*python_decref)(void*) noexcept = nullptr;

void* as_python(std::uintptr_t state) noexcept {
  return reinterpret_cast<void*>(state);  // NOLINT(performance-no-int-to-ptr)
}

struct DoomedList {
  const RefCounted* head = nullptr;
  bool draining = false;
};

DoomedList& doomed() noexcept {
  thread_local DoomedList list;
  return list;
}

}  // namespace

void RefCounted::set_python_hooks(void (*incref)(void*) noexcept,
                                  void (*decref)(void*) noexcept) noexcept {
  python_incref = incref;
  python_decref = decref;
}

void RefCounted::retain() const noexcept {
  std::uintptr_t state = state_.load(std::memory_order_relaxed);
  while ((state & 1) != 0) {
    if (state_.compare_exchange_weak(state, state + 2, std::memory_order_relaxed)) return;
  }
  python_incref(as_python(state));
}

bool RefCounted::try_retain() const noexcept {
  std::uintptr_t state = state_.load(std::memory_order_relaxed);
  while ((state & 1) != 0) {
    if (state == 1) return false;
    if (state_.compare_exchange_weak(state, state + 2, std::memory_order_acquire)) return true;
  }
  python_incref(as_python(state));
  return true;
}

void RefCounted::release() const noexcept {
  std::uintptr_t state = state_.load(std::memory_order_relaxed);
  while ((state & 1) != 0) {
    if (state_.compare_exchange_weak(state, state - 2, std::memory_order_acq_rel)) {
      if (state == 3) on_last_release();
      return;
    }
  }
  python_decref(as_python(state));
}

void RefCounted::on_last_release() const noexcept { destroy(); }

void RefCounted::destroy() const noexcept {
  DoomedList& list = doomed();
  next_doomed_ = list.head;
  list.head = this;
  if (list.draining) return;
  list.draining = true;
  while (list.head != nullptr) {
    const RefCounted* node = list.head;
    list.head = node->next_doomed_;
    delete node;
  }
  list.draining = false;
}

void RefCounted::set_python_owner(void* object) const noexcept {
  std::uintptr_t state = state_.load(std::memory_order_relaxed);
  const auto owner = reinterpret_cast<std::uintptr_t>(object);
  while (!state_.compare_exchange_weak(state, owner, std::memory_order_acq_rel)) {
  }
  for (std::uintptr_t count = state >> 1; count > 0; --count) python_incref(object);
}

void* RefCounted::python_owner() const noexcept {
  const std::uintptr_t state = state_.load(std::memory_order_acquire);
  return (state & 1) != 0 ? nullptr : as_python(state);
}

}  // namespace tilefoundry
