/** Typed and untyped views on memory. */
@NullMarked
package io.github.gemmflow.matrix;

import org.jspecify.annotations.NullMarked;
