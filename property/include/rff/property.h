/* Properties: tests whose values come from the bytes of an input. For C99 and C++17.
 *
 *   RFF_PROPERTY(halves) { long i = rff_long(); rff_check(i / 2 * 2 + i % 2 == i); }
 *
 * Every byte string decodes to values, missing bytes are zero, and zero is the simplest value.
 * docs/properties.md is the manual. */
#ifndef RFF_PROPERTY_H
#define RFF_PROPERTY_H

#include "rff/draws.h"
#ifdef __cplusplus
#include "rff/registration.h"
#endif

/* The property fails unless the condition holds. Any thread may check. */
#define rff_check(...) \
  ((__VA_ARGS__) ? (void)0 : rff_failed("rff_check(" #__VA_ARGS__ ") failed", __FILE__, __LINE__))
/* The run is discarded, neither passed nor failed, unless the condition holds. */
#ifdef __cplusplus
#define rff_assume(...) ((__VA_ARGS__) ? (void)0 : ::rff::internal::discard())
#else
#define rff_assume(...) ((__VA_ARGS__) ? (void)0 : rff_discard())
#endif

#ifdef __cplusplus

#define RFF_PROPERTY_WITH(name, parameters)                                      \
  static void rff_property_##name parameters;                                    \
  [[maybe_unused]] static const ::rff::Property rff_registered_##name =          \
      ::rff::internal::register_function(#name, #parameters, __FILE__, __LINE__, \
                                         &rff_property_##name);                  \
  static void rff_property_##name parameters
#define RFF_PROPERTY_WITHOUT(name) RFF_PROPERTY_WITH(name, ())
#define RFF_PROPERTY_SELECT(name, parameters, macro, ...) macro
/* RFF_PROPERTY(name) { ... } or RFF_PROPERTY(name, (int i, std::string s)) { ... } */
#define RFF_PROPERTY(...) \
  RFF_PROPERTY_SELECT(__VA_ARGS__, RFF_PROPERTY_WITH, RFF_PROPERTY_WITHOUT, 0)(__VA_ARGS__)

#else

#define RFF_PROPERTY(name)                                                                    \
  static void rff_property_##name(void);                                                      \
  static void rff_run_##name(void* context) {                                                 \
    (void)context;                                                                            \
    rff_property_##name();                                                                    \
  }                                                                                           \
  static struct rff_property_entry rff_entry_##name = {#name,          __FILE__, __LINE__, 0, \
                                                       rff_run_##name, NULL,     NULL};       \
  __attribute__((constructor)) static void rff_register_##name(void) {                        \
    rff_register(&rff_entry_##name);                                                          \
  }                                                                                           \
  static void rff_property_##name(void)

#endif

#endif
