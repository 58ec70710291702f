// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.EngineProvider;
import io.github.gemmflow.engine.local.LocalFabric;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.KernelProvider;
import io.github.gemmflow.kernel.ReferenceKernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Search for engines and kernels. A choice forced by name fails if it cannot be had; an automatic
 * one logs what it chose and why the others were passed over.
 */
public final class Providers {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  /** Where launchers say how many tasks they started; the first that is set counts. */
  private static final List<String> TASK_COUNTS =
      List.of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS");

  /** A kernel is loaded, and its choice logged, once per process, whatever the number of worlds. */
  private static final Map<String, Kernel> KERNELS = new ConcurrentHashMap<>();

  private Providers() {}

  /**
   * A kernel.
   *
   * @param name empty for the best that can be had
   */
  public static Kernel kernel(String name) {
    return KERNELS.computeIfAbsent(name, Providers::load);
  }

  private static Kernel load(String name) {
    List<KernelProvider> found = new ArrayList<>();
    ServiceLoader.load(KernelProvider.class).forEach(found::add);
    found.add(new ReferenceProvider());
    List<String> passedOver = new ArrayList<>();
    Kernel chosen =
        choose(
                "kernel",
                name,
                found,
                KernelProvider::name,
                KernelProvider::preference,
                KernelProvider::load,
                passedOver)
            .orElseThrow(() -> new IllegalArgumentException("no compute kernel is available"));
    if (name.isEmpty() && chosen instanceof ReferenceKernel) {
      LOG.log(
          WARNING,
          "products are computed in plain Java, about ten times slower than with oneDNN: {0}. If this is intended, set gemmflow.kernel=reference",
          passedOver.isEmpty() ? "add the module gemmflow-onednn" : String.join("; ", passedOver));
    }
    return chosen;
  }

  /** Always there, never preferred. */
  private record ReferenceProvider() implements KernelProvider {
    @Override
    public String name() {
      return "reference";
    }

    @Override
    public int preference() {
      return Integer.MIN_VALUE;
    }

    @Override
    public Kernel load() {
      return new ReferenceKernel();
    }
  }

  /**
   * The engine of the job that this process was launched in.
   *
   * @param name empty for the best that can be had
   * @param deadline how long connecting may take
   */
  public static Engine engine(String name, Duration deadline, Map<String, String> environment) {
    List<EngineProvider> found = new ArrayList<>();
    ServiceLoader.load(EngineProvider.class).forEach(found::add);
    List<String> passedOver = new ArrayList<>();
    Optional<Engine> engine =
        choose(
            "engine",
            name,
            found,
            EngineProvider::name,
            EngineProvider::preference,
            provider -> provider.connect(deadline),
            passedOver);
    return engine.orElseGet(() -> singleUnlessLaunched(environment, passedOver));
  }

  /** Many processes that each believe to be alone would compute wrong results in silence. */
  private static Engine singleUnlessLaunched(
      Map<String, String> environment, List<String> passedOver) {
    for (String variable : TASK_COUNTS) {
      String tasks = environment.get(variable);
      if (tasks != null && !tasks.equals("1")) {
        throw new EngineException(
            "this process is one of %s (%s), but no engine can connect them: %s"
                .formatted(
                    tasks,
                    variable,
                    passedOver.isEmpty()
                        ? "add the module gemmflow-mpi, or use World.single() for worlds of one"
                        : String.join("; ", passedOver)));
      }
    }
    LOG.log(
        WARNING,
        "no launcher started this process: it is a world of one rank. Start it with a launcher, for example mpirun -n 4 java ..., or call World.single() if one rank is intended; gemmflow.engine=mpi makes this an error");
    return new LocalFabric(0).engine(0);
  }

  private static <P, T> Optional<T> choose(
      String what,
      String forced,
      List<P> providers,
      Function<P, String> name,
      Function<P, Integer> preference,
      Function<P, T> load,
      List<String> passedOver) {
    Predicate<P> wanted = p -> forced.isEmpty() || name.apply(p).equals(forced);
    List<P> candidates =
        providers.stream()
            .filter(wanted)
            .sorted(Comparator.comparing(preference).reversed())
            .toList();
    if (candidates.isEmpty() && !forced.isEmpty()) {
      throw new IllegalArgumentException(
          "no %s is named '%s'; available: %s"
              .formatted(what, forced, providers.stream().map(name).toList()));
    }
    for (P candidate : candidates) {
      try {
        T loaded = load.apply(candidate);
        log(what, name.apply(candidate), passedOver);
        return Optional.of(loaded);
      } catch (RuntimeException | LinkageError e) {
        if (!forced.isEmpty()) {
          throw e;
        }
        passedOver.add(name.apply(candidate) + " (" + e.getMessage() + ")");
      }
    }
    if (!passedOver.isEmpty()) {
      LOG.log(INFO, "{0}: none; rejected: {1}", what, passedOver);
    }
    return Optional.empty();
  }

  private static void log(String what, String chosen, List<String> passedOver) {
    LOG.log(
        DEBUG,
        "{0}: {1}{2}",
        what,
        chosen,
        passedOver.isEmpty() ? "" : "; rejected: " + passedOver);
  }
}
