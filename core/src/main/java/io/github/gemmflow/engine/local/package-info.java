/** The engine for ranks that are threads of one JVM, on one or several pretended hosts. */
@NullMarked
package io.github.gemmflow.engine.local;

import org.jspecify.annotations.NullMarked;
