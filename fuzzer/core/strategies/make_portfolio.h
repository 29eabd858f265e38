// Makes the portfolio of a plan: its strategies and their shares.
#pragma once

#include "fuzzer/core/corpus.h"
#include "fuzzer/core/fuzz_plan.h"
#include "fuzzer/core/strategies/portfolio.h"

namespace rff {

// `knowledge` and `corpus` must outlive the portfolio.
Portfolio make_portfolio(const FuzzPlan& plan, Knowledge& knowledge, Corpus& corpus);

}  // namespace rff
