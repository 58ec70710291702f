// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

/**
 * Kind of the steps that a plan makes.
 *
 * @param <S> its steps
 */
public interface StepKind<S extends PlannedStep> {
  /** The steps in a buffer: every second one. */
  S step(int buffer);
}
