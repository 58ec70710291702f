// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.Config;
import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.cli.doctor.cpu.CoresCheck;
import io.github.gemmflow.cli.doctor.cpu.GovernorCheck;
import io.github.gemmflow.cli.doctor.cpu.NumaCheck;
import io.github.gemmflow.cli.doctor.cpu.ProcessorsCheck;
import io.github.gemmflow.cli.doctor.cpu.Topology;
import io.github.gemmflow.cli.doctor.host.HugePagesCheck;
import io.github.gemmflow.cli.doctor.host.InfiniBandCheck;
import io.github.gemmflow.cli.doctor.host.NetworkCheck;
import io.github.gemmflow.cli.doctor.host.NetworkInterfaces;
import io.github.gemmflow.cli.doctor.host.SharedMemoryCheck;
import io.github.gemmflow.cli.doctor.host.SystemCheck;
import io.github.gemmflow.cli.doctor.software.AmxCheck;
import io.github.gemmflow.cli.doctor.software.JavaCheck;
import io.github.gemmflow.cli.doctor.software.LauncherCheck;
import io.github.gemmflow.cli.doctor.software.MpiCheck;
import io.github.gemmflow.cli.doctor.software.Mpirun;
import io.github.gemmflow.cli.doctor.software.OneDnnCheck;
import io.github.gemmflow.cli.doctor.software.OpenMpCheck;
import io.github.gemmflow.cli.doctor.software.SettingsCheck;
import io.github.gemmflow.mpi.CoreBinding;
import io.github.gemmflow.mpi.binding.Launcher;
import io.github.gemmflow.mpi.binding.Mpi;
import io.github.gemmflow.mpi.binding.MpiException;
import io.github.gemmflow.mpi.binding.Survey;
import io.github.gemmflow.onednn.OneDnnLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Checks of all that can be in the way of ranks that are to multiply together. */
final class Doctor {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** A program that prints its version is done in a fraction of this. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Machine machine;
  private final Launcher launcher = Launcher.current();
  private final String mpirunName;
  private final OneDnnCheck oneDnn = new OneDnnCheck();
  private Optional<Mpirun> mpirun = Optional.empty();
  private Optional<Topology> topology = Optional.empty();
  private String coresBefore = "";
  private String coresAfter = "";
  private Optional<Survey> survey = Optional.empty();

  /**
   * For this process.
   *
   * @param mpirunName the name or path of what is to start ranks
   */
  Doctor(Machine machine, String mpirunName) {
    this.machine = machine;
    this.mpirunName = mpirunName;
  }

  /**
   * Looks at this process and its machine. Loads every MPI library that there is, so nothing else
   * is to be done in this process; initialises none.
   */
  List<Finding> examine() {
    // Java first: as soon as a native call is made it counts as allowed.
    return List.of(
        look(SystemCheck.NAME, () -> SystemCheck.look(machine)),
        look(JavaCheck.NAME, () -> JavaCheck.look(machine, nativeCallers())),
        look(MpiCheck.NAME, this::mpi),
        look(LauncherCheck.NAME, this::launcher),
        look(ProcessorsCheck.NAME, this::processors),
        look(CoresCheck.NAME, this::cores),
        look(NumaCheck.NAME, () -> NumaCheck.look(topology, allowedCpus(), launcher)),
        look(GovernorCheck.NAME, () -> GovernorCheck.look(machine)),
        look(SharedMemoryCheck.NAME, () -> SharedMemoryCheck.look(sharedMemory())),
        look(HugePagesCheck.NAME, () -> HugePagesCheck.look(machine, sharedMemory())),
        look(OneDnnCheck.NAME, this::oneDnn),
        look(AmxCheck.NAME, this::amx),
        look(OpenMpCheck.NAME, () -> OpenMpCheck.look(machine, coresBefore, coresAfter)),
        look(NetworkCheck.NAME, () -> NetworkCheck.look(machine, NetworkInterfaces.find(machine))),
        look(InfiniBandCheck.NAME, () -> InfiniBandCheck.look(machine)),
        look(SettingsCheck.NAME, () -> SettingsCheck.look(machine, refusedSettings())));
  }

  /** A check that fails is a finding, too, and the others go on. */
  static Finding look(String name, Callable<Finding> check) {
    try {
      return check.call();
    } catch (Exception | LinkageError e) {
      return Finding.warning(
          name, "unknown: " + e, "report this line, and the system that it comes from");
    }
  }

  private static List<Module> nativeCallers() {
    return List.of(
        Config.class.getModule(), Mpi.class.getModule(), OneDnnLibrary.class.getModule());
  }

  private Finding mpi() {
    Launcher starter = launcher;
    if (starter == Launcher.NONE) {
      mpirun = machine.program(mpirunName).map(file -> Mpirun.ask(file, PATIENCE));
      starter = mpirun.map(Mpirun::launcher).orElse(Launcher.NONE);
    }
    try {
      Survey made = Survey.under(starter);
      survey = Optional.of(made);
      return MpiCheck.look(machine, made);
    } catch (MpiException e) {
      return Finding.problem(
          MpiCheck.NAME, e.text(), "start Java with --enable-native-access=ALL-UNNAMED");
    }
  }

  private Finding launcher() {
    return launcher == Launcher.NONE
        ? LauncherCheck.inShell(machine, mpirunName, mpirun, survey)
        : LauncherCheck.inJob(machine, launcher, survey);
  }

  private Finding processors() {
    topology = Topology.read(machine);
    int threads = refusedSettings().isEmpty() ? Config.load().threads() : 1;
    return ProcessorsCheck.look(machine, topology, allowedCpus(), threads);
  }

  private Finding cores() {
    return CoresCheck.look(
        CoreBinding.read(machine.root()),
        topology,
        Runtime.getRuntime().availableProcessors(),
        launcher);
  }

  private NumberList allowedCpus() {
    return NumberList.parse(CoreBinding.read(machine.root()).map(CoreBinding::allowed).orElse(""));
  }

  private Finding oneDnn() {
    coresBefore = machine.coresOfThread();
    Finding finding = oneDnn.look(machine, OneDnnLibrary::load);
    coresAfter = machine.coresOfThread();
    return finding;
  }

  private Finding amx() {
    return AmxCheck.look(machine, oneDnn.library(), OneDnnLibrary::requestAmx);
  }

  private Path sharedMemory() {
    return refusedSettings().isEmpty() ? Config.load().windowDirectory() : SHARED_MEMORY;
  }

  private static String refusedSettings() {
    try {
      Config.load();
      return "";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
