/** Steps that gather: rows of all ranks arrive in a window and are worked on as they do. */
@NullMarked
package io.github.gemmflow.pipeline.gather;

import org.jspecify.annotations.NullMarked;
