// The phases' names.
#include "Pipeline/Pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo {
namespace {

TEST(Pipeline, PhaseNamesAreReadBack) {
  for (Phase phase : allPhases) {
    EXPECT_EQ(*parsePhase(name(phase)), phase);
    EXPECT_FALSE(sentence(phase).empty());
  }
  Expected<Phase> none = parsePhase("lunch");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(none.status().message(), testing::HasSubstr("import, conv, dispatch, kernel, target"));
}

} // namespace
} // namespace orzo
