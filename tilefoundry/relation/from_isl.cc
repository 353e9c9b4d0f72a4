// The skeleton of a relation recovered from isl values.
#include <isl/val.h>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/relation/isl_session.h"
#include "tilefoundry/relation/isl_view.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw ValueError(Diagnostic{
      .code = "TF3060",
      .message = message,
      .hint = "a relation is a box of extents from 0 and one quasi-affine map per boundary; mark "
              "anything else as opaque"});
}

// Reads isl's affine expressions as dimensions.
class Reader {
 public:
  Reader(const IslSession& session, const std::map<std::string, Dim>& parameters)
      : session_(session), parameters_(parameters) {}

  // `dims` stand for the set (or input) dimensions of the expression.
  Dim affine(const isl_aff& value) const {
    auto* aff = const_cast<isl_aff*>(&value);
    Dim total = integer(isl_aff_get_constant_val(aff));
    total = total + sum(aff, isl_dim_in) + sum(aff, isl_dim_param) + sum(aff, isl_dim_div);
    return with_remainders(total);
  }

  Dim parameter(const char* encoded) const {
    const std::string name = isl_decode_names(encoded);
    const auto it = parameters_.find(name);
    if (it == parameters_.end()) {
      refuse(fmt::format("the parameter {} is not in param_map", name));
    }
    return it->second;
  }

  // The one expression of a piecewise one.
  IslPtr<isl_aff> only_piece(IslPtr<isl_pw_aff> value, const std::string& what) const {
    value = session_.own(isl_pw_aff_coalesce(value.release()));
    if (session_.count(isl_pw_aff_n_piece(value.get())) != 1) {
      refuse(fmt::format("{} is not one affine expression", what));
    }
    isl_aff* piece = nullptr;
    isl_pw_aff_foreach_piece(
        value.get(),
        [](isl_set* domain, isl_aff* aff, void* out) {
          isl_set_free(domain);
          *static_cast<isl_aff**>(out) = aff;
          return isl_stat_ok;
        },
        &piece);
    return session_.own(piece);
  }

 private:
  std::int64_t integer(isl_val* value) const {
    const std::int64_t result = isl_val_get_num_si(value);
    const bool whole = isl_val_is_int(value) == isl_bool_true;
    isl_val_free(value);
    if (!whole) refuse("an index has a fractional coefficient");
    return result;
  }

  Dim sum(isl_aff* aff, isl_dim_type type) const {
    Dim total = 0;
    const int count = session_.count(isl_aff_dim(aff, type));
    for (int i = 0; i < count; ++i) {
      const std::int64_t coefficient = integer(isl_aff_get_coefficient_val(aff, type, i));
      if (coefficient != 0) total = total + variable(aff, type, i) * Dim(coefficient);
    }
    return total;
  }

  Dim variable(isl_aff* aff, isl_dim_type type, int i) const {
    if (type == isl_dim_in) return iter(static_cast<std::size_t>(i));
    if (type == isl_dim_param) {
      return parameter(isl_aff_get_dim_name(aff, type, static_cast<unsigned>(i)));
    }
    // A division is the floor of a rational expression.
    const IslPtr<isl_aff> div = session_.own(isl_aff_get_div(aff, i));
    isl_val* denominator = isl_aff_get_denominator_val(div.get());
    const std::int64_t by = isl_val_get_num_si(denominator);
    const IslPtr<isl_aff> scaled =
        session_.own(isl_aff_scale_val(isl_aff_copy(div.get()), denominator));
    return floordiv(affine(*scaled), by);
  }

  // c * (e // c) is e - e % c: isl writes remainders as divisions.
  static Dim with_remainders(const Dim& dim) {
    Dim result = dim;
    for (const DimTerm& term : dim_as_sum(dim).terms) {
      const DimApply* apply = term.factors.size() == 1 ? term.factors.front()->as_apply() : nullptr;
      if (apply == nullptr || apply->op != DimOp::floordiv) continue;
      const Dim& divisor = apply->operands[1];
      if (!divisor.is_static() || term.coefficient % divisor.value() != 0) continue;
      const std::int64_t times = term.coefficient / divisor.value();
      const Dim& numerator = apply->operands[0];
      const Dim other = result - Dim(term.factors.front()) * Dim(term.coefficient) +
                        (numerator - mod(numerator, divisor)) * Dim(times);
      if (dim_as_sum(other).terms.size() <= dim_as_sum(result).terms.size()) result = other;
    }
    return result;
  }

  const IslSession& session_;
  const std::map<std::string, Dim>& parameters_;
};

// Largest value of one dimension of a set, plus 1.
Dim end_of(const IslSession& session, const Reader& reader, const isl_set& set, int dim) {
  auto* value = isl_set_copy(const_cast<isl_set*>(&set));
  IslPtr<isl_pw_aff> last = session.own(isl_set_dim_max(value, dim));
  const auto aff = reader.only_piece(std::move(last), fmt::format("the extent of i{}", dim));
  return reader.affine(*aff) + 1;
}

Dim start_of(const IslSession& session, const Reader& reader, const isl_set& set, int dim) {
  auto* value = isl_set_copy(const_cast<isl_set*>(&set));
  IslPtr<isl_pw_aff> first = session.own(isl_set_dim_min(value, dim));
  const auto aff = reader.only_piece(std::move(first), fmt::format("the start of i{}", dim));
  return reader.affine(*aff);
}

// The smallest box around a set, as a set.
IslPtr<isl_set> bounding_box(const IslSession& session, const isl_set& set) {
  auto* source = const_cast<isl_set*>(&set);
  const int rank = session.count(isl_set_dim(source, isl_dim_set));
  IslPtr<isl_set> box = session.own(isl_set_universe(isl_set_get_space(source)));
  for (int i = 0; i < rank; ++i) {
    const auto pos = static_cast<unsigned>(i);
    isl_set* shadow = isl_set_copy(source);
    if (i + 1 < rank) {
      shadow = isl_set_eliminate(shadow, isl_dim_set, pos + 1, static_cast<unsigned>(rank - i - 1));
    }
    if (i > 0) shadow = isl_set_eliminate(shadow, isl_dim_set, 0, pos);
    box = session.own(isl_set_intersect(box.release(), shadow));
  }
  return session.own(isl_set_intersect_params(box.release(), isl_set_params(isl_set_copy(source))));
}

void require_box(const IslSession& session, const isl_set& set, const std::string& what) {
  const IslPtr<isl_set> box = bounding_box(session, set);
  if (!session.truth(isl_set_is_equal(box.get(), const_cast<isl_set*>(&set)))) {
    refuse(fmt::format("{} is not a box", what));
  }
}

// Whether a map relates every point of its domain to everything.
bool is_universal(const IslSession& session, isl_map* map) {
  const IslPtr<isl_set> domain = session.own(isl_map_domain(isl_map_copy(map)));
  isl_map* all = isl_map_universe(isl_map_get_space(map));
  const IslPtr<isl_map> wide =
      session.own(isl_map_intersect_domain(all, isl_set_copy(domain.get())));
  return session.truth(isl_map_is_equal(wide.get(), map));
}

BoundaryAccess read_access(const IslSession& session, const Reader& reader, const isl_set& domain,
                           const Shape& extents, const IslMap& text) {
  IslPtr<isl_map> map = session.map(text.text());
  auto* box = const_cast<isl_set*>(&domain);
  map = session.own(isl_map_intersect_domain(map.release(), isl_set_copy(box)));
  const int rank = session.count(isl_map_dim(map.get(), isl_dim_out));
  if (rank > 0 && is_universal(session, map.get())) {
    BoundaryAccess access = BoundaryAccess::opaque_access();
    access.index.assign(static_cast<std::size_t>(rank), Dim(0));
    return access;
  }
  if (!session.truth(isl_map_is_single_valued(map.get()))) {
    refuse(fmt::format("the map {} is not single-valued", text.text()));
  }
  const IslPtr<isl_set> covered = session.own(isl_map_domain(isl_map_copy(map.get())));
  BoundaryAccess access;
  const IslPtr<isl_pw_multi_aff> function = session.own(isl_pw_multi_aff_from_map(map.release()));
  for (int i = 0; i < rank; ++i) {
    IslPtr<isl_pw_aff> each = session.own(isl_pw_multi_aff_get_pw_aff(function.get(), i));
    const auto aff = reader.only_piece(std::move(each), fmt::format("index {}", i));
    access.index.push_back(reader.affine(*aff));
  }
  if (session.truth(isl_set_is_equal(covered.get(), box))) return access;
  require_box(session, *covered, "the part of the domain that a map covers");
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const int dim = static_cast<int>(i);
    IterGuard guard{i, start_of(session, reader, *covered, dim),
                    end_of(session, reader, *covered, dim)};
    if (!guard.lo.is(0) || !(guard.hi == extents[i])) access.guards.push_back(std::move(guard));
  }
  return access;
}

Shape read_extents(const IslSession& session, const Reader& reader, const isl_set& domain) {
  auto* set = const_cast<isl_set*>(&domain);
  const int rank = session.count(isl_set_dim(set, isl_dim_set));
  Shape extents;
  if (session.truth(isl_set_is_empty(set))) {
    extents.assign(static_cast<std::size_t>(rank), Dim(0));
    return extents;
  }
  require_box(session, domain, "the domain");
  for (int i = 0; i < rank; ++i) {
    if (!start_of(session, reader, domain, i).is(0)) {
      refuse(fmt::format("dimension i{} of the domain does not start at 0", i));
    }
    extents.push_back(end_of(session, reader, domain, i));
  }
  return extents;
}

}  // namespace

AccessRelationResult AccessRelationResult::from_isl(IslSet domain, std::vector<IslMap> maps,
                                                    std::map<std::string, Dim> param_map) {
  const IslSession session;
  const Reader reader(session, param_map);
  const IslPtr<isl_set> set = session.set(domain.text());
  Shape extents = read_extents(session, reader, *set);
  std::vector<BoundaryAccess> accesses;
  for (const IslMap& map : maps) {
    accesses.push_back(read_access(session, reader, *set, extents, map));
  }
  AccessRelationResult result(std::move(extents), std::move(accesses));
  result.view_->domain = std::move(domain);
  result.view_->maps = std::move(maps);
  result.view_->param_map = std::move(param_map);
  return result;
}

}  // namespace tilefoundry
