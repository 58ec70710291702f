// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Proxy;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Program that uses a tokenizer, and prints what is asked of the network meanwhile. */
final class TokenizerProgram {
  /** Printed if the tokenizer works. */
  static final String SUCCESS = "there and back";

  private TokenizerProgram() {}

  /**
   * Runs it in a Java of its own; returns what it printed.
   *
   * @param cache where libraries are kept, as a user sets it
   */
  static String run(Path model, Path cache, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    // Surefire may have put the class path into the manifest of a jar.
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of(options));
    command.addAll(List.of(TokenizerProgram.class.getName(), model.toString()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("XDG_CACHE_HOME", cache.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said.strip();
  }

  public static void main(String[] arguments) throws IOException {
    URL.setURLStreamHandlerFactory(scheme -> scheme.startsWith("http") ? new Refusal() : null);
    try (Tokenizer tokenizer = Tokenizer.of(Path.of(arguments[0])).orElseThrow()) {
      int[] tokens = tokenizer.encode("xy");
      String text = tokenizer.decode(Arrays.stream(tokens).boxed().toList());
      System.out.println(text.endsWith("xy") ? SUCCESS : text);
    }
  }

  /** A network that is not there. */
  private static final class Refusal extends URLStreamHandler {
    @Override
    protected URLConnection openConnection(URL url) throws IOException {
      System.out.println("asked: " + url);
      throw new ConnectException("there is no network");
    }

    @Override
    protected URLConnection openConnection(URL url, Proxy proxy) throws IOException {
      return openConnection(url);
    }
  }
}
