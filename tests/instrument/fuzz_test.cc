// Fuzzes the ELF reader and the rewriter with damaged files: they must refuse or patch any bytes,
// and never crash. RFF_FUZZ_SECONDS makes the test run that long, with inputs that differ between
// runs.
#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "instrument/builtin/rewriter.h"
#include "instrument/unclaimed_code.h"
#include "tests/instrument/support.h"

namespace rff::test {
namespace {

namespace ins = rff::instrument;

// Does the same work as main.
void digest(std::vector<std::uint8_t> image) {
  auto file = ins::ElfFile::parse(std::move(image));
  if (!file) {
    EXPECT_FALSE(file.error().empty());
    return;
  }
  auto program = ins::Program::decode(*file);
  if (!program) {
    return;
  }
  ins::claim_reachable_code(*program);
  ins::OutputFile output(*file);
  if (!ins::builtin::rewrite(*program, output, true)) {
    return;
  }
  std::string path = ::testing::TempDir() + "rff-fuzz-out-" + std::to_string(getpid());
  auto written = ins::NewFile::create(path);
  ASSERT_TRUE(written);
  EXPECT_EQ(output.write(*written), "");
}

std::vector<std::uint8_t> load(const std::string& path) {
  std::string content = read_file(path);
  return {content.begin(), content.end()};
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::vector<std::uint8_t> mutate(std::vector<std::uint8_t> image) {
    if (below(8) == 0) {
      image.resize(below(image.size()));
    }
    int count = 1 + static_cast<int>(below(6));
    for (int i = 0; i < count && image.size() > 64; ++i) {
      // Most of the damage hits structure: headers, program headers, section headers, the inside of
      // a section.
      std::size_t at = below(image.size());
      switch (below(4)) {
        case 0: at = below(64 + 56 * 13); break;
        case 1: at = section_headers(image) + below(64 * 35); break;
        case 2: at = in_some_section(image); break;
        default: break;
      }
      static constexpr std::uint64_t kInteresting[] = {
          0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~0ULL, 1ULL << 63, 4096};
      std::uint64_t value =
          below(2) == 0 ? kInteresting[below(std::size(kInteresting))] : random_();
      std::size_t size = std::size_t{1} << below(4);
      if (at < image.size() && size <= image.size() - at) {
        std::memcpy(image.data() + at, &value, size);
      }
    }
    return image;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  static std::uint64_t section_headers(const std::vector<std::uint8_t>& image) {
    std::uint64_t offset;
    std::memcpy(&offset, image.data() + offsetof(Elf64_Ehdr, e_shoff), sizeof(offset));
    return offset;
  }

  // Small sections are tables: each is hit as often as all code together.
  std::size_t in_some_section(const std::vector<std::uint8_t>& image) {
    Elf64_Shdr section;
    std::uint64_t at = section_headers(image) + below(35) * sizeof(section);
    if (at > image.size() || image.size() - at < sizeof(section)) {
      return image.size();
    }
    std::memcpy(&section, image.data() + at, sizeof(section));
    return section.sh_size == 0 ? image.size() : section.sh_offset + below(section.sh_size);
  }

  std::mt19937_64 random_;
};

TEST(FuzzTest, DamagedFilesNeverCrash) {
  std::vector<std::vector<std::uint8_t>> seeds;
  for (const char* name : {"switches_O2", "exceptions_O2", "switches_no_pie", "ordinary_Os_cet",
                           "throwing_handler_O2"}) {
    seeds.push_back(load(std::string(RFF_SUBJECTS) + "/" + name));
    ASSERT_FALSE(seeds.back().empty());
  }
  const char* seconds = std::getenv("RFF_FUZZ_SECONDS");
  auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  std::uint64_t first = seconds != nullptr ? std::random_device()() : 1;
  std::uint64_t count = 0;
  for (std::uint64_t seed = first;
       seconds != nullptr ? std::chrono::steady_clock::now() < end : seed <= 400; ++seed, ++count) {
    std::vector<std::uint8_t> image = Mutator(seed).mutate(seeds[seed % seeds.size()]);
    if (seconds != nullptr) {
      // The file is kept if the test crashes; it then belongs in the corpus.
      write_file(::testing::TempDir() + "rff-fuzz-last", std::string(image.begin(), image.end()));
    }
    digest(std::move(image));
  }
  std::printf("%llu files\n", static_cast<unsigned long long>(count));
}

TEST(FuzzTest, CorpusOfPastTrouble) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RFF_FUZZ_CORPUS)) {
    digest(load(entry.path().string()));
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace rff::test
