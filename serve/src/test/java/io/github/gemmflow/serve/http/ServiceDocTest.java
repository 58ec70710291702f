// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.serve.TestModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lines of the guide do what it says. */
class ServiceDocTest {
  private static final String PAGE = "../docs/service.md";

  @TempDir private Path directory;

  @Test
  void everyCurlOfThePageIsAnswered() throws Exception {
    TestModel.write(directory.resolve("model"));
    List<String> lines =
        Files.readAllLines(Path.of(PAGE)).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("curl "))
            .toList();
    assertEquals(6, lines.size());
    try (ServerProcess server = ServerProcess.local(2, directory.resolve("model"))) {
      for (String line : lines) {
        String answer = run(line.replace(":8080", ":" + server.port()));
        String part =
            line.contains("/completions")
                ? "\"choices\""
                : line.endsWith("/models")
                    ? "\"model\""
                    : line.endsWith("/health") ? "ok" : "# TYPE";
        assertTrue(answer.contains(part), line + ": " + answer);
      }
    }
  }

  private static String run(String line) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("bash", "-c", line).redirectErrorStream(true).start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    assertEquals(0, process.exitValue(), line + ": " + answer);
    return answer;
  }
}
