// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Message of rank 0 to the others before a pass.
 *
 * @param isEnd whether there is no pass any more
 * @param added tasks that begin
 * @param cancelled tasks that nobody waits for any more
 */
record News(boolean isEnd, List<Task> added, List<Long> cancelled) {
  News {
    added = List.copyOf(added);
    cancelled = List.copyOf(cancelled);
  }

  byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeBoolean(isEnd);
      out.writeInt(added.size());
      for (Task task : added) {
        task.write(out);
      }
      out.writeInt(cancelled.size());
      for (long id : cancelled) {
        out.writeLong(id);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static News of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      boolean isEnd = in.readBoolean();
      List<Task> added = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        added.add(Task.read(in));
      }
      List<Long> cancelled = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        cancelled.add(in.readLong());
      }
      return new News(isEnd, added, cancelled);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
