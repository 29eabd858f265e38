// Explorations that are saved and restored end as undisturbed ones do, and plans that are foreseen
// come.
#include <gtest/gtest.h>

#include "fuzzer/systematic/random_programs.h"
#include "fuzzer/systematic/reads_from_explorer.h"
#include "fuzzer/systematic/scheduling_graph.h"
#include "fuzzer/systematic/trace_explorer.h"
#include "schedule/search_choice.h"

namespace rff {
namespace {

using Rest = Exploration::Rest;

using Classes = SystematicChoice::Classes;
constexpr Classes kAllClasses[] = {Classes::kTraces, Classes::kInterleavings, Classes::kReadsFrom};

std::unique_ptr<Explorer> make_explorer(Classes classes) {
  if (classes == Classes::kTraces) {
    return std::make_unique<TraceExplorer>();
  }
  if (classes == Classes::kReadsFrom) {
    return std::make_unique<ReadsFromExplorer>();
  }
  return std::make_unique<SchedulingGraph>(Rest::kRandom, ExplorationBound::kNone, 0);
}

std::string saved(const Explorer& explorer) {
  std::string bytes;
  ByteWriter writer(bytes);
  EXPECT_TRUE(explorer.save(writer));
  return bytes;
}

// Replaces the exploration by what was saved of it.
void save_and_restore(std::unique_ptr<Explorer>& explorer, Classes classes) {
  std::string bytes = saved(*explorer);
  explorer = make_explorer(classes);
  ByteReader reader(bytes);
  explorer->restore(reader);
  EXPECT_TRUE(reader.ok() && reader.at_end()) << reader.error();
  EXPECT_EQ(saved(*explorer), bytes);
}

struct Found {
  std::vector<std::vector<std::uint32_t>> orders;
  std::multiset<StepOrders> classes;  // of the runs that were new
  std::uint64_t redundant = 0;
  std::uint64_t foreseen = 0;  // runs whose plans had been foreseen
};

struct Disturbances {
  std::uint64_t save_every = 0;  // runs; 0: never
  std::size_t foresee = 0;       // plans
};

Found explore(const Threads& threads, Classes classes, std::uint64_t seed,
              Disturbances disturb = {}) {
  std::unique_ptr<Explorer> explorer = make_explorer(classes);
  SimulatedProgram program(threads);
  Random random(seed), foreseeing(seed + 1);
  std::set<std::vector<Decision>> foreseen;
  Found found;
  for (std::uint64_t runs = 1;; ++runs) {
    std::optional<Exploration> plan = explorer->next(random);
    if (!plan) {
      break;
    }
    found.foreseen += foreseen.contains(plan->order) ? 1 : 0;
    for (const Exploration& e : explorer->foresee(disturb.foresee, foreseeing)) {
      foreseen.insert(e.order);
    }
    if (disturb.save_every > 0 && runs % disturb.save_every == 0) {
      save_and_restore(explorer, classes);
    }
    plan->rest = classes == Classes::kReadsFrom ? Rest::kReadsLast : Rest::kRandom;
    plan->seed = random.next();
    RunSummary summary = program.run(*plan);
    ExploredRun run(summary);
    std::uint64_t before = explorer->classes();
    if (!explorer->observe(run) || runs > 100'000) {
      ADD_FAILURE() << "the exploration does not end";
      break;
    }
    found.orders.push_back(program.order);
    if (explorer->classes() > before) {
      found.classes.insert(orders_of(run));
    }
  }
  save_and_restore(explorer, classes);
  found.redundant = explorer->redundant();
  return found;
}

TEST(Saved, ExplorationsEndAsUndisturbedOnes) {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    Threads threads = random_threads(random, 2);
    for (Classes classes : kAllClasses) {
      std::uint64_t seed = random.next();
      Found undisturbed = explore(threads, classes, seed);
      for (std::uint64_t often : {1, 7}) {
        Found found = explore(threads, classes, seed, {.save_every = often});
        ASSERT_EQ(found.orders, undisturbed.orders) << "round " << round;
        ASSERT_EQ(found.redundant, undisturbed.redundant) << "round " << round;
      }
    }
  }
}

TEST(Foreseen, PlansMakeNoDifference) {
  Random random(6);
  for (int round = 0; round < 30; ++round) {
    Threads threads = random_threads(random, 2);
    std::uint64_t seed = random.next();
    Disturbances disturb = {.save_every = 5, .foresee = 1 + random.below(9)};
    for (Classes classes : {Classes::kTraces, Classes::kReadsFrom}) {
      ASSERT_EQ(explore(threads, classes, seed, disturb).orders,
                explore(threads, classes, seed).orders);
    }
    Found undisturbed = explore(threads, Classes::kInterleavings, seed),
          found = explore(threads, Classes::kInterleavings, seed, disturb);
    ASSERT_EQ(found.classes, undisturbed.classes);
    ASSERT_EQ(std::set(found.orders.begin(), found.orders.end()),
              std::set(undisturbed.orders.begin(), undisturbed.orders.end()));
    ASSERT_EQ(found.orders.size(), undisturbed.orders.size());
  }
}

TEST(Foreseen, PlansComeLater) {
  Threads readers = many(6, {read(0)});
  readers.push_back(straight({write(0)}));
  EXPECT_GT(explore(readers, Classes::kTraces, 1, {.foresee = 100}).foreseen, 50u);  // of 64
  EXPECT_GT(explore(many(4, {add(0)}), Classes::kTraces, 1, {.foresee = 100}).foreseen,
            10u);  // of 24
  EXPECT_EQ(
      explore(many(3, {write(0), write(0)}), Classes::kInterleavings, 1, {.foresee = 4}).foreseen,
      88u);  // of 90
}

TEST(Saved, DamagedExplorationsAreRefusedOrHarmless) {
  Threads threads = many(3, {read(0), write(0), write(1)});
  for (Classes classes : kAllClasses) {
    std::unique_ptr<Explorer> explorer = make_explorer(classes);
    SimulatedProgram program(threads);
    Random random(3);
    for (int i = 0; i < 6; ++i) {
      RunSummary summary = program.run(*explorer->next(random));
      ASSERT_TRUE(explorer->observe(ExploredRun(summary)));
    }
    explorer->next(random);
    explorer->foresee(3, random);
    std::string whole = saved(*explorer);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      ByteReader reader(std::string_view(whole).substr(0, n));
      make_explorer(classes)->restore(reader);
      ASSERT_FALSE(reader.ok()) << n << " of " << whole.size() << " bytes";
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      std::unique_ptr<Explorer> restored = make_explorer(classes);
      ByteReader reader(damaged);
      restored->restore(reader);
      for (int run = 0; run < 3 && reader.ok(); ++run) {
        RunSummary summary = program.run({});
        restored->observe(ExploredRun(summary));
        restored->foresee(3, random);
        restored->next(random);
      }
    }
  }
}

}  // namespace
}  // namespace rff
