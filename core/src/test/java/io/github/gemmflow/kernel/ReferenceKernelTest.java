// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.kit.KernelContract;

class ReferenceKernelTest extends KernelContract {
  @Override
  protected Kernel kernel() {
    return new ReferenceKernel();
  }
}
