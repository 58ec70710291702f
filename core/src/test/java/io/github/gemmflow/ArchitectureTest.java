// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
        .layer("setup")
        .definedBy(BASE + ".setup..")
        .layer("pipeline")
        .definedBy(BASE + ".pipeline..")
        .layer("plan")
        .definedBy(BASE + ".plan..")
        .layer("tuning")
        .definedBy(BASE + ".tuning..")
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
        .whereLayer("setup")
        .mayOnlyBeAccessedByLayers("api")
        .whereLayer("pipeline")
        .mayOnlyBeAccessedByLayers("api", "setup")
        .whereLayer("plan")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("tuning")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline", "plan")
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline")
        .whereLayer("trace")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("window")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline")
        .whereLayer("kernel")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline")
        .whereLayer("matrix")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline", "engine", "kernel")
        .whereLayer("failure")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline", "engine")
        .check(CLASSES);
  }

  /** Gathers and sums stand side by side on what both need; neither knows the other. */
  @Test
  void kindsOfStepsStandSideBySide() {
    String pipeline = BASE + ".pipeline";
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(BASE + "..")
        .layer("api")
        .definedBy(BASE)
        .layer("setup")
        .definedBy(BASE + ".setup..")
        .layer("pipeline")
        .definedBy(pipeline)
        .layer("gather")
        .definedBy(pipeline + ".gather")
        .layer("sum")
        .definedBy(pipeline + ".sum")
        .layer("compute")
        .definedBy(pipeline + ".compute")
        .layer("comm")
        .definedBy(pipeline + ".comm")
        .layer("step")
        .definedBy(pipeline + ".step")
        .whereLayer("pipeline")
        .mayOnlyBeAccessedByLayers("api", "setup")
        .whereLayer("gather")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("sum")
        .mayOnlyBeAccessedByLayers("api", "pipeline")
        .whereLayer("compute")
        .mayOnlyBeAccessedByLayers("api", "pipeline", "gather", "sum")
        .whereLayer("comm")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline", "gather", "sum", "compute")
        .whereLayer("step")
        .mayOnlyBeAccessedByLayers("api", "setup", "pipeline", "gather", "sum", "compute", "comm")
        .check(CLASSES);
  }

  /** The kind of a step is known where it is made; nobody looks for it in a layout or plan. */
  @Test
  void noCastOnALayoutOrPlan() throws IOException, URISyntaxException {
    Path classes = Path.of(World.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> casts = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        casts.addAll(TypeChecks.on(file, BASE + ".plan."));
      }
    }
    assertEquals(List.of(), casts);
  }

  /** The plan is pure: no threads, no foreign memory, no clock, no files. */
  @Test
  void planIsPure() {
    noClasses()
        .that()
        .resideInAnyPackage(BASE + ".plan..", BASE + ".tuning..")
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

  /**
   * Native calls stay in packages of their own: the futex, CPUs of threads, and memory that must
   * stay.
   */
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
