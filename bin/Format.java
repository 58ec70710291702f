// SPDX-License-Identifier: Apache-2.0
import java.util.spi.ToolProvider;

/**
 * Formatter of all Java sources below a directory. The build runs it on the JDK that compiles the
 * sources, because google-java-format parses with the compiler of the JDK that it runs on.
 *
 * <p>Arguments: {@code check} or {@code apply}, and the directory.
 */
void main(String[] arguments) throws IOException {
  List<String> options =
      switch (arguments[0]) {
        case "check" -> List.of("--dry-run", "--set-exit-if-changed");
        case "apply" -> List.of("--replace");
        case String other ->
            throw new IllegalArgumentException("-Dformat=" + other + ": must be check or apply");
      };
  ToolProvider formatter = ToolProvider.findFirst("google-java-format").orElseThrow();
  List<String> command = new ArrayList<>(options);
  // A message in one piece can be searched for.
  command.add("--skip-reflowing-long-strings");
  command.addAll(sources(Path.of(arguments[1])));
  if (formatter.run(System.out, System.err, command.toArray(new String[0])) != 0) {
    System.err.println("Sources are not formatted; to fix that: mvn -N validate -Dformat=apply");
    System.exit(1);
  }
}

List<String> sources(Path root) throws IOException {
  try (Stream<Path> files = Files.walk(root)) {
    return files
        .filter(file -> file.toString().endsWith(".java"))
        .filter(file -> !root.relativize(file).toString().contains("target/"))
        .map(Path::toString)
        .sorted()
        .toList();
  }
}
