// Unit tests: the runtime's own mem… and str… functions behave like the C library's.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

extern "C" {
void* __wrap_memcpy(void* to, const void* from, std::size_t n);
void* __wrap_memmove(void* to, const void* from, std::size_t n);
void* __wrap_memset(void* to, int value, std::size_t n);
int __wrap_memcmp(const void* a, const void* b, std::size_t n);
void* __wrap_memchr(const void* at, int value, std::size_t n);
std::size_t __wrap_strlen(const char* s);
std::size_t __wrap_strnlen(const char* s, std::size_t most);
int __wrap_strcmp(const char* a, const char* b);
int __wrap_strncmp(const char* a, const char* b, std::size_t n);
char* __wrap_strchr(const char* s, int value);
}

namespace {

constexpr std::size_t kMost = 600;  // longer than any size that is treated specially

std::string some_bytes() {
  std::string bytes(2 * kMost, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 37 + i / 256 + 1);
  }
  return bytes;
}

TEST(OwnMemory, MovesEverySizeByEveryDistance) {
  const std::string original = some_bytes();
  for (std::size_t n = 0; n <= kMost; n = n < 80 ? n + 1 : n + 37) {
    for (std::size_t to : {0, 1, 3, 4, 7, 8, 9, 15, 16, 40, 100, 300}) {
      for (std::size_t from : {0, 1, 5, 8, 12, 33, 100, 299}) {
        std::string expected = original;
        std::string bytes = original;
        std::memmove(expected.data() + to, expected.data() + from, n);
        EXPECT_EQ(__wrap_memmove(bytes.data() + to, bytes.data() + from, n), bytes.data() + to);
        ASSERT_EQ(bytes, expected) << n << " bytes from " << from << " to " << to;
      }
    }
  }
}

TEST(OwnMemory, CopiesAndFills) {
  for (std::size_t n : {0, 1, 2, 3, 7, 8, 9, 31, 64, 255, 256, 257, 599}) {
    const std::string from = some_bytes();
    std::string bytes(2 * kMost, 'x');
    __wrap_memcpy(bytes.data() + 1, from.data(), n);
    EXPECT_EQ(bytes, "x" + from.substr(0, n) + std::string(bytes.size() - n - 1, 'x'));
    EXPECT_EQ(__wrap_memset(bytes.data() + 1, 'y', n), bytes.data() + 1);
    EXPECT_EQ(bytes, "x" + std::string(n, 'y') + std::string(bytes.size() - n - 1, 'x'));
  }
}

TEST(OwnMemory, ComparesBytesAsUnsigned) {
  EXPECT_EQ(__wrap_memcmp("ab", "ac", 1), 0);
  EXPECT_LT(__wrap_memcmp("ab", "ac", 2), 0);
  EXPECT_GT(__wrap_memcmp("\xff", "a", 1), 0);
  EXPECT_EQ(__wrap_memcmp("longer than a word", "longer than a word", 18), 0);
  EXPECT_LT(__wrap_memcmp("longer than a word", "longer than words", 17), 0);
  EXPECT_EQ(__wrap_strcmp("same", "same"), 0);
  EXPECT_LT(__wrap_strcmp("same", "same as"), 0);
  EXPECT_GT(__wrap_strcmp("\xff", "a"), 0);
  EXPECT_EQ(__wrap_strncmp("same", "same as", 4), 0);
  EXPECT_EQ(__wrap_strncmp("same", "other", 0), 0);
  EXPECT_LT(__wrap_strncmp("a", "b", 5), 0);
}

TEST(OwnMemory, FindsCharactersAndEnds) {
  const char* text = "text";
  EXPECT_EQ(__wrap_strlen(text), 4u);
  EXPECT_EQ(__wrap_strlen(""), 0u);
  EXPECT_EQ(__wrap_strnlen(text, 2), 2u);
  EXPECT_EQ(__wrap_strnlen(text, 20), 4u);
  EXPECT_EQ(__wrap_strchr(text, 'x'), text + 2);
  EXPECT_EQ(__wrap_strchr(text, 0), text + 4);
  EXPECT_EQ(__wrap_strchr(text, 'q'), nullptr);
  EXPECT_EQ(__wrap_memchr(text, 't', 4), text);
  EXPECT_EQ(__wrap_memchr(text, 'x', 2), nullptr);
}

}  // namespace
