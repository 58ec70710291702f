/** The kernel on oneDNN: {@link OneDnnKernel}, found by itself when this module is there. */
@NullMarked
package io.github.gemmflow.onednn;

import org.jspecify.annotations.NullMarked;
