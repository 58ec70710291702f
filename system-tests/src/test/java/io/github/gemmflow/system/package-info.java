/** What every build runs on real processes; the runner does the same at any size. */
@NullMarked
package io.github.gemmflow.system;

import org.jspecify.annotations.NullMarked;
