// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .importUrl(OneDnnKernel.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void nativeCallsStayInTheBinding() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.github.gemmflow.onednn.binding")
        .should()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(MODULE);
  }

  /** A kernel knows what a matrix is, and nothing of how its rows got there. */
  @Test
  void theKernelUsesNothingAboveIt() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.github.gemmflow",
            "io.github.gemmflow.engine..",
            "io.github.gemmflow.pipeline..",
            "io.github.gemmflow.plan..",
            "io.github.gemmflow.window..")
        .check(MODULE);
  }
}
