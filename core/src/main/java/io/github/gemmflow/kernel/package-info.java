/**
 * What multiplies: {@link Kernel} is implemented once per compute library, and {@link
 * ReferenceKernel} in plain Java.
 */
@NullMarked
package io.github.gemmflow.kernel;

import org.jspecify.annotations.NullMarked;
