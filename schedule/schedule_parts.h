// Internal declarations shared by the readers and writers of the versions of the schedule file.
// Only they include this file.
#pragma once

#include "schedule/byte_stream.h"
#include "schedule/schedule_file.h"

namespace rff::schedule_parts {

inline constexpr std::size_t kMaxDecisions = 1 << 25;
inline constexpr std::size_t kMaxSites = 1 << 22;

// Version 3. Reading returns an error message, or an empty text.
void write_sections(ByteWriter& w, const Schedule& s);
std::string read_sections(std::string_view body, Schedule& s);

// The section that stores the failure (failure_section.cc).
bool has_failure(const Schedule& s);
void write_failure(ByteWriter& w, const Schedule& s);
void read_failure(ByteReader& r, Schedule& s);

// The section that stores the stacks of the threads.
bool has_stacks(const Schedule& s);
void write_stacks(ByteWriter& w, const Schedule& s);
void read_stacks(ByteReader& r, Schedule& s);

// The section that stores the chosen stop points (stop_section.cc).
bool has_stops(const Schedule& s);
void write_stops(ByteWriter& w, const Schedule& s);
void read_stops(ByteReader& r, Schedule& s);

// The sections that store the checks and the memory error that was found (checks_section.cc).
bool has_checks(const Schedule& s);
void write_checks(ByteWriter& w, const Schedule& s);
void read_checks(ByteReader& r, Schedule& s);
bool has_memory_error(const Schedule& s);
void write_memory_error(ByteWriter& w, const Schedule& s);
void read_memory_error(ByteReader& r, Schedule& s);

// Version 2 (schedule_file_v2.cc).
void read_version_2(ByteReader& r, Schedule& s);

// Fields with the same layout in both versions.
void read_constraints(ByteReader& r, Schedule& s);
void read_points(ByteReader& r, Schedule& s);
void read_target(ByteReader& r, Schedule& s);

// Sets a parameter. A value out of range is an error.
void set_parameter(ByteReader& r, Schedule& s, SchedulerParameter p, std::uint32_t value);

}  // namespace rff::schedule_parts
