// Intrusive reference counting for immutable nodes.
//
// `Ref<T>` owns one count of a `RefCounted` object. Counts are atomic. Destruction never recurses:
// the last release of a node queues it, and one loop per thread frees the queue, so a chain of a
// million nodes dies with constant stack use. The counter can be handed over to Python once (see
// `set_python_owner`), after which both languages share the count of the Python object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace tilefoundry {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept;
  void release() const noexcept;

  // Adds a count unless the count already reached zero; interning tables use it.
  bool try_retain() const noexcept;

  // Hands the count to a Python object: all current counts become counts of `object`.
  void set_python_owner(void* object) const noexcept;
  // The Python object that owns the count, or null.
  void* python_owner() const noexcept;

  // Installed once by the Python binding.
  static void set_python_hooks(void (*incref)(void*) noexcept,
                               void (*decref)(void*) noexcept) noexcept;

 protected:
  virtual ~RefCounted() = default;
  // Called when the last count goes; interned values leave their table here first.
  virtual void on_last_release() const noexcept;
  void destroy() const noexcept;

 private:
  // Odd: (count << 1) | 1, owned by C++. Even: a PyObject* that owns the count.
  mutable std::atomic<std::uintptr_t> state_{1};
  mutable const RefCounted* next_doomed_ = nullptr;
};

template <class T>
class Ref {
 public:
  using element_type = T;

  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit Ref(T* pointer) noexcept : pointer_(pointer) {
    if (pointer_) pointer_->retain();
  }
  Ref(const Ref& other) noexcept : Ref(other.pointer_) {}
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(const Ref<U>& other) noexcept : Ref(other.get()) {}  // NOLINT(google-explicit-constructor)
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(Ref<U>&& other) noexcept : pointer_(other.detach()) {}  // NOLINT(google-explicit-constructor)
  ~Ref() {
    if (pointer_) pointer_->release();
  }

  Ref& operator=(Ref other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }

  // Takes over a count that the caller holds.
  static Ref adopt(T* pointer) noexcept {
    Ref result;
    result.pointer_ = pointer;
    return result;
  }

  T* get() const noexcept { return pointer_; }
  T* operator->() const noexcept { return pointer_; }
  T& operator*() const noexcept { return *pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.pointer_ == b.pointer_; }
  friend bool operator==(const Ref& a, std::nullptr_t) noexcept { return a.pointer_ == nullptr; }

 private:
  T* pointer_ = nullptr;
};

template <class T, class... Args>
Ref<const T> make_ref(Args&&... args) {
  return Ref<const T>(new T(std::forward<Args>(args)...));
}

// Downcast by the caller's knowledge of the kind; no check.
template <class T, class U>
Ref<const T> static_ref_cast(const Ref<const U>& ref) noexcept {
  return Ref<const T>(static_cast<const T*>(ref.get()));
}

}  // namespace tilefoundry

template <class T>
struct std::hash<tilefoundry::Ref<T>> {
  std::size_t operator()(const tilefoundry::Ref<T>& ref) const noexcept {
    return std::hash<T*>()(ref.get());
  }
};
