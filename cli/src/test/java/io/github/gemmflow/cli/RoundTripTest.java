// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.measure.Counted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From a seed to files, to a product, to a verdict. */
@Tag("full")
class RoundTripTest {
  @TempDir private Path directory;

  record Case(int ranks, String mpirun, String format, String values) {}

  /** All ranks, launchers and formats; each two of them with both kinds of values. */
  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int ranks : new int[] {1, 2, 4}) {
      for (String mpi : List.of("openmpi", "mpich")) {
        for (String format : List.of("npy", "safetensors")) {
          boolean integers = (ranks == 2) ^ mpi.equals("mpich") ^ format.equals("npy");
          cases.add(new Case(ranks, "mpirun." + mpi, format, integers ? "integers" : "reals"));
        }
      }
    }
    return cases.stream();
  }

  /** Sizes that nothing divides. Half of the cases start mpirun, half are started by it. */
  @ParameterizedTest
  @MethodSource("cases")
  void onProcesses(Case c) {
    boolean shards = c.values().equals("integers");
    gen(c.format(), c.values(), shards ? c.ranks() : 0);
    String a = file((shards ? "a-{rank}." : "a.") + c.format());
    String b = file("b." + c.format());
    String out = file((shards ? "c." : "c-{rank}.") + c.format());
    boolean inside = c.ranks() == 1 || c.format().equals("npy");
    Ran ran =
        inside
            ? Ran.apart(
                directory,
                List.of(c.mpirun(), "-n", Integer.toString(c.ranks())),
                words("run", "--a", a, "--b", b, "--out", out))
            : Ran.apart(
                directory,
                List.of(),
                words(
                    "run",
                    "-n",
                    Integer.toString(c.ranks()),
                    "--mpirun",
                    c.mpirun(),
                    "--a",
                    a,
                    "--b",
                    b,
                    "--out",
                    out));
    ran.good();
    assertTrue(
        ran.out().contains("37 x 53 x 29 BF16 on %s, MPI".formatted(Counted.of(c.ranks(), "rank"))),
        ran.out());
    String verdict =
        Ran.here("verify", "--c", out, "--golden", file("golden." + c.format()), "--a", a, "--b", b)
            .good()
            .out();
    assertTrue(
        verdict.contains(shards ? "every element equal to" : "within the error bound"), verdict);
    Ran.here("verify", "--c", out, "--a", a, "--b", b).good();
  }

  @ParameterizedTest
  @CsvSource({"F32, 1", "F16, 2", "BF16, 3", "I8, 3"})
  void onThreads(String type, int ranks) {
    gen("npy", "integers", 0, "--dtype", type);
    run("a.npy", "c-{rank}.npy", "-n", Integer.toString(ranks)).good();
    verify("c-{rank}.npy").good();
  }

  /** Reals that are rounded to int8 are off by what that takes, and by no more. */
  @Test
  void roundedToInt8() {
    gen("npy", "reals", 0, "--dtype", "F32");
    String said = run("a.npy", "c.npy", "--int8", "--out-dtype", "F32").good().out();
    assertTrue(said.contains("37 x 53 x 29 I8 on 2 ranks"), said);
    String[] verify = {"verify", "--c", file("c.npy"), "--a", file("a.npy"), "--b", file("b.npy")};
    String verdict = Ran.here(with(verify, "--int8")).good().out();
    assertTrue(verdict.contains("every element within the error bound of A x B"), verdict);
    Ran.here(verify).bad(ExitCode.NO, "give or take");
    flip("c.npy", -1);
    Ran.here(with(verify, "--int8")).bad(ExitCode.NO, "1 of 1073 elements are wrong");
  }

  /** Each rank has columns of A: of one file, or in files of its own. */
  @Test
  void columnsOfA() {
    gen("npy", "integers", 0);
    run("a.npy", "c-{rank}.npy", "-n=3", "--along=columns").good();
    verify("c-{rank}.npy").good();
    // What was B is 53 x 29, and what was A, 37 x 53, is one part of a wider A.
    Ran.here("gen", file("wide"), "--gm=37", "--gk=60", "--gn=5", "--seed=3").good();
    run("wide/a.npy", "c.npy", "--along=columns")
        .bad(ExitCode.INPUT, "has 60 columns over all ranks, but B has 53 rows");
  }

  /** Two groups of two ranks: each with an A of its own, and all with the same B. */
  @Test
  void groupsSideBySide() throws IOException {
    gen("npy", "integers", 0);
    Ran.here("gen", file("other"), "--gm=11", "--gk=53", "--gn=5", "--seed=3").good();
    Files.copy(Path.of(file("a.npy")), Path.of(file("a-0.npy")));
    Files.copy(Path.of(file("other/a.npy")), Path.of(file("a-1.npy")));
    String out = run("a-{group}.npy", "c-{group}.npy", "-n=4", "--groups=2").good().out();
    assertTrue(out.contains("37 x 53 x 29 BF16 on 4 ranks in 2 groups"), out);
    verify("c-0.npy").good();
    Ran.here("verify", "--c", file("c-1.npy"), "--a", file("other/a.npy"), "--b", file("b.npy"))
        .good();
    run("a.npy", "c.npy", "-n=4", "--groups=2").bad(ExitCode.INPUT, "2 groups would write");
    run("a.npy", "c-{group}.npy", "-n=3", "--groups=2")
        .bad(ExitCode.INPUT, "3 ranks cannot be divided into 2 groups");
    Files.delete(Path.of(file("a-1.npy")));
    run("a-{group}.npy", "c-{group}.npy", "-n=4", "--groups=2").bad(ExitCode.INPUT, "a-1.npy");
  }

  /** A directory for each rank, made as it is needed. */
  @Test
  void directoriesAreMade() {
    gen("npy", "integers", 0);
    run("a.npy", "made/of-{rank}/c.npy").good();
    verify("made/of-{rank}/c.npy").good();
  }

  @Test
  void everyRankTakesAllOfB() {
    gen("npy", "integers", 3);
    run("a-{rank}.npy", "c-{rank}.npy", "--replicate").good();
    String verdict = verify("c-{rank}.npy").good().out();
    assertTrue(verdict.contains("37 x 29 F32, every element equal"), verdict);
    flip("c-2.npy", -1);
    verify("c-{rank}.npy").bad(ExitCode.NO, "c-2.npy: element [36, 28] is ");
  }

  @Test
  void weightsAsCheckpointsStoreThem() {
    gen("npy", "integers", 0);
    // What was B is a matrix of 53 x 29: now of 53 outputs and 29 inputs.
    Ran.here("gen", file("second"), "--gm=11", "--gk=29", "--gn=53", "--seed=7").good();
    String a = file("second/a.npy");
    String b = file("b.npy");
    String c = file("c.safetensors");
    Ran.here(
            "run",
            "--engine=local",
            "-n=3",
            "--layout=out-in",
            "--a",
            a,
            "--b",
            b,
            "--out",
            c,
            "--out-dtype=bf16")
        .good();
    Ran.here("verify", "--c", c, "--layout=out-in", "--a", a, "--b", b).good();
  }

  /** A product that was made elsewhere, and nothing else, is enough. */
  @Test
  void toleranceInsteadOfInputs() {
    gen("npy", "reals", 0, "--dtype", "F32");
    run("a.npy", "c-{rank}.npy").good();
    String[] verify = {"verify", "--c", file("c-{rank}.npy"), "--golden", file("golden.npy")};
    Ran.here(verify).bad(ExitCode.NO, "largest error ", "relative error ", "for example --rtol");
    String said = Ran.here(with(verify, "--rtol", "1e-5", "--atol", "1e-5")).good().out();
    for (String part :
        List.of(
            "every element within the tolerance (--rtol 1.0E-5 --atol 1.0E-5) of",
            "c-0.npy: largest error ",
            "c-1.npy: largest error ")) {
      assertTrue(said.contains(part), said);
    }
    Ran.here(with(verify, "--rtol", "1e-12")).bad(ExitCode.NO, "give or take");
    Ran.here(with(verify, "--atol", "-1")).bad(ExitCode.INPUT, "a tolerance is 0 or more");
    flip("c-1.npy", -1);
    Ran.here(with(verify, "--rtol", "1e-5", "--atol", "1e-5"))
        .bad(ExitCode.NO, "1 of 1073 elements are wrong", "c-1.npy: largest error ");
  }

  private static String[] with(String[] first, String... more) {
    return Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray(String[]::new);
  }

  /** A tensor among others, by its name. */
  @Test
  void namedTensors() {
    gen("npy", "integers", 0);
    run("a.npy", "c.safetensors#layer.c").good();
    Ran.here("verify", "--c", file("c.safetensors#layer.c"), "--golden", file("golden.npy")).good();
    Ran.here("verify", "--c", file("c.safetensors#layer.d"), "--golden", file("golden.npy"))
        .bad(ExitCode.INPUT, "layer.d", "layer.c");
  }

  @Test
  void aFlippedByteInTheOutput() {
    gen("npy", "integers", 0);
    run("a.npy", "c.npy").good();
    // The last byte of element [10, 20], which has its sign and exponent.
    flip("c.npy", 128 + 4 * (10 * 29 + 20) + 3);
    verify("c.npy")
        .bad(
            ExitCode.NO,
            "c.npy: element [10, 20] is ",
            "1 of 1073 elements are wrong",
            "golden equals A x B: C is wrong");
    Ran.here("verify", "--c", file("c.npy"), "--golden", file("golden.npy"))
        .bad(ExitCode.NO, "element [10, 20]");
    Ran.here("verify", "--c", file("c.npy"), "--a", file("a.npy"), "--b", file("b.npy"))
        .bad(ExitCode.NO, "element [10, 20]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.npy", "b.npy", "golden.npy"})
  void aFlippedByteInAnInput(String name) throws IOException {
    gen("npy", "reals", 0);
    run("a.npy", "c.npy").good();
    verify("c.npy").good();
    flip(name, -1);
    verify("c.npy").bad(ExitCode.NO, file(name) + " has changed", "SHA256SUMS");
    // Without anybody who has written down what it was, the product shows it.
    Files.delete(directory.resolve("SHA256SUMS"));
    run("a.npy", "c.npy").good();
    String blame = "golden was computed from other inputs";
    verify("c.npy").bad(ExitCode.NO, "c.npy: element [", blame);
  }

  @Test
  void threeThatDiffer() throws IOException {
    gen("npy", "integers", 0);
    run("a.npy", "c.npy").good();
    flip("c.npy", -1);
    flip("golden.npy", -2);
    Files.delete(directory.resolve("SHA256SUMS"));
    verify("c.npy").bad(ExitCode.NO, "element [36, 28]", "both C and golden are wrong");
  }

  /** What was made for more ranks is not taken for a part of it. */
  @Test
  void fewerShardsThanBefore() {
    gen("npy", "integers", 4);
    gen("npy", "integers", 2);
    Ran ran = run("a-{rank}.npy", "c.npy").good();
    assertTrue(ran.out().contains("on 2 ranks"), ran.out());
    verify("c.npy").good();
  }

  /** The same seed gives the same bytes, another one others. */
  @Test
  void seeds() throws IOException {
    for (String seed : List.of("1", "1", "2")) {
      Ran.here("gen", file("s" + seed), "--gm=8", "--gk=8", "--gn=8", "--seed", seed).good();
    }
    List<String> one = Files.readAllLines(directory.resolve("s1/SHA256SUMS"));
    Ran.here("gen", file("t"), "--gm=8", "--gk=8", "--gn=8").good();
    assertEquals(one, Files.readAllLines(directory.resolve("t/SHA256SUMS")));
    List<String> two = Files.readAllLines(directory.resolve("s2/SHA256SUMS"));
    for (int i = 0; i < one.size(); i++) {
      assertTrue(!one.get(i).equals(two.get(i)), one.get(i));
    }
  }

  private void gen(String format, String values, int shards, String... more) {
    List<String> words =
        new ArrayList<>(List.of("gen", directory.toString(), "--gm=37", "--gk=53", "--gn=29"));
    words.addAll(List.of("--format", format, "--values", values, "--shards=" + shards));
    words.addAll(List.of(more));
    Ran.here(words.toArray(String[]::new)).good();
  }

  private Ran run(String a, String out, String... more) {
    List<String> words = new ArrayList<>(List.of("run", "--engine=local", "--a", file(a)));
    words.addAll(List.of("--b", file("b.npy"), "--out", file(out)));
    words.addAll(List.of(more));
    return Ran.here(words.toArray(String[]::new));
  }

  private Ran verify(String c) {
    String a = Files.exists(directory.resolve("a.npy")) ? "a.npy" : "a-{rank}.npy";
    return Ran.here(
        "verify",
        "--c",
        file(c),
        "--golden",
        file("golden.npy"),
        "--a",
        file(a),
        "--b",
        file("b.npy"));
  }

  private String file(String name) {
    return directory.resolve(name).toString();
  }

  private static String[] words(String... words) {
    return words;
  }

  /**
   * Flips all bits of a byte.
   *
   * @param at its place; negative if counted from the end
   */
  private void flip(String name, int at) {
    Path file = directory.resolve(name);
    try {
      byte[] bytes = Files.readAllBytes(file);
      bytes[at < 0 ? bytes.length + at : at] ^= (byte) 0xFF;
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
