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

TEST(ScheduleJson, EventsKeepEveryKindOfPlace) {
  for (int kind = 0; kind <= static_cast<int>(LocationKind::kFile); ++kind) {
    Schedule s;
    Location place{static_cast<LocationKind>(kind), 7, 0};
    s.constraints.insert({AbstractEvent::make(OpKind::kSend, place, 0, {1, 2}),
                          AbstractEvent::make(OpKind::kReceive, place, 0, {1, 3}), true});
    DecodeResult r = schedule_from_json(schedule_to_json(s));
    ASSERT_TRUE(r.schedule) << location_kind_name(place.kind) << ": " << r.error;
    EXPECT_EQ(*r.schedule, s);
    r = decode_schedule(encode_schedule(s));
    ASSERT_TRUE(r.schedule) << location_kind_name(place.kind) << ": " << r.error;
    EXPECT_EQ(*r.schedule, s);
  }
}

// The text was written by rff 0.1.0.
TEST(ScheduleJson, Version2IsStillRead) {
  std::string text = schedule_to_json(test_data::full_schedule());
  text.replace(text.find("\"version\": 3"), 12, "\"version\": 2");
  text.insert(text.find("\"kind\""), "\"summary\": \"they wait\", ");
  std::size_t at = text.find("\"parameters\"");
  text.replace(at, text.find('}', at) + 1 - at,
               "\"pct_depth\": 5, \"pct_length\": 400, \"patience\": 77");
  DecodeResult r = schedule_from_json(text);
  ASSERT_TRUE(r.schedule) << r.error;
  Schedule expected = test_data::full_schedule();
  expected.finding->failure = {};
  expected.finding->failure.version_2_text = "they wait";
  EXPECT_EQ(*r.schedule, expected);
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
