// Unit tests of the names of Rust's symbols, version 0.
#include "fuzzer/debug/rust_name.h"

#include <gtest/gtest.h>

#include <random>

namespace rff {
namespace {

TEST(RustName, IsThePathOfAFunction) {
  EXPECT_EQ(rust_name("_RNvC4race4main"), "race::main");
  EXPECT_EQ(rust_name("_RNvCslNYArtu3iFV_4race4main"), "race::main");
  EXPECT_EQ(rust_name("_RNvNtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix5futex10futex_wait"),
            "std::sys::pal::unix::futex::futex_wait");
  EXPECT_EQ(rust_name("_RNvC4race4main.llvm.123"), "race::main");
}

TEST(RustName, NamesClosuresByNumber) {
  EXPECT_EQ(rust_name("_RNCNvC4race4main0B3_"), "race::main::{closure}");
  EXPECT_EQ(rust_name("_RNCNvC4race4mains_0B3_"), "race::main::{closure#1}");
  EXPECT_EQ(rust_name("_RNCNvC4race4mains0_0B3_"), "race::main::{closure#2}");
}

TEST(RustName, SaysWhoseMethodItIs) {
  EXPECT_EQ(rust_name("_RNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB5_6Thread4join"),
            "std::sys::thread::unix::Thread::join");
  EXPECT_EQ(rust_name("_RNvXs_C4raceNtB4_3LogNtNtNtC4core3ops4drop4Drop4drop"),
            "<race::Log as core::ops::drop::Drop>::drop");
  EXPECT_EQ(rust_name("_RNvMC4raceSh3sum"), "<[u8]>::sum");
}

TEST(RustName, LeavesOutTheTypesAFunctionIsMadeFor) {
  EXPECT_EQ(rust_name("_RINvC4race4pushlTjbERNtB2_3LogQSdPaOxKj2a_EB2_"), "race::push");
  EXPECT_EQ(rust_name("_RINvC4race4callFG_UKCRL0_hmEuDNtB2_5Thingp4ItemlNtB2_4SendEL_EB2_"),
            "race::call");
}

TEST(RustName, ShowsTypesOfAnImplementation) {
  EXPECT_EQ(rust_name("_RNvXC4raceRAhj4_NtB2_4Show4show"), "<&[u8; 4] as race::Show>::show");
  EXPECT_EQ(rust_name("_RNvXC4raceTlbENtB2_4Show4show"), "<(i32, bool) as race::Show>::show");
  EXPECT_EQ(rust_name("_RNvXC4raceFhEbNtB2_4Show4show"), "<fn(u8) -> bool as race::Show>::show");
  EXPECT_EQ(rust_name("_RNvXC4raceDNtB2_1AEL_NtB2_4Show4show"),
            "<dyn race::A as race::Show>::show");
}

TEST(RustName, IsOnlyOfSymbolsOfThisKind) {
  for (const char* symbol : {"", "_R", "_Read", "_RNvC4race", "_RNvC9race4main", "_RNvC4race4main!",
                             "main", "_ZN4race4main17h0dc2b56584a462d4E", "_RB_", "_RNvB_4main",
                             "_RNvC99999999999999999999a1b"}) {
    EXPECT_EQ(rust_name(symbol), std::nullopt) << symbol;
  }
}

// References back to themselves, and damaged symbols, end.
TEST(RustName, EndsForEveryText) {
  constexpr std::string_view kLetters = "_RCMXYNIBvtEsu0123456789KLSTAFDabhjlp";
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string symbol = "_RINvMXY";
    symbol.resize(2 + random() % 7);
    for (unsigned n = random() % 40; n > 0; --n) {
      symbol += kLetters[random() % kLetters.size()];
    }
    rust_name(symbol);
  }
  std::string nested = "_R";
  for (int i = 0; i < 100'000; ++i) {
    nested += "Nv";
  }
  EXPECT_EQ(rust_name(nested), std::nullopt);
}

}  // namespace
}  // namespace rff
