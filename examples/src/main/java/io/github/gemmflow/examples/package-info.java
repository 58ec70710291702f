/** Small programs to begin with, each in one file. */
@NullMarked
package io.github.gemmflow.examples;

import org.jspecify.annotations.NullMarked;
