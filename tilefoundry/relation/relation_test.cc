#include "tilefoundry/relation/relation.h"

#include <thread>

#include <gtest/gtest.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

Dim var_s() { return dim_var("S", 1, 4); }

AccessRelationResult identity(const Shape& extents) {
  Shape index;
  for (std::size_t i = 0; i < extents.size(); ++i) index.push_back(iter(i));
  return {extents, {BoundaryAccess::of(index), BoundaryAccess::of(index)}};
}

TEST(Iteration, AtomsAreInternedAndSortLast) {
  EXPECT_EQ(iter(0), iter(0));
  EXPECT_EQ(iter(40), iter(40));
  EXPECT_FALSE(iter(3) == iter(4));
  EXPECT_EQ(as_iter(iter(7)), 7);
  EXPECT_EQ(as_iter(iter(33)), 33);
  EXPECT_EQ(as_iter(iter(0) + 1), -1);
  EXPECT_EQ(as_iter(Dim(3)), -1);
  EXPECT_EQ(iter(12).text(), "i12");
  EXPECT_EQ(iter(1) + iter(0), iter(0) + iter(1));
  EXPECT_EQ((iter(0) + var_s()).text(), (var_s() + iter(0)).text());
}

TEST(Relation, V36_static_extents_are_constant_constraints) {
  EXPECT_EQ(identity({4, 6}).domain(), IslSet::parse("{ [i, j] : 0 <= i < 4 and 0 <= j < 6 }"));
  EXPECT_FALSE(identity({4, 6}).domain() ==
               IslSet::parse("{ [i, j] : 0 <= i < 4 and 0 <= j < 7 }"));
  EXPECT_EQ(identity({}).domain(), IslSet::parse("{ [] }"));
}

TEST(Relation, V37_bare_dim_var_is_a_parameter_of_its_name) {
  const AccessRelationResult relation = identity({var_s()});
  EXPECT_EQ(relation.domain(), IslSet::parse("[S] -> { [i] : 0 <= i < S and 1 <= S < 4 }"));
  EXPECT_EQ(relation.param_map(), (std::map<std::string, Dim>{{"S", var_s()}}));
}

TEST(Relation, V38_V40_other_extents_are_opaque_and_keyed_by_expression) {
  const Dim s = var_s();
  const AccessRelationResult relation = identity({s * 2, s * 2, s + 1});
  EXPECT_EQ(relation.domain(),
            IslSet::parse("[$0, $1] -> { [i, j, k] : 0 <= i < $0 and 0 <= j < $0 and "
                          "0 <= k < $1 and 2 <= $0 <= 6 and 2 <= $1 <= 4 }"));
  EXPECT_EQ(relation.domain().parameters(), (std::vector<std::string>{"$0", "$1"}));
  EXPECT_EQ(relation.param_map(), (std::map<std::string, Dim>{{"$0", s * 2}, {"$1", s + 1}}));
}

TEST(Relation, V37_names_isl_cannot_take_stay_distinct) {
  const Dim wide = dim_var("č", 1, 9);
  EXPECT_EQ(identity({wide}).domain().parameters(), std::vector<std::string>{"č"});
  for (const char* name : {"mod", "exists", "i0", "tfesc_41", "o0"}) {
    const Dim dim = dim_var(name, 1, 9);
    const AccessRelationResult relation = identity({dim, dim});
    ASSERT_EQ(relation.param_map().size(), 1u) << name;
    EXPECT_EQ(relation.param_map().begin()->second, dim) << name;
    EXPECT_EQ(relation.domain().parameters().front(), relation.param_map().begin()->first) << name;
    EXPECT_EQ(relation.maps()[0].domain(), relation.domain()) << name;
  }
}

TEST(Relation, V43_maps_share_the_domain) {
  const Dim s = var_s();
  // out[i, j] += lhs[i, k] * rhs[k, j]
  const AccessRelationResult matmul(
      {4, s, 5}, {BoundaryAccess::of({iter(0), iter(2)}), BoundaryAccess::of({iter(2), iter(1)}),
                  BoundaryAccess::of({iter(0), iter(1)})});
  ASSERT_EQ(matmul.maps().size(), 3u);
  for (const IslMap& map : matmul.maps()) {
    EXPECT_EQ(map.domain(), matmul.domain());
    EXPECT_EQ(map.range_rank(), 2u);
    EXPECT_TRUE(map.is_single_valued());
  }
  EXPECT_EQ(matmul.maps()[1],
            IslMap::parse("[S] -> { [i, j, k] -> [k, j] : 0 <= i < 4 and 0 <= j < S and "
                          "0 <= k < 5 and 1 <= S < 4 }"));
}

TEST(Relation, GuardedAndQuotientAccesses) {
  const Dim n = dim_var("N", 1, 100);
  const AccessRelationResult relation(
      {n + 4}, {BoundaryAccess{{iter(0)}, {{0, 0, n}}, false},
                BoundaryAccess{{iter(0) - n}, {{0, n, n + 4}}, false},
                BoundaryAccess::of({floordiv(iter(0), 3), mod(iter(0), 3)})});
  EXPECT_EQ(relation.maps()[0],
            IslMap::parse("[$0, N] -> { [i] -> [i] : 0 <= i < $0 and i < N and 5 <= $0 <= 103 and "
                          "1 <= N <= 99 }"));
  EXPECT_EQ(relation.maps()[1],
            IslMap::parse("[$0, N] -> { [i] -> [i - N] : N <= i < $0 and 5 <= $0 <= 103 and "
                          "1 <= N <= 99 }"));
  EXPECT_EQ(relation.maps()[2],
            IslMap::parse("[$0, N] -> { [i] -> [floor(i/3), i mod 3] : 0 <= i < $0 and "
                          "5 <= $0 <= 103 and 1 <= N <= 99 }"));
  std::vector<std::string> names;
  for (const auto& [name, dim] : relation.param_map()) names.push_back(name);
  EXPECT_EQ(relation.domain().parameters(), names);
}

TEST(Relation, BoundaryOutsideIslMapsToItsUniverse) {
  const Dim s = var_s();
  const AccessRelationResult relation({8}, {BoundaryAccess::of({iter(0) * s, floordiv(iter(0), s)}),
                                            BoundaryAccess{{0}, {}, true}});
  EXPECT_EQ(relation.maps()[0], IslMap::parse("{ [i] -> [a, b] : 0 <= i < 8 }"));
  EXPECT_EQ(relation.maps()[1], IslMap::parse("{ [i] -> [a] : 0 <= i < 8 }"));
  const AccessRelations classes = classify(relation, 1);
  EXPECT_TRUE(std::holds_alternative<OpaqueRelation>(classes.inputs[0]));
  EXPECT_TRUE(std::holds_alternative<OpaqueRelation>(classes.outputs[0]));
}

TEST(Relation, V47_V49_classification) {
  const AccessRelationResult relation(
      {6, 4},
      {BoundaryAccess::of({iter(1), iter(0)}),
       BoundaryAccess{{iter(0) - 2, iter(1)}, {{0, 2, 6}}, false}, BoundaryAccess::of({iter(0)})});
  const AccessRelations classes = classify(relation, 2);
  ASSERT_EQ(classes.inputs.size(), 2u);
  ASSERT_EQ(classes.outputs.size(), 1u);
  EXPECT_EQ(std::get<IslMultiAff>(classes.inputs[0]),
            IslMultiAff::parse("{ [i, j] -> [(j), (i)] }"));
  EXPECT_EQ(std::get<IslMap>(classes.inputs[1]),
            IslMap::parse("{ [i, j] -> [i - 2, j] : 2 <= i < 6 and 0 <= j < 4 }"));
  EXPECT_TRUE(std::holds_alternative<IslMultiAff>(classes.outputs[0]));
}

TEST(Relation, BoundaryShape) {
  const Dim n = dim_var("N", 1, 100);
  const AccessRelationResult relation(
      {n, 6}, {BoundaryAccess::of({iter(1), iter(0), 0, iter(0) + n, iter(1) * 2 + 1}),
               BoundaryAccess::of({5 - iter(1), floordiv(iter(1), 2), mod(iter(1), 4)})});
  EXPECT_EQ(boundary_shape(relation, 0), (Shape{6, n, 1, n * 2, 12}));
  EXPECT_EQ(boundary_shape(relation, 1), (Shape{6, 3, 4}));
  // The second half of a split: the guard, not the domain, ends the variable.
  const AccessRelationResult half({n * 2}, {BoundaryAccess{{iter(0) - n}, {{0, n, n * 2}}, false},
                                            BoundaryAccess{{iter(0)}, {{0, 0, n}}, false}});
  EXPECT_EQ(boundary_shape(half, 0), Shape{n});
  EXPECT_EQ(boundary_shape(half, 1), Shape{n});
}

TEST(Relation, FromIslRecoversTheSkeleton) {
  const Dim s = var_s();
  const AccessRelationResult source(
      {s, 12}, {BoundaryAccess::of({iter(0), floordiv(iter(1), 3), mod(iter(1), 3)}),
                BoundaryAccess{{iter(0), iter(1) - 4}, {{1, 4, 12}}, false},
                BoundaryAccess::of({iter(0) * 12 + iter(1)}), BoundaryAccess::of({0})});
  const AccessRelationResult back =
      AccessRelationResult::from_isl(source.domain(), source.maps(), source.param_map());
  EXPECT_EQ(back.extents(), source.extents());
  EXPECT_EQ(back.accesses(), source.accesses());
}

TEST(Relation, FromIslRefusesWhatIsNoBox) {
  const auto refused = [](const char* domain, const char* map) {
    try {
      AccessRelationResult::from_isl(IslSet::parse(domain), {IslMap::parse(map)}, {});
    } catch (const ValueError& error) {
      return error.diagnostic().code;
    }
    return std::string();
  };
  EXPECT_EQ(refused("{ [i, j] : 0 <= i < 4 and 0 <= j <= i }", "{ [i, j] -> [i] }"), "TF3060");
  EXPECT_EQ(refused("{ [i] : 1 <= i < 4 }", "{ [i] -> [i] }"), "TF3060");
  EXPECT_EQ(refused("{ [i] : 0 <= i < 4 }", "{ [i] -> [j] : i <= j <= i + 1 }"), "TF3060");
  EXPECT_EQ(refused("[S] -> { [i] : 0 <= i < S }", "{ [i] -> [i] }"), "TF3060");
  EXPECT_EQ(refused("{ [i] : 0 <= i < 4 }", "{ [i] -> [2 * i + 1] }"), "");
}

TEST(Isl, ErrorsAreNamed) {
  try {
    IslSet::parse("{ [i] : 0 <= ");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF3061");
  }
}

TEST(Isl, WorkBudget) {
  // Counting over many existential variables explodes; the budget stops it.
  std::string text = "{ [a0";
  for (int i = 1; i < 14; ++i) text += ", a" + std::to_string(i);
  text += "] : ";
  for (int i = 0; i < 14; ++i) {
    text += (i > 0 ? " and (" : "(");
    for (int j = 0; j < 6; ++j) {
      if (j > 0) text += " or ";
      text += std::to_string(7 * j + 1) + " * a" + std::to_string(i) + " + a" +
              std::to_string((i + 1) % 14) + " = " + std::to_string(j * 13);
    }
    text += ")";
  }
  text += " }";
  try {
    IslSet::parse(text);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.diagnostic().code, "TF3062");
  }
}

TEST(Isl, MapOperations) {
  const IslMap map = IslMap::parse("{ [i] -> [i + 1] : 0 <= i < 4 }");
  EXPECT_EQ(map.domain(), IslSet::parse("{ [i] : 0 <= i < 4 }"));
  EXPECT_EQ(map.range(), IslSet::parse("{ [i] : 1 <= i < 5 }"));
  EXPECT_EQ(map.reverse(), IslMap::parse("{ [i] -> [i - 1] : 1 <= i < 5 }"));
  EXPECT_TRUE(map.is_injective());
  EXPECT_EQ(map.intersect_domain(IslSet::parse("{ [2] }")), IslMap::parse("{ [2] -> [3] }"));
  EXPECT_EQ(IslMap::parse("[N] -> { [i] -> [i + N] }"),
            IslMap::parse("[M, N] -> { [i] -> [N + i] }"));
  EXPECT_EQ(map.domain().rank(), 1u);
  EXPECT_TRUE(IslSet::parse("{ [i] : i > 2 and i < 2 }").is_empty());
  EXPECT_TRUE(map.domain().is_subset_of(IslSet::parse("{ [i] : i >= 0 }")));
}

TEST(Relation, V41_concurrent_builds_do_not_disturb_each_other) {
  const Dim s = var_s();
  const auto build = [&](int t) {
    const Dim extent = t % 2 == 0 ? s * (t + 1) : s + t;
    const AccessRelationResult relation(
        {extent, t + 2}, {BoundaryAccess::of({iter(1), iter(0)}), BoundaryAccess::of({iter(0)})});
    std::string text = relation.domain().text();
    for (const IslMap& map : relation.maps()) text += map.text();
    for (const auto& [name, dim] : relation.param_map()) text += name + dim.text();
    return text;
  };
  std::vector<std::string> wanted;
  for (int t = 0; t < 8; ++t) wanted.push_back(build(t));
  std::vector<int> wrong(8, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i)
        wrong[static_cast<std::size_t>(t)] += build(t) != wanted[static_cast<std::size_t>(t)];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
  // One result shared by threads builds its values once.
  const AccessRelationResult shared = identity({s, s + 1});
  std::vector<const IslSet*> seen(8);
  threads.clear();
  for (std::size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const AccessRelationResult copy = shared;
      seen[t] = &copy.domain();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<const IslSet*>(8, &shared.domain()));
}

}  // namespace
}  // namespace tilefoundry
