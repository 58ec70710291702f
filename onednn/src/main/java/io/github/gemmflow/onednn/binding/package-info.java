/**
 * oneDNN's matrix product for Java: {@link Dnnl} says what there is, {@link NativeDnnl} does it,
 * {@link Calls} has the C functions, {@link Library} finds them. All native calls of this module
 * are here.
 */
@NullMarked
package io.github.gemmflow.onednn.binding;

import org.jspecify.annotations.NullMarked;
