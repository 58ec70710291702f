// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.cost.CostModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What gemmflow predict says, held against what gemmflow bench measures. */
@Command(
    name = "benchmarks/predictions",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "On each place costs are measured, then layers, then costs again; if those have drifted by more than 10 %%, all"
            + " of it is repeated. So is, at most 4 times, a job during which a hypervisor gave more than 3 %% of the"
            + " machine's time to others. Needs root for places of several hosts.")
public final class Predictions implements Callable<Integer> {
  private static final double MOST_DRIFT = 0.1;

  @Option(
      names = "--places",
      split = ",",
      defaultValue =
          "1,2x1gbit,2x1gbit:8192,2x250mbit,2x100mbit:1+16+128+512,4x1gbit,4x100mbit:1+16+64+256",
      description =
          "places: 1 for two ranks on this machine, HOSTSxRATE in the lab, or HOSTSxmemory for the stand-in for fast"
              + " fabrics; :ROWS+ROWS after it for other rows (default:"
              + " ${DEFAULT-VALUE})")
  private List<String> places = new ArrayList<>();

  @Option(
      names = "--rows",
      split = ",",
      defaultValue = "1,16,256,2048",
      description = "rows of layers with 4096 inputs and 2048 outputs (default: ${DEFAULT-VALUE})")
  private List<Long> rows = new ArrayList<>();

  @Option(
      names = "--tries",
      defaultValue = "3",
      description = "most measurements of a place whose costs drift (default: ${DEFAULT-VALUE})")
  private int mostTries;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "output directory, created if missing (default: here)")
  private Path output = Path.of(".");

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new Predictions())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Files.createDirectories(output);
    List<Measurement> all = new ArrayList<>();
    for (String place : places) {
      all.addAll(measure(Place.parse(place, rows)));
    }
    StringBuilder text = new StringBuilder();
    all.forEach(measurement -> text.append(measurement).append('\n'));
    text.append(summary(all));
    System.out.print(summary(all));
    Files.writeString(output.resolve("predictions.txt"), text);
    Files.writeString(output.resolve("predictions.svg"), Scatter.draw(all));
    return 0;
  }

  private List<Measurement> measure(Place place) throws IOException, InterruptedException {
    place.up();
    List<Measurement> found = List.of();
    for (int tries = 1; tries <= mostTries; tries++) {
      CostModel before = place.calibrate(output);
      found = new ArrayList<>();
      for (Trial trial : trials(place)) {
        found.addAll(trial.run(place, before));
      }
      double drift = drift(before, place.calibrate(output));
      System.out.printf(Locale.ROOT, "%s: drift %.0f %%, try %d%n", place, 100 * drift, tries);
      found.forEach(System.out::println);
      if (drift <= MOST_DRIFT) {
        break;
      }
    }
    return found;
  }

  /** By how much the product, or the link, has become slower or faster. */
  private static double drift(CostModel before, CostModel after) {
    double product =
        after.kernel("F32").nanos(256, 4096, 2048) / before.kernel("F32").nanos(256, 4096, 2048);
    double link = after.link().nanosPerByte() / before.link().nanosPerByte();
    return Math.max(Math.abs(product - 1), Math.abs(link - 1));
  }

  private static List<Trial> trials(Place place) {
    List<Long> rows = place.rows();
    List<Long> some = rows.size() == 1 ? rows : List.of(rows.get(rows.size() / 2), rows.getLast());
    List<Trial> trials = new ArrayList<>();
    for (Operation operation :
        List.of(Operation.GATHER, Operation.REDUCE_SCATTER, Operation.ALL_REDUCE)) {
      trials.add(new Trial(operation, DType.F32, rows, List.of()));
    }
    trials.add(new Trial(Operation.GATHER, DType.I8, some, List.of()));
    for (List<String> way : ways(place.hosts())) {
      Operation operation =
          way.getFirst().equals("--sums") ? Operation.ALL_REDUCE : Operation.GATHER;
      trials.add(new Trial(operation, DType.F32, some, way));
    }
    return trials;
  }

  /** What can be asked for instead of what the rules choose. */
  private static List<List<String>> ways(int hosts) {
    List<List<String>> ways = new ArrayList<>();
    if (hosts > 1) {
      ways.add(List.of("--storage", "streamed"));
    }
    if (hosts > 2) {
      for (Schedule schedule : Schedule.ALL) {
        ways.add(List.of("--schedule", schedule.name()));
      }
      for (SumPath path : SumPath.values()) {
        ways.add(List.of("--sums", path.toString()));
      }
    }
    return ways;
  }

  private static String summary(List<Measurement> all) {
    List<Double> errors = all.stream().map(m -> Math.abs(m.error())).toList();
    long near = errors.stream().filter(error -> error <= 0.3).count();
    long right = all.stream().filter(Measurement::isRightAboutHelp).count();
    List<Double> ofBest = rulesOfBest(all);
    long good = ofBest.stream().filter(ratio -> ratio <= 1.1).count();
    return String.format(
        Locale.ROOT,
        "%d settings: median error %.0f %%, %d (%.0f %%) within 30 %%, worst %.0f %%; right about help in %d (%.0f %%)%n"
            + "the rule took at most 1.1 of the time of the best way that was measured in %d of %d%n",
        all.size(),
        100 * Samples.quantile(errors, 0.5),
        near,
        100.0 * near / all.size(),
        100 * Samples.quantile(errors, 1),
        right,
        100.0 * right / all.size(),
        good,
        ofBest.size());
  }

  /** What the rule took as a multiple of the best way, where there were several. */
  private static List<Double> rulesOfBest(List<Measurement> all) {
    List<Double> ratios = new ArrayList<>();
    for (Measurement byRule : all.stream().filter(Measurement::isByRule).toList()) {
      List<Measurement> others =
          all.stream()
              .filter(m -> !m.isByRule())
              .filter(m -> m.place().equals(byRule.place()) && m.layer().equals(byRule.layer()))
              .toList();
      others.stream()
          .mapToDouble(Measurement::measured)
          .min()
          .ifPresent(best -> ratios.add(byRule.measured() / Math.min(best, byRule.measured())));
    }
    return ratios;
  }
}
