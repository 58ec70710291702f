/** What Gemmflow throws when ranks cannot go on together. */
@NullMarked
package io.github.gemmflow.failure;

import org.jspecify.annotations.NullMarked;
