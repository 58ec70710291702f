// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.doctor.check.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMeetingTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir private Path directory;

  private HostMeeting meeting(int index) {
    return new HostMeeting(directory, "job", new HostRanks("INDEX", index, 2));
  }

  private static RankFindings of(int rank) {
    return new RankFindings(
        rank, List.of(Finding.ok("Java", "25"), Finding.problem("MPI", "none", "one", "other")));
  }

  private void assertNothingLeft() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(), files.toList());
    }
  }

  @Test
  void allCome() throws IOException {
    meeting(1).leave(of(8));
    meeting(0).leave(of(7));
    assertEquals(List.of(of(7), of(8)), meeting(0).collect(LONG));
    assertFalse(meeting(1).awaitEnd(SHORT), "nothing was printed yet");
    meeting(1).leave(of(8));
    meeting(0).end();
    assertTrue(meeting(1).awaitEnd(LONG));
    assertNothingLeft();
  }

  @Test
  void oneDoesNotCome() throws IOException {
    meeting(0).leave(of(7));
    assertEquals(List.of(of(7)), meeting(0).collect(SHORT));
    meeting(0).end();
    assertNothingLeft();
  }

  /** Who must print for itself leaves nothing behind. */
  @Test
  void theFirstDoesNotCome() throws IOException {
    meeting(1).leave(of(8));
    assertFalse(meeting(1).awaitEnd(SHORT));
    assertNothingLeft();
  }
}
