// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.World;
import io.github.gemmflow.unpack.UnpackedLibrary;
import java.io.File;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program of the README, with this kernel on its path. */
@Tag("full")
class ReadmeTest {
  private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path directory;

  private static String place(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static String nativeJar() throws Exception {
    URL library = ClassLoader.getSystemResource("org/bytedeco/dnnl/linux-x86_64/libdnnl.so.3");
    return Path.of(((JarURLConnection) library.openConnection()).getJarFileURL().toURI())
        .toString();
  }

  @Test
  void onTheClassPath() throws Exception {
    String path =
        String.join(
            File.pathSeparator,
            place(World.class),
            place(UnpackedLibrary.class),
            place(OneDnnKernel.class),
            nativeJar());
    run(List.of("--enable-native-access=ALL-UNNAMED", "-cp", path));
  }

  /** With all native access but ours denied. */
  @Test
  void asModules() throws Exception {
    run(
        List.of(
            "--illegal-native-access=deny",
            "--enable-native-access=io.github.gemmflow.core,io.github.gemmflow.onednn",
            "--module-path",
            String.join(
                File.pathSeparator,
                place(World.class),
                place(UnpackedLibrary.class),
                place(OneDnnKernel.class)),
            "--add-modules",
            "io.github.gemmflow.onednn",
            "-cp",
            nativeJar()));
  }

  private void run(List<String> options) throws Exception {
    Matcher program = PROGRAM.matcher(Files.readString(Path.of("../README.md")));
    assertTrue(program.find(), "the README has a program");
    Path source = Files.writeString(directory.resolve("Hello.java"), program.group(1));
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(options);
    command.add(source.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("kernel onednn ("), output);
    for (int rank = 0; rank < 4; rank++) {
      String line = "rank %d: C is 12 x 32 F32, C[11, 31] = 96.0".formatted(rank);
      assertTrue(output.lines().anyMatch(line::equals), output);
    }
  }
}
