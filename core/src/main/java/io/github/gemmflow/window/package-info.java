/**
 * Memory that the ranks of one host share, the counters in it, and waiting for them. Nothing here
 * relies on one heap: publisher and reader may be two processes.
 */
@NullMarked
package io.github.gemmflow.window;

import org.jspecify.annotations.NullMarked;
