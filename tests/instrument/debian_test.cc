// Patches software from Debian's packages together with important libraries: the output must be
// that of the original, with empty slots and with a counting hook. Packages are downloaded below
// the build folder when first needed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/instrument/frame_oracle.h"
#include "tests/instrument/support.h"
#include "tests/instrument/unix_server.h"

namespace rff::test {
namespace {

namespace fs = std::filesystem;

const std::string kCache = RFF_DEBIAN_CACHE;

// Unpacks one package. Returns false if it is not available. Call in one process at a time.
bool unpack(const std::string& package) {
  std::string folder = kCache + "/" + package;
  if (fs::exists(folder + "/done")) {
    return true;
  }
  fs::create_directories(folder);
  Outcome outcome = execute({"/bin/sh", "-c",
                             "cd '" + folder + "' && apt-get download -qq " + package +
                                 ":amd64 && dpkg -x *.deb tree && touch done"});
  return outcome.status == 0;
}

class DebianTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }

  // Returns false and skips the test if a package is missing.
  bool have(const std::vector<std::string>& packages) {
    fs::create_directories(kCache);
    int lock = open((kCache + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    flock(lock, LOCK_EX);
    std::string missing;
    for (const std::string& package : packages) {
      if (!unpack(package)) {
        missing = package;
        break;
      }
      for (const char* where : {"/tree/lib/x86_64-linux-gnu", "/tree/usr/lib/x86_64-linux-gnu"}) {
        if (fs::exists(kCache + "/" + package + where)) {
          libraries_ += ":" + kCache + "/" + package + where;
        }
      }
    }
    close(lock);
    return missing.empty() || (skip("apt-get cannot download " + missing + ":amd64"), false);
  }
  static void skip(const std::string& why) { GTEST_SKIP() << why; }

  // Patches `file` (below a package's tree) as `name`, and expects at least 99.5 % of its sites.
  void patch_file(const std::string& file, const std::string& name) {
    fs::create_directories(folder_ + "/patched");
    std::string report = folder_ + "/report.json";
    patch(kCache + "/" + file, folder_ + "/patched/" + name, report);
    nlohmann::json json = nlohmann::json::parse(read_file(report));
    std::printf("%s: %s of %s sites, %.2f s per 100,000\n", name.c_str(),
                json["sites_instrumented"].dump().c_str(), json["sites_found"].dump().c_str(),
                json["seconds"].get<double>() * 1e5 / json["sites_found"].get<double>());
    EXPECT_GE(json["percent"].get<double>(), 99.5) << name;
  }

  Environment original_environment() const { return {{"LD_LIBRARY_PATH", libraries_.substr(1)}}; }
  Environment patched_environment(bool counting) const {
    Environment environment{{"LD_LIBRARY_PATH", folder_ + "/patched" + libraries_}};
    if (counting) {
      environment["LD_PRELOAD"] = counting_runtime();
      environment["RFF_TEST_COUNTS"] = folder_ + "/counts";
    }
    return environment;
  }

  // Runs the same command with the original program and twice with the patched one.
  void expect_same(const std::string& original, const std::string& name,
                   const std::vector<std::string>& arguments, const std::string& input) {
    std::vector<std::string> command{kCache + "/" + original};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Outcome expected = execute(command, original_environment(), input);
    ASSERT_EQ(expected.status, 0) << expected.err;
    ASSERT_FALSE(expected.out.empty());
    command[0] = folder_ + "/patched/" + name;
    for (bool counting : {false, true}) {
      Outcome actual = execute(command, patched_environment(counting), input);
      EXPECT_EQ(actual.status, expected.status) << actual.err;
      EXPECT_TRUE(actual.out == expected.out) << name << " counting " << counting;
    }
    EXPECT_GT(std::atol(read_file(folder_ + "/counts").c_str()), 10000);
  }

  // Returns text that compresses, but not too well.
  static std::string input(std::size_t size) {
    std::string text;
    std::uint64_t state = 1;
    while (text.size() < size) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += std::to_string(state >> 52) + ((state >> 40) % 3 == 0 ? " and some words " : "\n");
    }
    return text;
  }

  std::string folder_, libraries_;
};

TEST_F(DebianTest, Pigz) {
  if (!have({"pigz", "zlib1g"})) return;
  patch_file("pigz/tree/usr/bin/pigz", "pigz");
  patch_file("zlib1g/tree/lib/x86_64-linux-gnu/libz.so.1", "libz.so.1");
  expect_same("pigz/tree/usr/bin/pigz", "pigz", {"-c", "-n", "-p", "3", "-b", "32"}, input(150000));
}

TEST_F(DebianTest, XzAndLiblzma) {
  if (!have({"xz-utils", "liblzma5"})) return;
  patch_file("xz-utils/tree/usr/bin/xz", "xz");
  patch_file("liblzma5/tree/lib/x86_64-linux-gnu/liblzma.so.5", "liblzma.so.5");
  expect_same("xz-utils/tree/usr/bin/xz", "xz", {"-c", "-1", "-T2"}, input(60000));
}

TEST_F(DebianTest, Zstd) {
  if (!have({"zstd", "liblz4-1", "liblzma5", "zlib1g"})) return;
  patch_file("zstd/tree/usr/bin/zstd", "zstd");
  expect_same("zstd/tree/usr/bin/zstd", "zstd", {"-c", "-T2", "-5"}, input(150000));
}

TEST_F(DebianTest, ZstdDecompresses) {
  if (!have({"zstd", "liblz4-1", "liblzma5", "zlib1g"})) return;
  patch_file("zstd/tree/usr/bin/zstd", "zstd");
  std::string packed = execute({kCache + "/zstd/tree/usr/bin/zstd", "-c", "-9"},
                               original_environment(), input(150000))
                           .out;
  expect_same("zstd/tree/usr/bin/zstd", "zstd", {"-d", "-c"}, packed);
}

TEST_F(DebianTest, SqliteAndItsLibrary) {
  if (!have({"sqlite3", "libsqlite3-0", "libreadline8", "libtinfo6", "zlib1g"})) return;
  patch_file("sqlite3/tree/usr/bin/sqlite3", "sqlite3");
  patch_file("libsqlite3-0/tree/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "libsqlite3.so.0");
  expect_same("sqlite3/tree/usr/bin/sqlite3", "sqlite3", {":memory:"},
              "create table t(a integer primary key, b, c text);\n"
              "with recursive n(x) as (select 1 union all select x+1 from n where x < 800)\n"
              "  insert into t select x, x * 7919 % 1009, printf('%05d-%x', x, x * x) from n;\n"
              "create index i on t(b);\n"
              "select count(*), sum(a * b), max(c) from t where b between 100 and 900;\n"
              "select b % 10, group_concat(substr(c, 1, 3)) from t group by 1 order by 1 limit 3;\n"
              "select x.a, y.c from t x join t y on x.a = y.b where x.a < 30 order by 2;\n"
              "select json_extract('{\"a\":[1,2,{\"b\":3.5}]}', '$.a[2].b'), round(sqrt(2), 6);\n"
              "pragma integrity_check;\n.schema\n");
}

TEST_F(DebianTest, Gdb) {
  std::vector<std::string> packages{"gdb",
                                    "libpython3.11",
                                    "libdebuginfod1",
                                    "libsource-highlight4v5",
                                    "libboost-regex1.74.0",
                                    "libbabeltrace1",
                                    "libipt2",
                                    "libxxhash0",
                                    "libmpfr6",
                                    "libgmp10",
                                    "libexpat1",
                                    "libncursesw6",
                                    "libtinfo6",
                                    "libreadline8",
                                    "libcurl3-gnutls",
                                    "libglib2.0-0",
                                    "libelf1",
                                    "libdw1",
                                    "libicu72",
                                    "libpcre2-8-0",
                                    "libgnutls30",
                                    "libnghttp2-14",
                                    "libidn2-0",
                                    "librtmp1",
                                    "libssh2-1",
                                    "libpsl5",
                                    "libnettle8",
                                    "libhogweed6",
                                    "libgssapi-krb5-2",
                                    "libldap-2.5-0",
                                    "libbrotli1",
                                    "libp11-kit0",
                                    "libunistring2",
                                    "libtasn1-6",
                                    "libffi8",
                                    "libkrb5-3",
                                    "libk5crypto3",
                                    "libcom-err2",
                                    "libkrb5support0",
                                    "libkeyutils1",
                                    "liblzma5",
                                    "libzstd1",
                                    "zlib1g",
                                    "libssl3",
                                    "libsasl2-2",
                                    "libbz2-1.0",
                                    "libuuid1",
                                    "libstdc++6",
                                    "libgcc-s1"};
  if (!have(packages)) return;
  patch_file("gdb/tree/usr/bin/gdb", "gdb");
  expect_same("gdb/tree/usr/bin/gdb", "gdb",
              {"--batch", "-nx", "-ex", "print (2 + 3) * 7", "-ex", "disassemble Compare", "-ex",
               "list 20,30", std::string(RFF_SUBJECTS) + "/ordinary_O0"},
              "");
}

// Follows every byte of the stack; see FrameOracle.
TEST_F(DebianTest, WhatIsNotHookedIsPrivateToItsFrame) {
  struct Command {
    std::string package, file;
    std::vector<std::string> arguments;
    std::string input;
  };
  const Command commands[] = {
      {"gzip", "/bin/gzip", {"-c"}, input(1200)},
      {"sed", "/bin/sed", {"-E", "s/([0-9]+) and (s?)/<\\1>\\2/g"}, input(1200)},
      {"grep", "/bin/grep", {"-E", "(1|2)[3-7]+ and|^9"}, input(2500)},
      {"mawk",
       "/usr/bin/mawk",
       {"{n[$1 % 7] += $1} END {for (i in n) print i, n[i]}"},
       input(1200)},
      {"g++-12", "/usr/bin/x86_64-linux-gnu-g++-12", {"-dumpversion"}, ""},
  };
  std::uint64_t checked = 0;
  for (const Command& c : commands) {
    if (!have({c.package})) return;
    std::string program = kCache + "/" + c.package + "/tree" + c.file;
    std::string report = folder_ + "/report.json", log = folder_ + "/log";
    patch(program, folder_ + "/patched", report);
    std::vector<std::string> command{program};
    command.insert(command.end(), c.arguments.begin(), c.arguments.end());
    Outcome run =
        execute(command, {{"LD_PRELOAD", stepping_oracle()}, {"RFF_TEST_LOG", log}}, c.input);
    EXPECT_EQ(run.status, 0) << c.package << ": " << run.err;
    FrameOracle oracle(private_sites(report), functions_of_sites(program));
    for (const std::string& line : lines_of(read_file(log))) {
      oracle.add(line);
    }
    checked += oracle.private_accesses();
    EXPECT_EQ(oracle.leaks(), std::vector<std::string>{}) << c.package;
  }
  EXPECT_GT(checked, 2000U);
}

TEST_F(DebianTest, Memcached) {
  if (!have({"memcached", "libevent-2.1-7", "libsasl2-2", "libssl3"})) return;
  patch_file("memcached/tree/usr/bin/memcached", "memcached");
  patch_file("libevent-2.1-7/tree/usr/lib/x86_64-linux-gnu/libevent-2.1.so.7", "libevent-2.1.so.7");
  std::string socket_path = folder_ + "/socket";
  std::string request =
      "set a 0 0 5\r\nhello\r\nget a\r\nset n 0 0 2\r\n41\r\nincr n 1\r\nappend a 0 0 "
      "1\r\n!\r\nget a n\r\n";
  for (int i = 0; i < 200; ++i) {
    std::string value = std::to_string(i * i);
    request += "set k" + std::to_string(i) + " 0 0 " + std::to_string(value.size()) + "\r\n" +
               value + "\r\nget k" + std::to_string(i / 2) + "\r\n";
  }
  request += "delete a\r\nget a\r\nquit\r\n";
  auto ask = [&](const std::string& program, const Environment& environment) {
    fs::remove(socket_path);
    Server server({program, "-s", socket_path, "-u", "root", "-t", "3", "-vv"}, environment);
    if (!server.wait_for("server listening")) return std::string();
    std::string answer = server.ask(socket_path, request);
    EXPECT_EQ(server.end(SIGINT), 0);
    return answer;
  };
  std::string expected = ask(kCache + "/memcached/tree/usr/bin/memcached", original_environment());
  ASSERT_NE(expected.find("VALUE k99"), std::string::npos);
  for (bool counting : {false, true}) {
    EXPECT_EQ(ask(folder_ + "/patched/memcached", patched_environment(counting)), expected);
  }
}

TEST_F(DebianTest, RedisServer) {
  if (!have({"redis-tools", "libatomic1", "libjemalloc2", "liblzf1", "libssl3", "libsystemd0",
             "libcap2", "libgcrypt20", "libgpg-error0", "liblz4-1", "liblzma5", "libzstd1",
             "libstdc++6", "libgcc-s1", "liblua5.1-0"})) {
    return;
  }
  // redis-server is a link to redis-check-rdb, which checks the name it was started with.
  patch_file("redis-tools/tree/usr/bin/redis-check-rdb", "redis-server");
  std::string original = folder_ + "/redis-server";
  fs::create_symlink(kCache + "/redis-tools/tree/usr/bin/redis-check-rdb", original);
  std::string socket_path = folder_ + "/socket";
  std::string request = "SET a 1\r\nINCR a\r\nLPUSH l x y z\r\nLRANGE l 0 -1\r\n";
  for (int i = 0; i < 150; ++i) {
    std::string n = std::to_string(i);
    request += "ZADD z " + std::to_string(i * 37 % 101) + " m" + n + "\r\nHSET h f" + n + " " + n +
               "\r\nPFADD p " + n + "\r\n";
  }
  request +=
      "ZRANGE z 0 20 WITHSCORES\r\nHLEN h\r\nPFCOUNT p\r\nSETRANGE s 10 hello\r\nGET s\r\n"
      "EVAL \"local t = {} for i = 1, 50 do t[i] = i * i end return t\" 0\r\n"
      "SORT l ALPHA DESC\r\nXADD x 1-1 k v\r\nXRANGE x - +\r\nOBJECT ENCODING z\r\nQUIT\r\n";
  auto ask = [&](const std::string& program, const Environment& environment) {
    fs::remove(socket_path);
    Server server({program, "--port", "0", "--unixsocket", socket_path, "--save", "", "--dir",
                   folder_, "--io-threads", "2"},
                  environment);
    if (!server.wait_for("ready to accept connections at")) return std::string();
    std::string answer = server.ask(socket_path, request);
    EXPECT_EQ(server.end(SIGTERM), 0);
    return answer;
  };
  std::string expected = ask(original, original_environment());
  ASSERT_NE(expected.find("2500"), std::string::npos) << expected;
  for (bool counting : {false, true}) {
    EXPECT_EQ(ask(folder_ + "/patched/redis-server", patched_environment(counting)), expected);
  }
}

}  // namespace
}  // namespace rff::test
