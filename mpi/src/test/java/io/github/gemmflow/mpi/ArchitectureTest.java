// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.gemmflow.mpi.binding.Mpi;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses ENGINE =
      new ClassFileImporter()
          .importUrl(MpiEngine.class.getProtectionDomain().getCodeSource().getLocation());
  private static final JavaClasses BINDING =
      new ClassFileImporter()
          .importUrl(Mpi.class.getProtectionDomain().getCodeSource().getLocation());

  /** The engine calls MPI through the binding's interface only. */
  @Test
  void nativeCallsStayInTheBinding() {
    noClasses()
        .should()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(ENGINE);
  }

  /** An engine knows nothing of what is above it. */
  @Test
  void theEngineUsesNothingAboveIt() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.github.gemmflow",
            "io.github.gemmflow.pipeline..",
            "io.github.gemmflow.plan..",
            "io.github.gemmflow.kernel..")
        .check(ENGINE);
  }

  /** The binding is of use alone. */
  @Test
  void theBindingUsesNothingOfTheRest() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            not(resideInAnyPackage("io.github.gemmflow.."))
                .or(resideInAnyPackage("io.github.gemmflow.mpi.binding")))
        .check(BINDING);
  }
}
