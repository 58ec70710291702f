// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The archive, unpacked below a directory with a space in its name, and programs run with nothing
 * on the PATH but what the scripts may use.
 *
 * @param home what the archive's only directory became
 * @param tools the PATH; there is no java in it
 */
record Distribution(Path home, Path tools) {
  /** The version that is being built. */
  static final String VERSION = System.getProperty("gemmflow.dist.version");

  /** The JDK that runs this test, which is one that is new enough. */
  static final String JDK = System.getProperty("java.home");

  /** What a program did. */
  record Result(int exitCode, String out, String err) {}

  static Distribution unpack(Path directory) throws IOException {
    Path place = Files.createDirectories(directory.resolve("a place"));
    Path tools = Files.createDirectories(Path.of("target/tools").toAbsolutePath());
    for (String tool : List.of("bash", "readlink", "seq")) {
      Files.deleteIfExists(tools.resolve(tool));
      Files.createSymbolicLink(tools.resolve(tool), onPath(tool));
    }
    String archive = System.getProperty("gemmflow.dist.archive");
    List<String> unpack = List.of(onPath("tar").toString(), "-xzf", archive);
    Result result = run(place, Map.of("PATH", System.getenv("PATH")), unpack);
    assertEquals(0, result.exitCode(), result::err);
    return new Distribution(place.resolve("gemmflow-" + VERSION), tools);
  }

  Path command() {
    return home.resolve("bin/gemmflow");
  }

  /** Runs the command with a JDK that is new enough. */
  Result gemmflow(String... words) throws IOException {
    return gemmflow(Map.of("JAVA_HOME", JDK), words);
  }

  /** Runs the command in an environment that has only this and a PATH, unless it has its own. */
  Result gemmflow(Map<String, String> environment, String... words) throws IOException {
    return run(command(), environment, words);
  }

  /** Runs a program the same way. */
  Result run(Path program, Map<String, String> environment, String... words) throws IOException {
    List<String> line = new ArrayList<>(List.of(program.toString()));
    line.addAll(List.of(words));
    Map<String, String> all = new HashMap<>(Map.of("PATH", tools.toString()));
    all.putAll(environment);
    return run(tools, all, line);
  }

  private static Result run(Path directory, Map<String, String> environment, List<String> line)
      throws IOException {
    Path out = Files.createTempFile("gemmflow-dist", ".out");
    Path err = Files.createTempFile("gemmflow-dist", ".err");
    ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
    builder.redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), line::toString);
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      process.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
    }
  }

  private static Path onPath(String tool) {
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      Path path = Path.of(directory, tool);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new IllegalStateException(tool + " is not on the PATH");
  }
}
