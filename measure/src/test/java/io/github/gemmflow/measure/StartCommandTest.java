// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartCommandTest {
  @Test
  void theCommandIsCalledAsPeopleDo() {
    assertEquals(
        "gemmflow bench -n 2", StartCommand.named("io.github.gemmflow.cli.Gemmflow bench -n 2"));
    assertEquals("other.jar -n 2", StartCommand.named("other.jar -n 2"));
  }

  @Test
  void launchersHaveManyNames() {
    for (String name : List.of("mpirun", "/usr/bin/mpirun.openmpi", "mpiexec.hydra", "srun")) {
      assertTrue(StartCommand.isLauncher(List.of(name, "-n", "2")), name);
    }
    for (String name : List.of("bash", "hydra_pmi_proxy", "/opt/mpirun/bin/java")) {
      assertFalse(StartCommand.isLauncher(List.of(name)), name);
    }
    assertFalse(StartCommand.isLauncher(List.of()));
  }

  /** A process between the rank and its launcher, as MPICH has one. */
  @Test
  void theLaunchersCommandIsTheWholeOne() throws IOException {
    String proxy = "'bash -c \"sleep 60 & echo \\$!; wait\"; true'";
    Process process =
        new ProcessBuilder(
                "bash",
                "-c",
                "exec -a /opt/bin/mpirun.test bash -c " + proxy + " -x KEY=abc -n 2 'a b'")
            .start();
    try (var lines = process.inputReader()) {
      ProcessHandle rank = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      try {
        String command = StartCommand.of(rank);
        assertTrue(command.startsWith("/opt/bin/mpirun.test -c "), command);
        assertTrue(command.endsWith(" -x KEY=... -n 2 'a b'"), command);
      } finally {
        rank.destroy();
      }
    } finally {
      process.destroy();
    }
  }

  /** Figures are passed on, and a launcher's command line may have passwords for its ranks. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          mpirun -x KEY=abc -x PATH -n 2 gemmflow bench --gm=64     | mpirun -x KEY=... -x PATH -n 2 gemmflow bench --gm=64
          mpirun --mca mca_base_env_list KEY=abc;TOKEN=def java     | mpirun --mca mca_base_env_list KEY=... java
          mpiexec -genv KEY abc -env TOKEN def -n 2 gemmflow        | mpiexec -genv KEY ... -env TOKEN ... -n 2 gemmflow
          srun --export=ALL,KEY=abc,TOKEN=def gemmflow              | srun --export=ALL,KEY=...,TOKEN=... gemmflow
          mpirun --mca mca_base_env_list OMP_X=1;KEY=abc java       | mpirun --mca mca_base_env_list OMP_X=... java
          srun --export=ALL,KEY="abc,def" gemmflow                  | srun --export=... gemmflow
          srun --export ALL,KEY=abc gemmflow                        | srun --export ALL,KEY=... gemmflow
          mpirun env KEY=abc java -Djavax.net.ssl.trustStorePassword=abc -Djava.library.path=/lib -Dgemmflow.pin=cores X | mpirun env KEY=... java -Djavax.net.ssl.trustStorePassword=... -Djava.library.path=/lib -Dgemmflow.pin=cores X
          mpiexec -genv GEMMFLOW_IDLE spin -x OMPI_MCA_btl=tcp,self | mpiexec -genv GEMMFLOW_IDLE spin -x OMPI_MCA_btl=tcp,self
          """)
  void valuesThatMayBeSecretAreLeftOut(String line, String shown) {
    assertEquals(List.of(shown.split(" ")), StartCommand.withoutSecrets(List.of(line.split(" "))));
  }

  @Test
  void argumentsAreQuotedWhereAShellWouldSplitThem() {
    assertEquals("--gm=4096", StartCommand.quoted("--gm=4096"));
    assertEquals("'it'\\''s'", StartCommand.quoted("it's"));
    assertEquals("''", StartCommand.quoted(""));
  }
}
