// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Version;
import io.github.gemmflow.cli.job.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {
  private static final List<String> SMALL =
      List.of(
          "--gm=70", "--gk=96", "--gn=40", "--warmup=1", "--iterations=3", "--compute-threads=1");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    List<String> arguments = new ArrayList<>(List.of("bench"));
    arguments.addAll(List.of(words));
    arguments.addAll(SMALL);
    CommandLine line = Gemmflow.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments.toArray(String[]::new));
  }

  @Test
  void ranksAsThreads(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("bench.json");
    int exitCode = run("--engine=local", "-n=4", "--groups=2", "--dtype=f32", "--json=" + json);
    assertEquals(0, exitCode, err::toString);
    assertTrue(out.toString().contains("verified: exact on all ranks"), out::toString);
    assertTrue(out.toString().contains("One host: nothing to overlap"), out::toString);
    assertFalse(out.toString().contains("of the limit"), out::toString);
    String text = Files.readString(json);
    for (String part :
        List.of(
            "\"verdict\": \"One host: nothing to overlap",
            "\"decided\": false",
            "\"speedup\": null",
            "\"overlap\": null",
            "\"hidden\": null",
            "\"ofLimit\": null",
            "\"shape\": {\"m\": 70, \"k\": 96, \"n\": 40}",
            "\"dtype\": \"F32\", \"wire\": \"F32\", \"ranks\": 4, \"hosts\": 1, \"groups\": 2",
            "\"engine\": \"local\"",
            "\"verified\": true, \"exact\": true",
            "\"pipelined\": {\"medianMs\": ")) {
      assertTrue(text.contains(part), text);
    }
  }

  /** Each shape on each number of ranks: a table of them, and a file of each. */
  @Test
  void listsOfShapesAndRanks(@TempDir Path directory) throws IOException {
    Path sweep = directory.resolve("sweep");
    String[] lists = {"--gm=70,16", "--gk=96", "--gn=40", "--warmup=0", "--iterations=1"};
    Ran bench = bench(lists, "--engine=local", "-n=1,3", "--dtype=f32", "--json=" + sweep).good();
    List<String> lines = bench.out().lines().toList();
    assertEquals(8, lines.size(), bench::toString);
    assertTrue(lines.get(0).startsWith("gather F32, 1 rank on 1 host"), bench::toString);
    assertTrue(lines.get(1).contains("sequential"), bench::toString);
    assertTrue(lines.get(3).strip().startsWith("16      96      40 "), bench::toString);
    assertTrue(lines.get(4).startsWith("gather F32, 3 ranks on 1 host"), bench::toString);
    try (Stream<Path> files = Files.list(sweep)) {
      assertEquals(
          List.of(
              "gather-F32-16x96x40-1-ranks-on-1.json",
              "gather-F32-16x96x40-3-ranks-on-1.json",
              "gather-F32-70x96x40-1-ranks-on-1.json",
              "gather-F32-70x96x40-3-ranks-on-1.json"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
    Path page = directory.resolve("scaling.html");
    Ran.here("report", sweep.toString(), "-o", page.toString()).good();
    assertTrue(Files.readString(page).contains("\"gflops\": "), "throughput is in the page");
  }

  private static Ran bench(String[] options, String... more) {
    List<String> words = new ArrayList<>(List.of("bench"));
    words.addAll(List.of(options));
    words.addAll(List.of(more));
    return Ran.here(words.toArray(String[]::new));
  }

  @Test
  void int8() {
    int exitCode = run("--engine=local", "-n=3", "--hosts=2", "--dtype=i8");
    assertEquals(0, exitCode, err::toString);
    assertTrue(out.toString().startsWith("gather 70 x 96 x 40 I8"), out::toString);
    assertTrue(out.toString().contains("verified: exact on all ranks"), out::toString);
  }

  /** What is rounded on its way is not exact, and is checked all the same. */
  @ParameterizedTest
  @CsvSource({
    "gather, F32, I8, 7000",
    "gather, BF16, I8, 7000",
    "reduce-scatter, F32, BF16, 5600",
    "reduce-scatter, F32, I8, 3080",
    "all-reduce, BF16, I8, 6160",
    "all-reduce, I8, F32, 22400",
    "reduce-scatter, I8, I8, 3080"
  })
  void roundedOnTheWay(String operation, String type, String wire, String bytes) {
    int exitCode =
        run(
            "--engine=local",
            "-n=3",
            "--hosts=2",
            "--operation=" + operation,
            "--dtype=" + type,
            "--wire=" + wire);
    assertEquals(0, exitCode, err::toString);
    String said = out.toString().replace(",", "");
    assertTrue(said.contains("verified: every element is within the rounding error"), said);
    assertTrue(said.contains(bytes + " had to cross"), said);
  }

  @ParameterizedTest
  @CsvSource({"rows, 2", "columns, 2", "columns, 1", "rows, 1"})
  void aGatherAlone(String along, int hosts, @TempDir Path directory) throws IOException {
    Path json = directory.resolve("gather.json");
    int exitCode =
        run(
            "--engine=local",
            "-n=3",
            "--hosts=" + hosts,
            "--dtype=f32",
            "--operation=all-gather",
            "--along=" + along,
            "--json=" + json);
    assertEquals(0, exitCode, err::toString);
    String said = out.toString();
    assertTrue(said.startsWith("all-gather F32 along %s, 3 ranks on ".formatted(along)), said);
    assertTrue(said.contains("verified: exact on all ranks"), said);
    assertEquals(hosts > 1, said.contains("26,880 had to cross"), said);
    String text = Files.readString(json);
    assertTrue(text.contains("\"inPlace\": {\"medianMs\": "), text);
    Ran.here("report", json.toString()).bad(ExitCode.INPUT, "has the figures of an all-gather");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "-n 1,2 --trace trace.json; --trace takes one shape",
        "--along columns; requires --operation all-gather",
        "--operation all-gather --groups 2; does not support --trace or --groups",
        "--operation all-gather --dtype i8; does not support --dtype I8 or --wire",
        "-n 2,0; 0 ranks cannot be started"
      })
  void optionsThatDoNotGoTogether(String options, String message) {
    bench(options.split(" "), "--engine=local").bad(ExitCode.INPUT, message);
  }

  @Test
  void onlyBenchTakesLists() {
    Ran.here("plan", "--gm", "16,32").bad(ExitCode.INPUT, "--gm 16,32: this command takes one");
  }

  /** Rows of 35 x 96 F32 cross in either direction, and the words say that it is a simulation. */
  @Test
  void simulatedHosts(@TempDir Path directory) throws IOException {
    Path json = directory.resolve("bench.json");
    int exitCode =
        run(
            "--engine=local",
            "-n=4",
            "--hosts=2",
            "--rate=1gbit",
            "--latency=50us",
            "--dtype=f32",
            "--json=" + json);
    assertEquals(0, exitCode, err::toString);
    String said = out.toString();
    assertTrue(
        said.contains("4 ranks on 2 hosts")
            && said.contains("simulated hosts, links of 1.00 Gbit/s and 50.0 us"),
        said);
    assertTrue(said.contains("verified: exact on all ranks"), said);
    assertTrue(said.contains("26,880 had to cross"), said);
    Matcher carried = Pattern.compile("\"linkBytes\": (\\d+)").matcher(Files.readString(json));
    assertTrue(carried.find(), said);
    long bytes = Long.parseLong(carried.group(1));
    // Nothing crosses twice; headers and acknowledgements, and how ranks meet, are counted, too.
    assertTrue(bytes >= 26_880 && bytes < 2 * 26_880, bytes + " bytes");
  }

  /** Real processes, started by this one. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void ranksAsProcesses(String mpirun, @TempDir Path directory) throws IOException {
    Path json = directory.resolve("bench.json");
    int exitCode = run("--mpirun=" + mpirun, "-n=3", "--json=" + json);
    assertEquals(0, exitCode, err::toString);
    String text = Files.readString(json);
    assertTrue(text.contains("\"engine\": \"mpi\", \"mpi\": \"MPI ("), text);
    assertTrue(text.contains("\"ranks\": 3"), text);
    assertTrue(text.contains("\"verified\": true"), text);
  }

  @Test
  void aTrace(@TempDir Path directory) throws IOException {
    Path trace = directory.resolve("trace.json");
    assertEquals(0, run("--engine=local", "-n=2", "--trace=" + trace), err::toString);
    List<String> lines = Files.readAllLines(trace);
    for (int rank = 0; rank < 2; rank++) {
      String mine = "\"pid\": " + rank;
      String name = "{\"name\": \"process_name\", \"ph\": \"M\", " + mine;
      assertTrue(lines.stream().anyMatch(line -> line.startsWith(name)), lines::toString);
      assertTrue(
          lines.stream()
              .anyMatch(
                  line -> line.startsWith("{\"name\": \"multiply rows") && line.contains(mine)),
          lines::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"reduce-scatter", "all-reduce"})
  void sums(String operation, @TempDir Path directory) throws IOException {
    Path json = directory.resolve("bench.json");
    Path trace = directory.resolve("trace.json");
    int exitCode =
        run(
            "--engine=local",
            "-n=3",
            "--operation=" + operation,
            "--json=" + json,
            "--trace=" + trace);
    assertEquals(0, exitCode, err::toString);
    assertTrue(out.toString().contains("verified: exact on all ranks"), out::toString);
    String text = Files.readString(json);
    assertTrue(text.contains("\"operation\": \"%s\"".formatted(operation)), text);
    assertTrue(text.contains("\"tiles\": \"of 70 rows\""), text);
    List<String> lines = Files.readAllLines(trace);
    for (String what : List.of("multiply rows 0-69", "add up rows ")) {
      assertTrue(lines.stream().anyMatch(line -> line.contains(what)), lines::toString);
    }
  }

  @Test
  void theVersion() {
    assertEquals(0, run("--version"));
    assertEquals(Version.TEXT, out.toString().strip());
  }
}
