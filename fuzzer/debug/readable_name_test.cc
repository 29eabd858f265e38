// Unit tests of the names that reports show for symbols.
#include "fuzzer/debug/readable_name.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(ReadableName, IsThatOfTheSource) {
  EXPECT_EQ(readable_name("_ZN5Queue3popEi"), "Queue::pop");
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("_ZN4race4main17h0dc2b56584a462d4E"), "race::main");
  EXPECT_EQ(readable_name("_ZN59_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..Drop$GT$4drop"
                          "17h0dc2b56584a462d4E"),
            "<alloc::vec::Vec<T,A> as core::Drop>::drop");
  EXPECT_EQ(readable_name("_ZN3api3h12Ev"), "api::h12");
  for (const char* name : {"f", "i", "v", "Pc"}) {  // a demangler would read these as types
    EXPECT_EQ(readable_name(name), name);
  }
}

TEST(ReadableName, NamesTheFunctionOfData) {
  EXPECT_EQ(readable_variable("_ZGVZ5entryvE8instance"), "guard variable for entry()::instance");
  EXPECT_EQ(readable_variable("_ZN5Queue4sizeE"), "Queue::size");
  EXPECT_EQ(readable_variable("environ"), "environ");
}

TEST(ReadableName, LeavesOutParametersAndReturnTypes) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("_ZN5Queue4pushEi"), "Queue::push");
  EXPECT_EQ(readable_name("_Z3maxIiET_S0_S0_"), "max<int>");  // int max<int>(int, int)
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14workEv"), "(anonymous namespace)::work");
}

TEST(ReadableName, KeepsOperatorsAndLambdasWhole) {
  EXPECT_EQ(readable_name("operator()"), "operator()");
  EXPECT_EQ(readable_name("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
  EXPECT_EQ(readable_name("_ZN1AlsEi"), "A::operator<<");
  EXPECT_EQ(readable_name("_Znwm"), "operator new");
}

TEST(ReadableName, CutsLongTemplateArguments) {
  EXPECT_EQ(readable_name("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZ4mainEUlvE_EEEEE6_M_"
                          "runEv"),
            "std::thread::_State_impl<...>::_M_run");
}

}  // namespace
}  // namespace rff
