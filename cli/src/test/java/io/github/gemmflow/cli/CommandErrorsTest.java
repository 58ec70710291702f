// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person can get wrong: exit code, and one short message that says what to do. */
class CommandErrorsTest {
  @TempDir private static Path data;

  @BeforeAll
  static void makeData() throws IOException {
    String[] size = {"--gm=12", "--gk=8", "--gn=6"};
    gen("", size);
    gen("shards", size[0], size[1], size[2], "--shards=3");
    gen("f32", size[0], size[1], size[2], "--dtype=F32");
    gen("other", "--gm=12", "--gk=9", "--gn=6");
    Files.copy(data.resolve("other/a.npy"), data.resolve("uneven-1.npy"));
    Files.copy(data.resolve("a.npy"), data.resolve("uneven-0.npy"));
    Files.copy(data.resolve("other/b.npy"), data.resolve("b-1.npy"));
    Files.copy(data.resolve("b.npy"), data.resolve("b-0.npy"));
    byte[] bytes = Files.readAllBytes(data.resolve("a.npy"));
    Files.write(data.resolve("short.npy"), Arrays.copyOf(bytes, bytes.length - 1));
    Files.writeString(data.resolve("text.npy"), "not an array\n");
    Files.writeString(data.resolve("a.csv"), "1,2,3\n");
    Files.writeString(data.resolve("file"), "not a directory\n");
  }

  private static void gen(String name, String... size) {
    String[] words = new String[size.length + 2];
    words[0] = "gen";
    words[1] = data.resolve(name).toString();
    System.arraycopy(size, 0, words, 2, size.length);
    Ran.here(words).good();
  }

  /** {@code @} is the directory of the files; run has the rest of its options from here. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          ""                                            | Missing required subcommand
          fly                                           | Unmatched argument at index 0: 'fly'
          run                                           | Missing required options: '--a=FILE'
          run --a                                       | Missing required parameter for option '--a'
          run --a @/a.npy --b @/b.npy --out c.npy --fast | Unknown option: '--fast'
          run --a @/a.npy --b @/b.npy --out c.npy -n x  | 'x' is not an int
          run --a @/a.npy --b @/b.npy --out c.npy -n -1 | -1 ranks cannot be started: -n takes 1 or more
          run --a @/a.npy --b @/b.npy --out c.npy --engine gpu | expected one of [MPI, LOCAL]
          bench --hosts 2                               | simulate hosts, which requires ranks that are threads: add --engine local
          bench --engine local --rate 1gbit             | apply to links between hosts: add --hosts 2
          bench --engine local --hosts 3                | 2 ranks cannot be spread over 3 hosts
          bench --engine local --hosts 2 --rate fast    | --rate fast: expected a rate, for example 1gbit or 250mbit
          bench --engine local --hosts 2 --latency 5    | --latency 5: expected a time, for example 50us or 1.5ms
          run --a @/a.npy --b @/b.npy --out c.npy --layout row | in-out, OUT_IN, out-in] (case-insensitive) but was 'row'
          run --a @/a.npy --b @/b.npy --out c.npy --schedule star | no schedule is named 'star'; available: [mesh,
          run --a @/a.npy --b @/b.npy --out c.npy --compute-threads 0 | thread
          run --a @/a.npy --b @/b.npy --out c.npy --inflight -1 | -1 chunks cannot be in flight
          run --a @/none.npy --b @/b.npy --out c.npy    | none.npy: no such file
          run --a @/a.npy --b @/none.npy --out c.npy    | none.npy: no such file
          run --a @ --b @/b.npy --out c.npy             | the name of the file selects the format
          run --a @/a.csv --b @/b.npy --out c.npy       | a.csv: expected x.npy, x.safetensors
          run --a @/text.npy --b @/b.npy --out c.npy    | text.npy:
          run --a @/short.npy --b @/b.npy --out c.npy   | short.npy:
          run --a @/a.npy#x --b @/b.npy --out c.npy     | the array in a .npy file has no name
          run --a @/other/a.npy --b @/b.npy --out c.npy | B (in x out) as many rows as A has columns
          run --a @/a.npy --b @/b.npy --out c.npy --layout out-in | B (out x in) as many columns as A has columns
          run --a @/f32/a.npy --b @/b.npy --out c.npy   | both need the same type
          run --a @/shards/a-{rank}.npy --b @/b.npy --out c.npy -n 2 | start as many ranks as there are files (-n 3)
          run --a @/shards/a-{rank}.npy --b @/b.npy --out c.npy -n 4 | start as many ranks as there are files (-n 3)
          run --a @/shards/a-{rank}.npy --b @/b-{rank}.npy --out c.npy | each rank needs one of each
          run --a @/uneven-{rank}.npy --b @/b-{rank}.npy --out c.npy | rows of A must have the same length and type on all ranks
          run --a @/none-{rank}.npy --b @/b.npy --out c.npy | none-0.npy: no such file
          run --a @/a.npy --b @/b.npy --out c.npy --replicate | name a file for each, for example c-{rank}.npy
          run --a @/a.npy --b @/b.npy --out c.txt       | c.txt: expected x.npy
          run --a @/a.npy --b @/b.npy --out @/file/c.npy | file is a file, not a directory
          run --a @/a.npy --b @/w.safetensors#{rank} --out c.npy | {rank} belongs in the name of the file, not of the tensor
          run --a @/a.npy --b @/b.npy --out c.npy -n 0  | 0 ranks cannot be started: -n takes 1 or more
          run --a @/a.npy --b @/b.npy --out c.npy --out-dtype F16 | C can be F32, or BF16 as A and B are, but not F16
          gen                                           | Missing required parameter: 'DIRECTORY'
          gen @/file                                    | file is a file, not a directory
          gen @/new --gm 0                              | a product of 0 x 4096 x 4096 has nothing to multiply
          gen @/new --gm 2 --shards 3                   | 2 rows of A cannot be spread over 3 files
          gen @/new --gk 2000000                        | take at most 1864135 columns of A, or --values reals
          gen @/new --dtype int8                        | expected one of [BF16, F16, F32, I8]
          gen @/new --dtype I8 --values reals           | files of I8 hold integers
          run --a @/a.npy --b @/b.npy --out c.npy --int8 --out-dtype I8 | C can be F32, or of reals, but not I8
          verify --c @/golden.npy --golden @/golden.npy --int8 | --int8 requires --a and --b
          gen @/new --values zeros                      | expected one of [INTEGERS, REALS]
          gen @/new --format csv                        | expected one of [NPY, SAFETENSORS]
          verify --c @/golden.npy                       | checked against a golden file (--golden), or against A x B
          verify --c @/golden.npy --a @/a.npy           | A and B are both needed, or neither
          verify --c @/none.npy --golden @/golden.npy   | none.npy: no such file
          verify --c @/a.npy --golden @/golden.npy      | should be 12 x 6
          verify --c @/golden.npy --golden @/none.npy   | none.npy: no such file
          verify --c @/golden.npy --a @/other/a.npy --b @/b.npy | cannot be multiplied
          verify --c @/golden.npy --golden @/a.npy --a @/a.npy --b @/b.npy | should be 12 x 6
          plan -n 2 --hosts 3                           | 2 ranks cannot be spread over 3 hosts: each host needs at least one
          plan --gm -1                                  | a layer of -1 x 4096 x 4096 has nothing to multiply
          plan --gm 9223372036854775807                 | 9223372036854775807 x 4096 x 4096 is larger than any memory
          plan --gk 9223372036854775807                 | 4096 x 9223372036854775807 x 4096 is larger than any memory
          plan --gn 9223372036854775807                 | 4096 x 4096 x 9223372036854775807 is larger than any memory
          predict --gm 9223372036854775807              | 9223372036854775807 x 4096 x 4096 is larger than any memory
          plan --gm 70368744177665 --gk 1 --gn 1        | A, B and the product can have 2^46 elements each
          bench --engine local --gn 9223372036854775807 | 4096 x 4096 x 9223372036854775807 is larger than any memory
          bench --engine local --iterations 2147483647  | 5 warm-up rounds and 2147483647 measured rounds are too many: at most 1000000
          bench --groups 0                              | 0 groups cannot run a layer
          bench --iterations 0                          | 5 warm-up rounds and 0 measured rounds cannot be run
          bench --gm 0                                  | a layer of 0 x 4096 x 4096 has nothing to multiply
          bench -n 3 --groups 2 --engine local          | 3 ranks cannot be divided into 2 groups
          bench --json @/none/bench.json                | none does not exist: create it first
          bench --wire BF16 --dtype F32 --engine local  | rows of F32 travel as they are, or as I8, not as BF16
          bench --operation all-gather --wire I8        | all-gather does not support --dtype I8 or --wire
          bench --operation broadcast                   | expected one of
          bench --gm 1,2 --json @/file                  | several benchmarks write one file each: name a directory
          bench --trace @                               | is a directory: name a file in it
          calibrate -n 1,2                              | this command takes one number; only bench accepts a list
          plan --operation all-reduce --wire F16        | not as F16, whose range is too small
          predict --operation all-reduce --wire F16     | not as F16, whose range is too small
          predict --png x.png                           | --png requires a page: add -o FILE
          """)
  void input(String words, String part) {
    Ran.here(split(words)).bad(ExitCode.INPUT, part);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          run --a @/a.npy --b @/b.npy --out c.npy --mpirun no-such-mpirun | no-such-mpirun, which launches ranks as processes, cannot be run
          bench --mpirun no-such-mpirun | run ranks as threads with --engine local
          run --a @/a.npy --b @/b.npy --out c.npy --mpirun false | false ended with exit code 1
          """)
  void ranks(String words, String part) {
    Ran.here(split(words)).bad(ExitCode.RANKS, part);
  }

  private static String[] split(String words) {
    return words.isEmpty() ? new String[0] : words.replace("@", data.toString()).split(" +");
  }

  /** Each of them would do all the work, and write the same files. */
  @Tag("full")
  @Test
  void ranksAsThreadsOfEveryProcess() {
    List<String> two = List.of("mpirun.mpich", "-n", "2");
    Ran ran =
        Ran.apart(data, two, "run", "--engine=local", "--a=a.npy", "--b=b.npy", "--out=c.npy");
    assertEquals(ExitCode.INPUT.number(), ran.exitCode(), ran::toString);
    assertTrue(ran.err().contains("MPICH's mpirun started 2 processes"), ran::toString);
  }

  /** A launcher that is none of those that are known would start itself, again and again. */
  @Tag("full")
  @Test
  void aLauncherThatNobodyKnows() throws IOException {
    Path launcher = data.resolve("launcher");
    Files.writeString(launcher, "#!/bin/sh\ntest $1 = --version && exit\nshift 2\nexec \"$@\"\n");
    assertTrue(launcher.toFile().setExecutable(true));
    String[] words = {"run", "--a=a.npy", "--b=b.npy", "--out=c.npy", "--mpirun=" + launcher};
    Ran.apart(data, List.of(), words).bad(ExitCode.RANKS, "did not set its rank");
  }

  /** Only one of the ranks cannot read its file, and no process but they could know. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void oneRankOfAJob(String mpirun) {
    List<String> two = List.of(mpirun, "-n", "2");
    Ran ran =
        Ran.apart(data, two, "run", "--a", "uneven-{rank}.npy", "--b", "b.npy", "--out", "c.npy");
    String text = ran.toString();
    long told = ran.err().lines().filter(line -> line.contains("uneven-1.npy")).count();
    assertEquals(1, told, text);
    assertEquals(2, ran.exitCode(), text);
  }

  /** The launcher's own words about it are left out, and so are those of the other ranks. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"mpirun.openmpi", "mpirun.mpich"})
  void aJobThatFails(String mpirun) {
    Ran.apart(
            data,
            List.of(),
            "run",
            "-n=3",
            "--mpirun=" + mpirun,
            "--a=a.npy",
            "--b=b.npy",
            "--out=/proc/c.npy")
        .bad(ExitCode.INPUT, "/proc/c.npy: ");
  }

  @Tag("full")
  @Test
  void aLibraryThatIsNotThere() {
    Ran.apart(
            data,
            List.of("env", "GEMMFLOW_MPI_LIBRARY=/none/libmpi.so"),
            "run",
            "--a=a.npy",
            "--b=b.npy",
            "--out=c.npy")
        .bad(ExitCode.RANKS, "/none/libmpi.so", "Install one");
  }

  @Test
  void stackTraces() {
    Ran ran = Ran.here("verify", "--stacktrace", "--c", "none.npy", "--golden", "none.npy");
    assertTrue(ran.err().contains("\tat "), ran.err());
  }
}
