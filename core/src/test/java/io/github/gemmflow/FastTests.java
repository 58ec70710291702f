// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Program that runs the fast tests, those that miss most first, and ends with the first one that
 * fails. {@code bin/mutants} runs it once for each mutant.
 */
public final class FastTests implements TestExecutionListener {
  private static final String ROOT = FastTests.class.getPackageName() + ".";

  /** Time limit for a test: a mutant that waits forever is found after this time. */
  private static final String LONGEST = "60 s";

  /** Classes, and packages with all their classes. */
  private static final List<String> TESTS =
      List.of(
          "plan.StepOrderTest",
          "plan.NextRunTest",
          "plan.NextTileTest",
          "plan.GatherLayoutTest",
          "plan.SumLayoutTest",
          "plan.TileJobsTest",
          "pipeline",
          "setup",
          "OperatorTest",
          "SmallStepTest",
          "SumFaultsTest",
          "AgreementTest",
          "CountingTest",
          "OvertakingTest",
          "MismatchedStepTest",
          "SlowReadersTest",
          "SlowAddersTest",
          "BrokenStepTest",
          "ExactnessTest",
          "LifetimesTest",
          "WaitInsideTest",
          "HalfMadeTest",
          "GroupCloseTest",
          "GroupsTest",
          "ConfigTest",
          "FewTagsTest",
          "ComputeThreadsTest",
          "CommRestTest",
          "UnfinishedCollectivesTest",
          "GatedOutputTest",
          "Int8Test",
          "JobCostsTest",
          "WireTypeTest",
          "TimelineTest",
          "RowConsumerTest",
          "WorldTest",
          "plan.RulesTest",
          "plan.TileRuleTest",
          "plan.SameDecisionsTest",
          "model.SumModelTest",
          "model.HeaderModelTest",
          "SameBitsTest",
          "DeadlineTest",
          "SumBitsTest");

  private FastTests() {}

  public static void main(String[] arguments) {
    for (String name : TESTS) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(selector(name))
              .filters(TagFilter.excludeTags("full", "soak"))
              .configurationParameter("junit.jupiter.execution.timeout.default", LONGEST)
              .configurationParameter(
                  "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
              .build();
      LauncherFactory.create().execute(request, new FastTests());
    }
    // Threads that a mutant has left do not count.
    Runtime.getRuntime().halt(0);
  }

  private static DiscoverySelector selector(String name) {
    return name.endsWith("Test") ? selectClass(ROOT + name) : selectPackage(ROOT + name);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    result.getThrowable().ifPresent(thrown -> fail(test, thrown));
  }

  private static void fail(TestIdentifier test, Throwable thrown) {
    String name = test.getUniqueId().replaceAll(".*class:" + ROOT, "");
    System.out.printf("%nFAILED %s: %s%n", name, thrown.toString().lines().findFirst().orElse(""));
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }
}
