/** Compute threads of a rank, and the work that they do on rows. */
@NullMarked
package io.github.gemmflow.pipeline.compute;

import org.jspecify.annotations.NullMarked;
