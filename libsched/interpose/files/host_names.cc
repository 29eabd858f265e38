// Lookup of host names, which asks servers. The C library does it in its own thread, so that only
// the caller waits.
#include <arpa/inet.h>
#include <netdb.h>

#include "libsched/interpose/files/outside.h"

namespace rff {
namespace {

// Returns whether no server has to be asked.
bool is_address(const char* node, const addrinfo* hints) {
  in6_addr any;
  return node == nullptr || (hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0) ||
         inet_pton(AF_INET, node, &any) == 1 || inet_pton(AF_INET6, node, &any) == 1;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  if (!controlled() || !watched() || is_address(node, hints)) {
    return RFF_REAL(getaddrinfo)(node, service, hints, result);
  }
  gaicb request = {};
  request.ar_name = node;
  request.ar_service = service;
  request.ar_request = hints;
  gaicb* list[] = {&request};
  sigevent none = {};
  none.sigev_notify = SIGEV_NONE;
  int error = 0;
  {
    InsideRuntime guard;
    error = getaddrinfo_a(GAI_NOWAIT, list, 1, &none);
  }
  if (error != 0) {
    touched_outside("getaddrinfo");
    return RFF_REAL(getaddrinfo)(node, service, hints, result);
  }
  auto ask = [&] { return gai_error(&request) != EAI_INPROGRESS; };
  outside::until("getaddrinfo", kNever, ask, RFF_CALLER, Interruption::kNone);
  *result = request.ar_result;
  return gai_error(&request);
}
