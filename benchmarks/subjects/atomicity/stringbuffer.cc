// Appending one string buffer to another asks for the other's length and then copies that many
// characters, each step locked, the two together not. The bug: the other buffer is shortened in
// between and the copy runs past its end. One preemption between two critical sections of the
// appending thread, and the whole erase inside it: 26 of 223 random walks (measured).
#include <pthread.h>

#include <cassert>
#include <cstring>

namespace {

class StringBuffer {
 public:
  explicit StringBuffer(const char* text) { append(text, std::strlen(text)); }
  void append(const char* text, int length) {
    pthread_mutex_lock(&lock_);
    for (int i = 0; i < length; i++) text_[length_++] = text[i];
    pthread_mutex_unlock(&lock_);
  }
  void append(StringBuffer& other) {
    pthread_mutex_lock(&lock_);
    int length = other.length();
    char copy[32];
    other.get_chars(length, copy);
    for (int i = 0; i < length; i++) text_[length_++] = copy[i];
    pthread_mutex_unlock(&lock_);
  }
  void erase(int start, int end) {
    pthread_mutex_lock(&lock_);
    int count = length_ - end;
    for (int i = 0; i < count; i++) text_[start + i] = text_[end + i];
    length_ = start + count;
    pthread_mutex_unlock(&lock_);
  }
  int length() {
    pthread_mutex_lock(&lock_);
    int length = length_;
    pthread_mutex_unlock(&lock_);
    return length;
  }
  void get_chars(int count, char* out) {
    pthread_mutex_lock(&lock_);
    assert(count <= length_);
    for (int i = 0; i < count; i++) out[i] = text_[i];
    pthread_mutex_unlock(&lock_);
  }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  char text_[32] = {};
  int length_ = 0;
};

StringBuffer shared("abc");

void* shorten(void* unused) {
  shared.erase(0, 3);
  shared.append("abc", 3);
  return unused;
}

}  // namespace

int main() {
  pthread_t other;
  StringBuffer own("");
  pthread_create(&other, nullptr, shorten, nullptr);
  own.append(shared);
  pthread_join(other, nullptr);
  return 0;
}
