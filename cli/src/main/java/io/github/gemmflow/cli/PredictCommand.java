// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.OutputFile;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.cli.job.Units;
import io.github.gemmflow.cli.report.ForecastPage;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.predict.CostsFile;
import io.github.gemmflow.measure.predict.Forecast;
import io.github.gemmflow.measure.predict.ModelShape;
import io.github.gemmflow.measure.predict.Question;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.simulator.SimulatedStep;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gemmflow predict}: what a layer or a model will take, before there are machines. */
@Command(
    name = "predict",
    header = "Says what a layer or a model will take, and whether more machines help.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Nothing is run: the plan of each step is simulated with the costs of a machine and a link. Those of yours"
            + " gemmflow calibrate measures; without, they are assumed, and of the right order only.%n"
            + "K x N is the whole layer, which the ranks divide. With --model the passes of a decoder are predicted:"
            + " a prompt, and one token more for each of some sequences.%n",
    footer = {
      "%nExample:",
      "  gemmflow predict --gm 512 --dtype F32 --rate 1gbit",
      "  gemmflow predict --gm 512 --dtype I8 --rate 10gbit --latency 30us -o forecast.html"
    })
final class PredictCommand extends Subcommand {
  @Option(
      names = {"-n", "--ranks"},
      split = ",",
      defaultValue = "1,2,4,8,16",
      paramLabel = "N",
      description = "numbers of ranks to compare (default: 1,2,4,8,16)")
  private List<Integer> ranks = List.of();

  @Option(
      names = "--ranks-per-host",
      defaultValue = "1",
      paramLabel = "N",
      description = "ranks that share a host and its link (default: 1)")
  private int ranksPerHost;

  @Option(
      names = "--costs",
      paramLabel = "FILE",
      description = "what gemmflow calibrate wrote (default: assumed)")
  private @Nullable Path costsFile;

  @Option(
      names = "--rate",
      description = "of each host's link, such as 10gbit (default: as the costs say)")
  private @Nullable String rate;

  @Option(
      names = "--latency",
      paramLabel = "TIME",
      description = "of a message, such as 30us (default: as the costs say)")
  private @Nullable String latency;

  @Option(
      names = "--model",
      paramLabel = "CONFIG.JSON",
      description = "a decoder as Hugging Face has it, in place of one layer")
  private @Nullable Path model;

  @Option(
      names = "--prompt",
      defaultValue = "512",
      paramLabel = "TOKENS",
      description = "with --model: of a prompt (default: 512)")
  private long prompt;

  @Option(
      names = "--sequences",
      defaultValue = "1",
      paramLabel = "COUNT",
      description = "with --model: that get a token each in a pass of decode (default: 1)")
  private long sequences;

  @Mixin private OperationOptions operation = new OperationOptions();
  @Mixin private ShapeOptions shape = new ShapeOptions();
  @Mixin private TuningOptions tuning = new TuningOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "writes a page for a browser there too")
  private @Nullable Path output;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "writes the simulated step of a layer on the most ranks there, for gemmflow report")
  private @Nullable Path trace;

  @Mixin private PictureOptions picture = new PictureOptions();

  @Override
  public Integer call() throws IOException {
    OutputFile.check(output, trace, picture.file());
    if (output == null && picture.file() != null) {
      throw new CommandException(ExitCode.INPUT, "--png draws a page: name it with -o");
    }
    Question question = new Question(ranks, ranksPerHost, tuning.config().tuning(), costs());
    Forecast forecast = model == null ? layer(question) : model(question, model);
    output().say(forecast.text());
    if (output != null) {
      OutputFile.write(output, ForecastPage.of(forecast));
      picture.draw(output);
    }
    return ExitCode.GOOD.number();
  }

  private CostModel costs() throws IOException {
    CostModel costs = CostModel.ASSUMED;
    if (costsFile != null) {
      costs = CostsFile.read(costsFile);
    }
    LinkCosts link = costs.link();
    if (latency != null) {
      link =
          new LinkCosts((double) Units.time("--latency", latency).toNanos(), link.nanosPerByte());
    }
    if (rate != null) {
      link = LinkCosts.of(link.latencyNanos(), Units.rate("--rate", rate));
    }
    return costs.withLink(link);
  }

  private Forecast layer(Question question) {
    if (!Question.knows(operation.value())) {
      throw new CommandException(
          ExitCode.INPUT, "--operation all-gather multiplies nothing: ask for gather");
    }
    Layer.Size size = shape.of(operation.value(), operation.wire());
    if (trace != null) {
      OutputFile.write(trace, Trace.write(recorded(question.recorded(size))));
    }
    return new Forecast(
        "a layer on %d to %d ranks"
            .formatted(question.ranks().getFirst(), question.ranks().getLast()),
        List.of(question.layer(size)),
        question.alternatives(size),
        question.costs());
  }

  private RecordedStep recorded(SimulatedStep step) {
    List<String> hosts =
        IntStream.range(0, step.spans().size())
            .mapToObj(rank -> "simulated host " + rank / ranksPerHost)
            .toList();
    return new RecordedStep(1, hosts, step.spans());
  }

  private Forecast model(Question question, Path file) throws IOException {
    if (trace != null) {
      throw new CommandException(ExitCode.INPUT, "--trace is of one layer: leave out --model");
    }
    ModelShape read = ModelShape.read(file);
    DType type = shape.type();
    return new Forecast(
        "%s, %s".formatted(read, type),
        List.of(
            question.model(
                "prefill of %d tokens".formatted(prompt), read, type, prompt, prompt / 2),
            question.model(
                "decode of %d sequence%s".formatted(sequences, sequences == 1 ? "" : "s"),
                read,
                type,
                sequences,
                prompt)),
        List.of(),
        question.costs());
  }
}
