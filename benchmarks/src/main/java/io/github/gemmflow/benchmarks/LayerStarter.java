// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.system.Job;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starter of jobs that run a layer: ours, and those of rivals. */
final class LayerStarter {
  private final LayerOptions options;
  private final Contest contest;
  private final Job job;

  LayerStarter(LayerOptions options, Contest contest, Job job) {
    this.options = options;
    this.contest = contest;
    this.job = job;
  }

  /** Starts our layer. */
  Pipes startOurs(String name) throws IOException, InterruptedException {
    return startOurs(name, options.type, List.of());
  }

  private Pipes startOurs(String name, DType type, List<String> settings)
      throws IOException, InterruptedException {
    List<String> javaOptions = new ArrayList<>(settings);
    javaOptions.add("-Dgemmflow.onednn.library=" + System.getProperty("gemmflow.onednn.library"));
    return contest.start(
        name,
        job.java(javaOptions).command(LayerRank.class, contest.directory(), name, type.name()));
  }

  /** Starts a rival. */
  Pipes start(String rival) throws IOException, InterruptedException {
    // Where the script that runs this puts what it compiles, and where it lies itself.
    String programs = System.getProperty("gemmflow.benchmarks.programs");
    String sources = System.getProperty("gemmflow.benchmarks.sources");
    return switch (rival) {
      case LayerOptions.BARE ->
          contest.start(
              rival,
              job.command(
                  List.of(
                      programs + "/layer." + options.mpi,
                      contest.directory(),
                      options.type.name())));
      case LayerOptions.TORCH ->
          contest.start(
              rival,
              job.command(
                  List.of(
                      options.python,
                      sources + "/layer.py",
                      contest.directory(),
                      options.type.name())));
      default ->
          rival.startsWith(LayerOptions.BUILD)
              ? startBuild(rival)
              : startOurs(rival, options.typeOf(rival), settings(rival));
    };
  }

  private static List<String> settings(String rival) {
    return LayerOptions.isSetting(rival) ? List.of("-Dgemmflow." + rival) : List.of();
  }

  /** Starts what another checkout has built; it takes the same commands. */
  private Pipes startBuild(String rival) throws IOException, InterruptedException {
    String name = "build";
    String target =
        Path.of(rival.substring(LayerOptions.BUILD.length())).toRealPath() + "/benchmarks/target/";
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options.javaOptions);
    command.add("-Dgemmflow.onednn.library=" + System.getProperty("gemmflow.onednn.library"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", target + "classes:" + target + "lib/*"));
    command.addAll(
        List.of(LayerRank.class.getName(), contest.directory(), name, options.type.name()));
    return contest.start(name, job.command(command));
  }
}
