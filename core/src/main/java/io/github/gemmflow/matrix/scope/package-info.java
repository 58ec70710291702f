/** Lifetimes of memory that the JDK only extends for native calls. */
@NullMarked
package io.github.gemmflow.matrix.scope;

import org.jspecify.annotations.NullMarked;
