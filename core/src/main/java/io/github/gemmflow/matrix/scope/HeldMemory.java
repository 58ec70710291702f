// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix.scope;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory that cannot be freed while something runs: closing its arena throws {@link
 * IllegalStateException} meanwhile.
 *
 * <p>The JDK holds the scope of a segment that is given to a native function until that returns,
 * and offers no other way to hold it. So the segments are given to the C library's {@code bsearch},
 * as the key and the only element of an array; its comparison, which is called just once, runs what
 * is to be run.
 */
public final class HeldMemory {
  /**
   * Nothing where native access is denied: then no native function can be given memory either, and
   * Java itself notices when memory is gone.
   */
  private static final Optional<HeldMemory> INSTANCE = load();

  /** What the comparisons under way on a thread run, the innermost first. */
  private static final ThreadLocal<Deque<Runnable>> BODIES =
      ThreadLocal.withInitial(ArrayDeque::new);

  private final MethodHandle search;
  private final MemorySegment comparison;

  private HeldMemory(MethodHandle search, MemorySegment comparison) {
    this.search = search;
    this.comparison = comparison;
  }

  @SuppressWarnings("restricted") // bsearch, which is as safe as its comparison; that never throws
  private static Optional<HeldMemory> load() {
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle search =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("bsearch"),
              FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));
      MethodHandle compare =
          MethodHandles.lookup()
              .findStatic(
                  HeldMemory.class,
                  "compare",
                  MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
      FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
      return Optional.of(new HeldMemory(search, linker.upcallStub(compare, type, Arena.global())));
    } catch (IllegalCallerException | UnsupportedOperationException e) {
      return Optional.empty();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("HeldMemory has a method compare", e);
    }
  }

  /**
   * Runs something while memory is held.
   *
   * @param memory of shared or automatic arenas; on the heap, it needs no holding
   * @throws IllegalStateException if some of it is freed already
   */
  public static void whileHeld(List<MemorySegment> memory, Runnable body) {
    List<MemorySegment> free = memory.stream().filter(MemorySegment::isNative).toList();
    if (free.isEmpty() || INSTANCE.isEmpty()) {
      body.run();
    } else {
      INSTANCE.get().hold(free, body);
    }
  }

  private void hold(List<MemorySegment> free, Runnable body) {
    MemorySegment first = free.getFirst();
    MemorySegment second = free.size() > 1 ? free.get(1) : first;
    List<MemorySegment> rest = free.subList(Math.min(2, free.size()), free.size());
    Body held = new Body(() -> whileHeld(rest, body));
    Deque<Runnable> bodies = BODIES.get();
    bodies.push(held);
    try {
      MemorySegment _ = (MemorySegment) search.invokeExact(first, second, 1L, 1L, comparison);
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      bodies.remove(held);
    }
    if (held.thrown != null) {
      throw unchecked(held.thrown);
    }
  }

  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case RuntimeException unchecked -> unchecked;
      case Error error -> throw error;
      default -> new IllegalStateException("bsearch throws nothing", e);
    };
  }

  /** Called by {@code bsearch}; says that it has found what it looks for. */
  @SuppressWarnings("unused") // through a method handle
  private static int compare(MemorySegment key, MemorySegment element) {
    BODIES.get().element().run();
    return 0;
  }

  /** Something to run whose exception waits until C has returned. */
  private static final class Body implements Runnable {
    private final Runnable body;
    private @Nullable Throwable thrown;

    Body(Runnable body) {
      this.body = body;
    }

    @Override
    public void run() {
      try {
        body.run();
      } catch (Throwable e) {
        thrown = e;
      }
    }
  }
}
