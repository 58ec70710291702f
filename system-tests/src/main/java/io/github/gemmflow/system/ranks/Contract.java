// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Rank that runs the contract of engines. */
public final class Contract {
  private Contract() {}

  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(MpiEngineContract.class))
            .build();
    LauncherFactory.create().execute(request, new Reporter());
  }

  private static final class Reporter implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getThrowable().isPresent()) {
        Report.failed("contract " + test.getDisplayName(), result.getThrowable().get());
      } else if (test.isTest()) {
        Report.ok("contract " + test.getDisplayName());
      }
    }
  }
}
