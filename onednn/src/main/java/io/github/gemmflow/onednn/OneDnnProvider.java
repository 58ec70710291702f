// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.KernelProvider;

/** Provider of {@link OneDnnKernel}. */
public final class OneDnnProvider implements KernelProvider {
  @Override
  public String name() {
    return OneDnnKernel.NAME;
  }

  @Override
  public int preference() {
    return 100;
  }

  @Override
  public Kernel load() {
    return new OneDnnKernel();
  }
}
