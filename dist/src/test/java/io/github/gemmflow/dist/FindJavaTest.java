// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which Java runs the command, and what is said if none can. */
@Tag("full")
class FindJavaTest {
  private static final String ADVICE =
      """
      Install a JDK 25 or newer and let JAVA_HOME name its directory:
        export JAVA_HOME=/path/to/jdk-25
      """;

  @TempDir private static Path unpacked;
  private static Distribution distribution;
  @TempDir private Path directory;

  @BeforeAll
  static void unpack() throws IOException {
    distribution = Distribution.unpack(unpacked);
  }

  private static Distribution.Result refused(String looked) {
    String message = "gemmflow: Java 25 or newer is needed and was not found. Looked at:\n";
    return new Distribution.Result(2, "", message + looked + ADVICE);
  }

  /** A JDK whose java does what the script says. */
  private Path jdk(String name, String script) throws IOException {
    Path home = directory.resolve(name);
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/usr/bin/env bash\n" + script + "\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    return home;
  }

  /** One that says its version in a file, and must not be started. */
  private Path jdk(String name, String script, String version) throws IOException {
    Path home = jdk(name, script);
    String text = "JAVA_RUNTIME_VERSION=\"99\"\nJAVA_VERSION=\"%s\"\n".formatted(version);
    Files.writeString(home.resolve("release"), text);
    return home;
  }

  private static String path(Path home) {
    return home.resolve("bin") + ":" + distribution.tools();
  }

  /** The scripts of a checkout look in more places; some processes have no HOME. */
  @Test
  void aCheckoutWithoutHome() throws IOException, InterruptedException {
    Path script = Path.of("..", "bin", "find-java").toAbsolutePath().normalize();
    Path home = jdk("new", "exit 1", "25.0.1");
    ProcessBuilder builder = new ProcessBuilder(script.toString()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
    builder.environment().put("JAVA_HOME", home.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(home + "/bin/java\n", said);
    assertEquals(0, process.waitFor());
  }

  @Test
  void noJava() throws IOException {
    String looked = "  JAVA_HOME: not set\n  PATH: no java\n";
    assertEquals(refused(looked), distribution.gemmflow(Map.of(), "--version"));
  }

  @Test
  void aHomeWithoutJava() throws IOException {
    String looked = "  %s (JAVA_HOME): has no bin/java\n  PATH: no java\n".formatted(directory);
    Map<String, String> environment = Map.of("JAVA_HOME", directory.toString());
    assertEquals(refused(looked), distribution.gemmflow(environment, "--version"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"17.0.15", "1.8.0_402", "24-ea", "9"})
  void tooOld(String version) throws IOException {
    Path old = jdk("an old one", "echo started; exit 0", version);
    Path older = jdk("older", "echo '    java.version = 11.0.2' >&2");
    String looked =
        "  %s/bin/java (JAVA_HOME): %s\n  %s/bin/java (PATH): 11.0.2\n"
            .formatted(old, version, older);
    Map<String, String> environment = Map.of("JAVA_HOME", old.toString(), "PATH", path(older));
    assertEquals(refused(looked), distribution.gemmflow(environment, "bench"));
  }

  @Test
  void somethingElseThatIsCalledJava() throws IOException {
    Path other = jdk("other", "echo coffee; exit 3");
    String looked =
        "  JAVA_HOME: not set\n  %s/bin/java (PATH): does not say its version\n".formatted(other);
    Map<String, String> environment = Map.of("PATH", path(other));
    assertEquals(refused(looked), distribution.gemmflow(environment, "--version"));
  }

  @Test
  void theDoctorSaysSo() throws IOException {
    Path old = jdk("old", "exit 1", "17.0.15");
    String said =
        "problem  Java: 25 or newer is needed and was not found. Looked at:\n  %s/bin/java (JAVA_HOME): 17.0.15\n  PATH: no java\n"
            .formatted(old);
    assertEquals(
        new Distribution.Result(2, said + ADVICE, ""),
        distribution.gemmflow(Map.of("JAVA_HOME", old.toString()), "doctor"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"25", "25.0.3", "26-ea", "100.1"})
  void newEnough(String version) throws IOException {
    Path home = jdk("new", "echo \"started: ${@: -1}\"", version);
    Distribution.Result started = new Distribution.Result(0, "started: --help\n", "");
    Map<String, String> environment = Map.of("JAVA_HOME", home.toString());
    assertEquals(started, distribution.gemmflow(environment, "--help"));
  }

  /** The directory that JAVA_HOME names goes first, then those of the PATH in their order. */
  @ParameterizedTest
  @CsvSource({"25, 25, 25, a", "17, 25, 25, b", "17, 21, 25, c"})
  void theFirstThatIsNewEnough(String a, String b, String c, String chosen) throws IOException {
    Path home = jdk("a", "echo a", a);
    String path = "%s/bin:%s".formatted(jdk("b", "echo b", b), path(jdk("c", "echo c", c)));
    Map<String, String> environment = Map.of("JAVA_HOME", home.toString(), "PATH", path);
    Distribution.Result started = new Distribution.Result(0, chosen + "\n", "");
    assertEquals(started, distribution.gemmflow(environment, "--help"));
  }

  /** As systems do it: a link on the PATH to a java far away, whose JDK says its version. */
  @Test
  void aLinkOnThePath() throws IOException {
    Path home = jdk("far away", "echo \"started: ${@: -1}\"", "25.0.3");
    Path bin = Files.createDirectories(directory.resolve("usr/bin"));
    Files.createSymbolicLink(bin.resolve("java"), home.resolve("bin/java"));
    Map<String, String> environment = Map.of("PATH", bin + ":" + distribution.tools());
    Distribution.Result started = new Distribution.Result(0, "started: --help\n", "");
    assertEquals(started, distribution.gemmflow(environment, "--help"));
  }
}
