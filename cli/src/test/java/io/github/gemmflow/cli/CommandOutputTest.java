// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How much is said, and to whom. */
class CommandOutputTest {
  /** Long enough for a line on any machine. */
  private static final List<String> LONG =
      List.of("gen", ".", "--gm=2000", "--gk=1100", "--gn=1100", "--dtype=F32");

  /** A real terminal, as util-linux makes one. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"", " -q"})
  void onATerminal(String more, @TempDir Path directory) {
    String command = quoted(Ran.java()) + " " + String.join(" ", LONG) + more;
    Ran ran = Ran.process(directory, List.of("script", "-qec", command, "/dev/null"));
    ran.good();
    assertEquals(more.isEmpty(), ran.out().contains("the golden product"), ran.out());
    assertEquals(more.isEmpty(), ran.out().contains("SHA256SUMS"), ran.out());
  }

  /** The process that started the ranks shows what one of them reports. */
  @Tag("full")
  @Test
  void onATerminalFromRanks(@TempDir Path directory) {
    String words = " bench -n 2 --gm 512 --gk 256 --gn 256 --iterations 300";
    String command = quoted(Ran.java()) + words;
    Ran ran = Ran.process(directory, List.of("script", "-qec", command, "/dev/null"));
    ran.good();
    assertTrue(ran.out().contains("of 300 rounds"), ran.out());
    assertFalse(ran.out().contains("gemmflow-report"), ran.out());
  }

  private static String quoted(List<String> words) {
    return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
  }

  @Tag("full")
  @Test
  void inAPipe(@TempDir Path directory) {
    Ran ran = Ran.apart(directory, List.of(), LONG.toArray(String[]::new)).good();
    assertEquals("", ran.err());
    assertEquals(1, ran.out().lines().count(), ran.out());
  }

  @Tag("full")
  @Test
  void verbose(@TempDir Path directory) {
    String[] size = {"gen", directory.toString(), "--gm=8", "--gk=8", "--gn=8"};
    Ran.here(size).good();
    String[] run = {"run", "--engine=local", "--a=a.npy", "--b=b.npy", "--out=c.npy", "-v"};
    Ran loud = Ran.apart(directory, List.of(), run).good();
    assertTrue(loud.out().contains("schedule mesh: "), loud.out());
    assertTrue(loud.err().contains(", kernel onednn ("), loud.err());
    run[run.length - 1] = "-q";
    Ran quiet = Ran.apart(directory, List.of(), run).good();
    assertEquals("", quiet.out() + quiet.err());
  }

  @Tag("full")
  @Test
  void whatAllRanksWarnOfIsSaidOnce(@TempDir Path directory) {
    Ran.here("gen", directory.toString(), "--gm=8", "--gk=8", "--gn=8").good();
    List<String> command = new ArrayList<>(List.of("env", "ONEDNN_MAX_CPU_ISA=AVX2"));
    command.addAll(Ran.java());
    command.addAll(List.of("run", "-n", "3", "--a=a.npy", "--b=b.npy", "--out=c.npy"));
    Ran ran = Ran.process(directory, command).good();
    List<String> warnings =
        ran.err().lines().filter(line -> line.contains("no instructions for BF16")).toList();
    assertEquals(1, warnings.size(), ran.err());
  }

  /**
   * Whoever ends a job from outside reads nothing about it; no rank and no memory is left. Ranks
   * are processes that this command starts or that run already, threads, or only one.
   */
  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "'', '', 2 ranks",
    "'', --engine=local, 2 ranks",
    "'', -n=1, 1 rank",
    "mpirun.openmpi --allow-run-as-root --oversubscribe -n 2, '', 2 ranks",
    "mpirun.mpich -n 2, '', 2 ranks"
  })
  void aJobThatIsEnded(String launcher, String option, String ranks, @TempDir Path directory)
      throws Exception {
    List<String> command = new ArrayList<>();
    if (!launcher.isEmpty()) {
      command.addAll(List.of(launcher.split(" ", -1)));
    }
    command.addAll(Ran.java());
    command.addAll(List.of("bench", "-v", "--gm=64", "--gk=64", "--gn=64", "--iterations=1000000"));
    if (!option.isEmpty()) {
      command.add(option);
    }
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("GEMMFLOW_WINDOW_DIRECTORY", directory.toString());
    Process process = builder.start();
    try (BufferedReader lines = process.errorReader(UTF_8)) {
      String line = lines.readLine();
      while (line != null && !line.contains(ranks + " on 1 host")) {
        line = lines.readLine();
      }
      List<ProcessHandle> started = process.descendants().toList();
      process.toHandle().destroy();
      assertTrue(process.waitFor(30, TimeUnit.SECONDS));
      if (launcher.isEmpty()) {
        assertEquals(143, process.exitValue());
      }
      List<String> rest = lines.lines().filter(more -> more.startsWith("gemmflow: ")).toList();
      assertTrue(rest.stream().noneMatch(more -> more.contains("internal error")), rest::toString);
      for (ProcessHandle one : started) {
        one.onExit().get(30, TimeUnit.SECONDS);
      }
    }
    try (var left = Files.list(directory)) {
      assertEquals(List.of(), left.toList());
    }
  }

  /** Such as the rest of a list that a shell reads line by line. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void theInputIsLeftToOthers(String mpirun, @TempDir Path directory) {
    List<String> shell = List.of("sh", "-c", "echo the rest | { \"$@\" >said; cat; }", "sh");
    Ran ran =
        Ran.apart(
            directory,
            shell,
            "bench",
            "--mpirun=" + mpirun,
            "-n=2",
            "--gm=8",
            "--gk=8",
            "--gn=8",
            "--iterations=3",
            "--warmup=1");
    assertEquals("the rest\n", ran.out(), ran::err);
  }
}
