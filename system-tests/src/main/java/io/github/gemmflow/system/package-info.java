/** Launches real jobs and counts what their ranks report. */
@NullMarked
package io.github.gemmflow.system;

import org.jspecify.annotations.NullMarked;
