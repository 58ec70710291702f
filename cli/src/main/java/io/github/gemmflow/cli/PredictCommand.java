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
    header = "Predicts the time of a layer or a model, and whether more machines help.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Nothing is run: the plan of each step is simulated with the costs of a machine and a link. Measure your"
            + " own with gemmflow calibrate; otherwise rough defaults are assumed.%n"
            + "K x N is the whole layer, which the ranks divide. With --model, it predicts the passes of a decoder:"
            + " a prompt, and one more token for each of some sequences.%n",
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
      description = "number of ranks that share a host and its link (default: 1)")
  private int ranksPerHost;

  @Option(
      names = "--costs",
      paramLabel = "FILE",
      description = "file that gemmflow calibrate wrote (default: assumed costs)")
  private @Nullable Path costsFile;

  @Option(
      names = "--rate",
      description = "rate of each host's link, for example 10gbit (default: from the costs)")
  private @Nullable String rate;

  @Option(
      names = "--latency",
      paramLabel = "TIME",
      description = "latency of a message, for example 30us (default: from the costs)")
  private @Nullable String latency;

  @Option(
      names = "--model",
      paramLabel = "CONFIG.JSON",
      description = "config.json of a decoder in Hugging Face's format, in place of one layer")
  private @Nullable Path model;

  @Option(
      names = "--prompt",
      defaultValue = "512",
      paramLabel = "TOKENS",
      description = "with --model: tokens of a prompt (default: 512)")
  private long prompt;

  @Option(
      names = "--sequences",
      defaultValue = "1",
      paramLabel = "COUNT",
      description = "with --model: sequences that get one token each in a decode step (default: 1)")
  private long sequences;

  @Mixin private OperationOptions operation = new OperationOptions();
  @Mixin private ShapeOptions shape = new ShapeOptions();
  @Mixin private TuningOptions tuning = new TuningOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "file for a page with the forecast")
  private @Nullable Path output;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "file for the timeline of the simulated step on the most ranks, for gemmflow report")
  private @Nullable Path trace;

  @Mixin private PictureOptions picture = new PictureOptions();

  @Override
  public Integer call() throws IOException {
    OutputFile.check(output, trace, picture.file());
    if (output == null && picture.file() != null) {
      throw new CommandException(ExitCode.INPUT, "--png requires a page: add -o FILE");
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
          ExitCode.INPUT, "--operation all-gather has no product to predict: use gather");
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
      throw new CommandException(ExitCode.INPUT, "--trace takes one layer: remove --model");
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
