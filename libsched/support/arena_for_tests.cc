#include "libsched/support/arena_for_tests.h"

#include <cstdlib>

#include "libsched/support/arena.h"

namespace rff {
namespace {

struct Piece {
  Piece* next;
  std::size_t bytes;
};
Piece* pieces = nullptr;

}  // namespace

void* fresh_memory(std::size_t bytes) {
  auto* piece = static_cast<Piece*>(std::calloc(1, sizeof(Piece) + bytes));
  *piece = {pieces, bytes};
  pieces = piece;
  return piece + 1;
}

std::size_t fresh_bytes() {
  std::size_t sum = 0;
  for (const Piece* p = pieces; p != nullptr; p = p->next) {
    sum += p->bytes;
  }
  return sum;
}

void drop_fresh_memory() {
  while (pieces != nullptr) {
    Piece* next = pieces->next;
    std::free(pieces);
    pieces = next;
  }
}

}  // namespace rff
