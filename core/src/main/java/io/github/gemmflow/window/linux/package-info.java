/** The only place of the core module that calls native code: Linux's futex. */
@NullMarked
package io.github.gemmflow.window.linux;

import org.jspecify.annotations.NullMarked;
