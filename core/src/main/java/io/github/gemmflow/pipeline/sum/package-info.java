/**
 * Steps that sum: ranks of a host add up partial sums in a window, and hosts exchange what they
 * have added up.
 */
@NullMarked
package io.github.gemmflow.pipeline.sum;

import org.jspecify.annotations.NullMarked;
