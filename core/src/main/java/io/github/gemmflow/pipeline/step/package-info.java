/**
 * The step of a workspace as all its lanes see it: its window, headers, slots, signs of life and
 * what can be said when it does not go on.
 */
@NullMarked
package io.github.gemmflow.pipeline.step;

import org.jspecify.annotations.NullMarked;
