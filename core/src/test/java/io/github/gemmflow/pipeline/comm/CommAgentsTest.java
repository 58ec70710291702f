// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.EngineException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order in which agents are polled. */
class CommAgentsTest {
  private final Engine engine = new LocalFabric(0).engine(0);
  private final CommAgents agents = new CommAgents(new PollBackoff(() -> 0));
  private final List<String> polled = new ArrayList<>();
  private final Named first = new Named("first");
  private final Named second = new Named("second");
  private final Named third = new Named("third");

  private final class Named implements CommAgent {
    private final String name;
    private int underWay;

    Named(String name) {
      this.name = name;
    }

    @Override
    public int poll() {
      polled.add(name);
      return 0;
    }

    @Override
    public int underWay() {
      return underWay;
    }

    @Override
    public void fail(EngineException failure) {
      throw failure;
    }
  }

  @BeforeEach
  void add() {
    agents.add(first);
    agents.add(second);
    agents.add(third);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private void assertPolled(String... names) {
    polled.clear();
    assertEquals(0, agents.moveOn(engine));
    assertEquals(List.of(names), polled);
  }

  @Test
  void whoWasBusyFirstIsPolledFirst() {
    assertPolled("first", "second", "third");
    third.underWay = 2;
    assertPolled("first", "second", "third");
    // What it has begun is older than all that the others begin from now on.
    first.underWay = 1;
    second.underWay = 1;
    assertPolled("third", "first", "second");
    assertEquals(4, agents.underWay());
    third.underWay = 0;
    assertPolled("third", "first", "second");
    third.underWay = 1;
    assertPolled("first", "second", "third");
  }

  @Test
  void nobodyIsLostOrPolledTwice() {
    second.underWay = 1;
    assertPolled("first", "second", "third");
    agents.remove(first);
    assertPolled("second", "third");
    agents.add(first);
    second.underWay = 0;
    assertPolled("second", "third", "first");
    assertEquals(0, agents.underWay());
  }
}
