// Asynchronous input and output (aio), which the C library does in its own threads. These run
// concurrently with the program's: a run that uses them depends on the outside. Notifications of
// single requests run in threads that the runtime controls.
#include <aio.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/interpose/files/outside.h"

namespace rff {
namespace {

bool finished(const aiocb* request) {
  return request == nullptr || aio_error(request) != EINPROGRESS;
}

// The C library reads the notification of a request only when the request is finished.
struct Notice {
  aiocb* request;
  sigevent event;
};

void* notify(void* argument) {
  auto* notice = static_cast<Notice*>(argument);
  auto ask = [&] { return finished(notice->request); };
  outside::until("aio", kNever, ask, RFF_CALLER, Interruption::kNone);
  sigevent event = notice->request->aio_sigevent = notice->event;
  delete notice;
  event.sigev_notify_function(event.sigev_value);
  return nullptr;
}

// The thread that receives the notification is created here, under the runtime's control.
template <typename Start>
int begin(aiocb* request, Start start, const void* caller) {
  if (!controlled()) {
    return start(request);
  }
  runtime->start_run();
  touched_outside("aio");
  descriptions::others_may_signal();
  sigevent event = request->aio_sigevent;
  bool notified = event.sigev_notify == SIGEV_THREAD;
  if (notified) {
    request->aio_sigevent.sigev_notify = SIGEV_NONE;
  }
  int result = start(request);
  if (notified && result == 0) {
    pthread_t thread;
    int error = create_thread(&thread, event.sigev_notify_attributes, notify,
                              new Notice{request, event}, caller);
    RFF_CHECK(error == 0);
    detach_thread(thread);
  }
  return result;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int aio_read(aiocb* request) noexcept {
  return begin(request, RFF_REAL(aio_read), RFF_CALLER);
}
RFF_EXPORT int aio_write(aiocb* request) noexcept {
  return begin(request, RFF_REAL(aio_write), RFF_CALLER);
}
RFF_EXPORT int aio_read64(aiocb64* request) noexcept {
  return aio_read(reinterpret_cast<aiocb*>(request));
}
RFF_EXPORT int aio_write64(aiocb64* request) noexcept {
  return aio_write(reinterpret_cast<aiocb*>(request));
}

RFF_EXPORT int aio_suspend(const aiocb* const requests[], int count, const timespec* timeout) {
  if (!controlled()) {
    return RFF_REAL(aio_suspend)(requests, count, timeout);
  }
  auto ask = [&] {
    for (int i = 0; i < count; ++i) {
      if (requests[i] != nullptr && finished(requests[i])) {
        return true;
      }
    }
    return false;
  };
  if (!outside::until("aio_suspend", outside::after(timeout), ask, RFF_CALLER,
                      Interruption::kAlways)) {
    return -1;
  }
  if (!ask()) {
    errno = EAGAIN;
    return -1;
  }
  return 0;
}

RFF_EXPORT int aio_suspend64(const aiocb64* const requests[], int count, const timespec* timeout) {
  return aio_suspend(reinterpret_cast<const aiocb* const*>(requests), count, timeout);
}

RFF_EXPORT int lio_listio(int mode, aiocb* const requests[], int count, sigevent* event) noexcept {
  if (!controlled() || mode != LIO_WAIT) {
    if (controlled()) {
      bool thread = event != nullptr && event->sigev_notify == SIGEV_THREAD;
      touched_outside(thread ? "lio_listio that starts a thread" : "lio_listio");
    }
    return RFF_REAL(lio_listio)(mode, requests, count, event);
  }
  runtime->start_run();
  sigevent none = {};
  none.sigev_notify = SIGEV_NONE;
  int result = RFF_REAL(lio_listio)(LIO_NOWAIT, requests, count, &none);
  auto ask = [&] {
    for (int i = 0; i < count; ++i) {
      if (!finished(requests[i])) {
        return false;
      }
    }
    return true;
  };
  outside::until("lio_listio", kNever, ask, RFF_CALLER, Interruption::kNone);
  for (int i = 0; i < count && result == 0; ++i) {
    if (requests[i] != nullptr && aio_error(requests[i]) != 0) {
      errno = EIO;
      result = -1;
    }
  }
  return result;
}

RFF_EXPORT int lio_listio64(int mode, aiocb64* const requests[], int count,
                            sigevent* event) noexcept {
  return lio_listio(mode, reinterpret_cast<aiocb* const*>(requests), count, event);
}
