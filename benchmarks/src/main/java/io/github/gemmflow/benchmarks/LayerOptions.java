// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.system.MpiFamily;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of a comparison of layers, wherever it runs. */
final class LayerOptions {
  /** From C++, one after the other: one oneDNN matmul and an MPI collective. */
  static final String BARE = "bare";

  /** The same with PyTorch and Gloo. */
  static final String TORCH = "torch";

  /** Our layer of another checkout, which has been built. */
  static final String BUILD = "build=";

  /** Whether a rival is our layer: of another build, or with a setting. */
  static boolean isOurs(String rival) {
    return rival.indexOf('=') > 0;
  }

  /** Our layer with another type. */
  static final String TYPE = "dtype=";

  /** Whether a rival is our layer with a setting. */
  static boolean isSetting(String rival) {
    return isOurs(rival) && !rival.startsWith(BUILD) && !rival.startsWith(TYPE);
  }

  /** The type that a rival multiplies. */
  DType typeOf(String rival) {
    return rival.startsWith(TYPE)
        ? DType.valueOf(rival.substring(TYPE.length()).toUpperCase(Locale.ROOT))
        : type;
  }

  /** Refuses rivals that nobody knows. */
  static final class Rivals implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (!value.equals(BARE) && !value.equals(TORCH) && !isOurs(value)) {
        throw new TypeConversionException(
            "there is no rival '%s': write bare, torch, build=DIR, or a setting such as schedule=ring"
                .formatted(value));
      }
      return value;
    }
  }

  @Option(
      names = "--mpi",
      defaultValue = "openmpi",
      description = "MPI library: ${COMPLETION-CANDIDATES} (default: openmpi)")
  MpiFamily mpi = MpiFamily.OPENMPI;

  @Option(names = "--ranks", defaultValue = "2", description = "processes, in all (default: 2)")
  int ranks;

  @Option(
      names = "--operation",
      defaultValue = "gather",
      description = "operation: ${COMPLETION-CANDIDATES} (default: gather)")
  Operation operation = Operation.GATHER;

  @Option(
      names = "--collective",
      description = "without the product: what is gathered or summed is there")
  boolean collective;

  @Option(
      names = "--m",
      split = ",",
      defaultValue = "4096",
      description = "rows of A, in all if gathered (default: 4096)")
  List<Long> ms = List.of();

  @Option(
      names = "--k",
      defaultValue = "4096",
      description = "columns of A, in all if products are summed (default: 4096)")
  long k;

  @Option(
      names = "--n",
      split = ",",
      defaultValue = "4096",
      description = "columns of each rank's weights (default: 4096)")
  List<Long> ns = List.of();

  @Option(
      names = "--dtype",
      defaultValue = "BF16",
      description = {
        "of A and B: ${COMPLETION-CANDIDATES} (default: BF16); F32 where this CPU has no",
        "instructions for the others"
      })
  DType type = DType.BF16;

  @Option(
      names = "--rivals",
      split = ",",
      converter = Rivals.class,
      defaultValue = "bare",
      description = {
        "bare: one oneDNN matmul after MPI_Allgatherv, or before MPI_Reduce_scatter or",
        "MPI_Allreduce, from C++",
        "torch: PyTorch with Gloo, mm and all_gather or all_reduce (needs python3-torch; Gloo has",
        "no reduce_scatter)",
        "build=DIR: our layer of another checkout, built with 'mvn -B package -DskipTests'",
        "dtype=F32: our layer of another type",
        "KEY=VALUE: our layer with -Dgemmflow.KEY=VALUE, such as schedule=ring or storage=streamed",
        "(default: bare)"
      })
  List<String> rivals = List.of();

  @Option(
      names = "--python",
      defaultValue = "python3",
      paramLabel = "PROGRAM",
      description = "a Python that has torch (default: python3)")
  String python = "";

  @Option(names = "--rounds", defaultValue = "21", description = "per shape (default: 21)")
  int rounds;

  @Option(
      names = "--limit",
      defaultValue = "1.03",
      description = "limit of the overlapped time, as a share of a rival's (default: 1.03)")
  double limit;

  @Option(
      names = "--steps",
      defaultValue = "0",
      description = "per shape, in all rounds (default: enough for 20 ms per round)")
  int steps;

  @Option(names = "--json", paramLabel = "FILE", description = "file for the figures")
  @Nullable Path json;

  @Option(names = "--java", description = "an option for Java, such as -Dgemmflow.idle=spin")
  List<String> javaOptions = List.of();
}
