// SPDX-License-Identifier: Apache-2.0
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Mutation run over the guards of core. It takes out one guard at a time, runs the fast tests in a
 * JVM of its own, and lists the guards that no test misses. A guard is a condition that throws, a
 * call that checks something, an operand of {@code &&} or {@code ||}, or a method that returns a
 * boolean, which then returns always the same.
 *
 * <p>PIT runs many mutants in one JVM. Here most of them leave threads behind that spin or wait, so
 * that the mutants after them run out of time.
 *
 * <p>Every 26th run is a control, which changes nothing: a control that fails says that the machine
 * was so busy that others failed for no reason, too.
 *
 * <p>Arguments: the module, the test class path, a pattern of mutants, the number of mutants that
 * run at a time, and {@code list} or {@code run}. {@code bin/mutants} passes them.
 */
void main(String[] arguments) throws Exception {
  Path module = Path.of(arguments[0]);
  String classPath = arguments[1];
  Pattern chosen = Pattern.compile(arguments[2]);
  int workers = Integer.parseInt(arguments[3]);
  Path sources = module.resolve("src/main/java");
  List<Mutant> mutants = new ArrayList<>();
  try (Stream<Path> files = Files.walk(sources)) {
    for (Path file : files.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
      mutants.addAll(mutantsOf(file));
    }
  }
  mutants.removeIf(each -> !chosen.matcher(each.shown(sources)).find());
  if (arguments[4].equals("list")) {
    mutants.forEach(each -> System.out.println(each.shown(sources)));
    System.out.println(mutants.size() + " mutants");
    return;
  }
  // So that a run that is ended early has looked at a sample of all.
  Collections.shuffle(mutants, new Random(1));
  int count = mutants.size();
  for (int i = mutants.size() / CONTROL_EVERY; i > 0; i--) {
    mutants.add(i * CONTROL_EVERY, mutants.get(i * CONTROL_EVERY - 1).control());
  }
  Path work = module.resolve("target/mutants");
  long start = System.nanoTime();
  Result whole = run(classPath, 600);
  if (!whole.name.equals("ALIVE")) {
    throw new IllegalStateException("the tests fail without a mutant: " + whole.detail);
  }
  long seconds = (System.nanoTime() - start) / 1_000_000_000;
  long limit = 30 + 4 * seconds;
  System.out.printf(
      "%d mutants; the tests take %d s, a mutant at most %d s%n", count, seconds, limit);

  Queue<Mutant> left = new ConcurrentLinkedQueue<>(mutants);
  Map<String, Integer> counts = new ConcurrentSkipListMap<>();
  List<Thread> threads = new ArrayList<>();
  for (int i = 0; i < workers; i++) {
    int worker = i;
    threads.add(
        Thread.ofPlatform()
            .start(
                () -> {
                  for (Mutant next = left.poll(); next != null; next = left.poll()) {
                    Result result =
                        outcome(next, work.resolve("classes" + worker), classPath, limit);
                    counts.merge(result.name, 1, Integer::sum);
                    System.out.printf(
                        "%s\t%s\t%s%n", result.name, next.shown(sources), result.detail);
                  }
                }));
  }
  for (Thread thread : threads) {
    thread.join();
  }
  System.out.println(counts);
}

/** How many mutants are run between two controls. */
static final int CONTROL_EVERY = 25;

/** A change of one place in a file. */
record Mutant(Path file, String text, int line, String what, int begin, int end, String instead) {
  String mutated() {
    return text.substring(0, begin) + instead + text.substring(end);
  }

  /** The same file, as it is. */
  Mutant control() {
    return new Mutant(file, text, line, "control, nothing changed", begin, begin, "");
  }

  String shown(Path sources) {
    return "%s:%d\t%s".formatted(sources.relativize(file), line, what);
  }
}

record Result(String name, String detail) {}

List<Mutant> mutantsOf(Path file) throws IOException {
  String text = Files.readString(file);
  JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null, manager, null, List.of(), null, manager.getJavaFileObjects(file));
    CompilationUnitTree unit = task.parse().iterator().next();
    Finder finder = new Finder(file, text, unit, Trees.instance(task).getSourcePositions());
    finder.scan(unit, null);
    return finder.found;
  }
}

/** Finds the guards of a file. */
static final class Finder extends TreeScanner<Void, Void> {
  private final List<Mutant> found = new ArrayList<>();
  private final Path file;
  private final String text;
  private final CompilationUnitTree unit;
  private final SourcePositions positions;

  Finder(Path file, String text, CompilationUnitTree unit, SourcePositions positions) {
    this.file = file;
    this.text = text;
    this.unit = unit;
    this.positions = positions;
  }

  private void add(Tree tree, String instead, String kind) {
    int begin = (int) positions.getStartPosition(unit, tree);
    int end = (int) positions.getEndPosition(unit, tree);
    String shown = text.substring(begin, end).replaceAll("\\s+", " ");
    if (shown.length() > 90) {
      shown = shown.substring(0, 90) + "...";
    }
    int line = (int) unit.getLineMap().getLineNumber(begin);
    found.add(new Mutant(file, text, line, kind + ": " + shown, begin, end, instead));
  }

  @Override
  public Void visitIf(IfTree tree, Void unused) {
    if (throwsAtOnce(tree.getThenStatement())) {
      add(tree.getCondition(), "(Boolean.parseBoolean(\"\"))", "no throw");
    }
    return super.visitIf(tree, unused);
  }

  private static boolean throwsAtOnce(StatementTree then) {
    return then.getKind() == Tree.Kind.THROW
        || (then instanceof BlockTree block
            && !block.getStatements().isEmpty()
            && block.getStatements().getLast().getKind() == Tree.Kind.THROW);
  }

  @Override
  public Void visitBinary(BinaryTree tree, Void unused) {
    if (tree.getKind() == Tree.Kind.CONDITIONAL_AND || tree.getKind() == Tree.Kind.CONDITIONAL_OR) {
      String neutral = tree.getKind() == Tree.Kind.CONDITIONAL_AND ? "true" : "false";
      for (ExpressionTree operand : List.of(tree.getLeftOperand(), tree.getRightOperand())) {
        if (operand.getKind() != tree.getKind()) {
          add(operand, "Boolean.parseBoolean(\"%s\")".formatted(neutral), "operand");
        }
      }
    }
    return super.visitBinary(tree, unused);
  }

  @Override
  public Void visitMethod(MethodTree tree, Void unused) {
    Tree type = tree.getReturnType();
    if (type != null && type.toString().equals("boolean") && tree.getBody() != null) {
      for (String value : List.of("true", "false")) {
        add(
            tree.getBody(),
            "{ return %s; }".formatted(value),
            tree.getName() + " is always " + value);
      }
    }
    return super.visitMethod(tree, unused);
  }

  @Override
  public Void visitExpressionStatement(ExpressionStatementTree tree, Void unused) {
    if (tree.getExpression() instanceof MethodInvocationTree call) {
      String name = call.getMethodSelect().toString().replaceAll(".*\\.", "");
      if (name.matches(
          "(check|verify|require|settle|unload|publish|reset|clear|breakUp|ring|tell).*")) {
        add(tree, ";", "no call");
      }
    }
    return super.visitExpressionStatement(tree, unused);
  }
}

Result outcome(Mutant mutant, Path classes, String classPath, long limit) {
  try {
    String name = mutant.file.getFileName().toString();
    try {
      compile(classes, mutant.mutated(), name, classPath);
    } catch (IllegalArgumentException e) {
      return new Result("NOT_VIABLE", e.getMessage());
    }
    return run(classes + File.pathSeparator + classPath, limit);
  } catch (IOException | InterruptedException e) {
    throw new IllegalStateException(e);
  }
}

/** Compiles a source into an empty directory. */
void compile(Path directory, String text, String name, String classPath) throws IOException {
  if (Files.exists(directory)) {
    try (Stream<Path> old = Files.walk(directory)) {
      for (Path each : old.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
  Files.createDirectories(directory);
  Path source = Files.writeString(directory.resolve(name), text);
  ByteArrayOutputStream messages = new ByteArrayOutputStream();
  int code =
      ToolProvider.getSystemJavaCompiler()
          .run(
              null,
              messages,
              messages,
              "-nowarn",
              "-proc:none",
              "-cp",
              classPath,
              "-d",
              directory.toString(),
              source.toString());
  if (code != 0) {
    throw new IllegalArgumentException(messages.toString().lines().findFirst().orElse(""));
  }
}

/** Runs the tests until the first one fails. */
Result run(String classPath, long limit) throws IOException, InterruptedException {
  Process process =
      new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "--enable-native-access=ALL-UNNAMED",
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-Xmx1g",
              "-Dgemmflow.deadline=10s",
              "-Dgemmflow.cases=2",
              "-Dgemmflow.steps=60",
              "-cp",
              classPath,
              "io.github.gemmflow.FastTests")
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
  CompletableFuture<String> output =
      CompletableFuture.supplyAsync(
          () -> {
            try (var lines = process.inputReader()) {
              return lines
                  .lines()
                  .filter(line -> line.startsWith("FAILED "))
                  .findFirst()
                  .orElse("");
            } catch (IOException e) {
              return e.toString();
            }
          },
          task -> Thread.ofPlatform().start(task));
  if (!process.waitFor(limit, TimeUnit.SECONDS)) {
    process.destroyForcibly();
    return new Result("TIMEOUT", "");
  }
  String line = output.join();
  return process.exitValue() == 0 && line.isEmpty()
      ? new Result("ALIVE", "")
      : new Result("KILLED", line.replace("FAILED ", ""));
}
