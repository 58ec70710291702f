// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identity of a process of this host, by which others find out that it is gone. A process number
 * alone may be another process's by now, or mean nothing in another container.
 *
 * @param pid the number of the process
 * @param startTime when it started, in the kernel's ticks; 0 if that is not known
 * @param namespace the namespace that the number belongs to; 0 if that is not known
 */
public record ProcessMark(long pid, long startTime, long namespace) {
  /** The start time is the 22nd field of /proc/PID/stat (proc_pid_stat(5)), the state the 3rd. */
  private static final Pattern STAT =
      Pattern.compile(".*\\) (\\S)(?: \\S+){18} (\\d+) .*", Pattern.DOTALL);

  private static final Pattern NAMESPACE = Pattern.compile("pid:\\[(\\d+)]");

  /** What a process leaves behind until its parent asks how it ended, and what is leaving. */
  private static final String GONE_STATES = "ZXx";

  private static final ProcessMark SELF = readSelf();

  /** The mark of this process. */
  public static ProcessMark self() {
    return SELF;
  }

  private static ProcessMark readSelf() {
    long pid = ProcessHandle.current().pid();
    try {
      Matcher stat = STAT.matcher(Files.readString(stat(pid)));
      Matcher namespace =
          NAMESPACE.matcher(Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString());
      if (stat.matches() && namespace.matches()) {
        return new ProcessMark(
            pid, Long.parseLong(stat.group(2)), Long.parseLong(namespace.group(1)));
      }
    } catch (IOException e) {
      // Not Linux: nothing can be said about other processes.
    }
    return new ProcessMark(pid, 0, 0);
  }

  private static Path stat(long pid) {
    return Path.of("/proc", Long.toString(pid), "stat");
  }

  /** Whether the process is certainly gone. */
  public boolean isGone() {
    if (equals(SELF) || namespace == 0 || namespace != SELF.namespace) {
      return false;
    }
    try {
      Matcher stat = STAT.matcher(Files.readString(stat(pid)));
      return stat.matches()
          && (GONE_STATES.contains(stat.group(1)) || Long.parseLong(stat.group(2)) != startTime);
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      // It ended while we read, or may not be looked at: the next look tells.
      return false;
    }
  }
}
