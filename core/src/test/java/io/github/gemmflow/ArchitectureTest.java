// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import org.junit.jupiter.api.Test;

/** A package never imports one above it. */
class ArchitectureTest {
  private static final String BASE = "io.github.gemmflow";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(World.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void layersHold() {
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(BASE + "..")
        .layer("api")
        .definedBy(BASE)
        .layer("pipeline")
        .definedBy(BASE + ".pipeline..")
        .layer("plan")
        .definedBy(BASE + ".plan..")
        .layer("engine")
        .definedBy(BASE + ".engine..")
        .layer("trace")
        .definedBy(BASE + ".trace..")
        .layer("window")
        .definedBy(BASE + ".window..")
        .layer("kernel")
        .definedBy(BASE + ".kernel..")
        .layer("matrix")
        .definedBy(BASE + ".matrix..")
        .layer("failure")
        .definedBy(BASE + ".failure..")
        .whereLayer("api")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("pipeline")
        .mayOnlyBeAccessedByLayers("api")
        .whereLayer("plan")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("trace")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("window")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("kernel")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("matrix")
        .mayOnlyBeAccessedByLayers("api", "pipeline", "engine", "kernel")
        .whereLayer("failure")
        .mayOnlyBeAccessedByLayers("api", "pipeline", "engine")
        .check(CLASSES);
  }

  /** The plan is pure: no threads, no foreign memory, no clock, no files. */
  @Test
  void planIsPure() {
    noClasses()
        .that()
        .resideInAPackage(BASE + ".plan..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "java.lang.foreign..",
                "java.lang.invoke..",
                "java.util.concurrent..",
                "java.time..",
                "java.io..",
                "java.nio.."))
        .orShould()
        .accessClassesThat()
        .belongToAnyOf(Thread.class, System.Logger.class)
        .because("a simulator and a drawing use the same plan")
        .check(CLASSES);
  }

  /** Native calls stay in packages of their own: the futex, and memory that must stay. */
  @Test
  void nativeCallsStayInTheirPackage() {
    noClasses()
        .that(not(resideInAnyPackage(BASE + ".window.linux..", BASE + ".matrix.scope..")))
        .should()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .orShould()
        .accessClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.SymbolLookup")
        .check(CLASSES);
  }
}
