#include "schedule/schedule_json.h"

#include <gtest/gtest.h>

#include "schedule/schedule_test_data.h"

namespace rff {
namespace {

TEST(ScheduleJson, RoundTripIsLossless) {
  for (const Schedule& s : {Schedule{}, test_data::full_schedule()}) {
    DecodeResult r = schedule_from_json(schedule_to_json(s));
    ASSERT_TRUE(r.schedule) << r.error;
    EXPECT_EQ(*r.schedule, s);
    EXPECT_EQ(encode_schedule(*r.schedule), encode_schedule(s));
  }
}

TEST(ScheduleJson, BadTextGivesAReason) {
  for (const char* text : {"", "[]", "{\"version\": 1}", "{\"version\": 9}", "nonsense"}) {
    DecodeResult r = schedule_from_json(text);
    EXPECT_FALSE(r.schedule);
    EXPECT_TRUE(r.error.starts_with("is not a schedule in JSON: ")) << r.error;
  }
}

}  // namespace
}  // namespace rff
