// An echo server and its client on one Boost.Asio context, over TCP on the loopback device; a timer
// begins each round. The second argument is the number of threads that run the context (1).
#include <array>
#include <boost/asio.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "result.h"

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr int kRounds = 3;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}
  void read() {
    socket_.async_read_some(
        asio::buffer(bytes_),
        [self = shared_from_this()](boost::system::error_code error, std::size_t size) {
          if (!error) self->write(size);
        });
  }

 private:
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(bytes_, size),
                      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }
  tcp::socket socket_;
  std::array<char, 64> bytes_{};
};

class Client {
 public:
  Client(asio::io_context& context, tcp::endpoint server) : socket_(context), timer_(context) {
    socket_.async_connect(server, [this](boost::system::error_code error) {
      if (!error) wait();
    });
  }
  std::string echoed;

 private:
  void wait() {
    if (round_ == kRounds) {
      socket_.close();
      return;
    }
    timer_.expires_after(std::chrono::milliseconds(5));
    timer_.async_wait([this](boost::system::error_code error) {
      if (!error) send();
    });
  }
  void send() {
    message_ = "round " + std::to_string(round_++) + ";";
    asio::async_write(socket_, asio::buffer(message_),
                      [this](boost::system::error_code error, std::size_t) {
                        if (!error) receive();
                      });
  }
  void receive() {
    answer_.assign(message_.size(), ' ');
    asio::async_read(socket_, asio::buffer(answer_),
                     [this](boost::system::error_code error, std::size_t) {
                       if (error) return;
                       echoed += answer_;
                       wait();
                     });
  }
  tcp::socket socket_;
  asio::steady_timer timer_;
  int round_ = 0;
  std::string message_, answer_;
};

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  asio::io_context context(threads);
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  acceptor.async_accept([&acceptor](boost::system::error_code error, tcp::socket socket) {
    if (!error) std::make_shared<Session>(std::move(socket))->read();
    acceptor.close();
  });
  Client client(context, acceptor.local_endpoint());
  std::vector<std::thread> others;
  for (int i = 1; i < threads; i++) others.emplace_back([&context] { context.run(); });
  context.run();
  for (std::thread& other : others) other.join();
  tell_result(argc, argv, "%s", client.echoed.c_str());
  return 0;
}
