// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.TileCursor;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reasons why a rank in a summing step has nothing to do, and whom it waits for. */
final class SumDiagnosis {
  private final HostPeers peers;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final NextTile tiles;

  SumDiagnosis(HostPeers peers, HeaderCheck headers, Diagnosis diagnosis, NextTile tiles) {
    this.peers = peers;
    this.headers = headers;
    this.diagnosis = diagnosis;
    this.tiles = tiles;
  }

  /** Whether this rank waits for ranks of its own host. */
  boolean isWaitingForHost(SumStep step) {
    return isNeighbourBehind(step) || isNotAdded(step) || isNeighbourInTheWay(step);
  }

  /**
   * How many others this rank lets give up first. A rank that waits for another host, or for its
   * own communication thread, knows which host to look at. A rank that waits for one of its own
   * host may only wait for that one, and a rank that is kept out by it even more so.
   */
  int giveUpDelay(SumStep step) {
    if (headers.headersThere(step.open()) < peers.hosts().ranks()) {
      return 2;
    }
    if (isNeighbourBehind(step) || isNotAdded(step)) {
      return 1;
    }
    boolean byOthers = step.window().slots().slowReader() != peers.commReader();
    return isNeighbourInTheWay(step) && byOthers ? 2 : 0;
  }

  /** What is missing, and whom to look at, for a person. */
  String missing(SumStep step, NextTile.Progress progress) {
    SumLayout layout = step.layout();
    String missing;
    if (isNeighbourBehind(step)) {
      missing =
          diagnosis.hostRanksBehind(i -> step.window().computed(peers.hostRank(i)))
              + " did not compute partial sums"
              + describeBlocked(layout);
    } else if (isNotAdded(step)) {
      int owner = layout.owner(peers.host(), tiles.next(Stage.ADD_ALL).block(layout));
      missing =
          "rank %d did not %s%s"
              .formatted(
                  owner,
                  layout.isStaged() ? "add up the sums of all hosts" : "add up partial sums",
                  describeBlocked(layout));
    } else if (isNeighbourInTheWay(step)) {
      missing =
          "there is no room for partial sums of %s, because ".formatted(describeNextTile(layout))
              + diagnosis.describeReader(step.window().slots().slowReader());
    } else {
      missing = missingFromOthers(step, progress);
    }
    return diagnosis.missing(step.open(), missing);
  }

  /** The stage that holds up the step if nothing is ready. */
  private Stage blocked(SumLayout layout) {
    if (!tiles.isAtEnd(layout, Stage.ADD_HOST)) {
      return Stage.ADD_HOST;
    }
    return tiles.isAtEnd(layout, Stage.ADD_TOTAL) ? Stage.ADD_ALL : Stage.ADD_TOTAL;
  }

  /** The rows that this rank waits for, or those that it has no room for. */
  private String describeBlocked(SumLayout layout) {
    TileCursor next = tiles.next(blocked(layout));
    if (!next.isAtEnd(layout)) {
      return " of " + layout.describePiece(next.block(layout), next.number());
    }
    return tiles.isAtEnd(layout, Stage.COMPUTE)
        ? ""
        : ", which leaves no room for those of " + describeNextTile(layout);
  }

  private String describeNextTile(SumLayout layout) {
    int head = tiles.next(Stage.COMPUTE).block(layout);
    long tile = tiles.next(Stage.COMPUTE).number();
    return "rows %d-%d"
        .formatted(layout.rangeTileBegin(head, tile), layout.rangeTileBegin(head, tile + 1) - 1);
  }

  /**
   * Whether this rank waits for others of its host to compute. All go in the same order, so that
   * the last ones hold up the others. A rank that is one of them waits for something else.
   */
  private boolean isNeighbourBehind(SumStep step) {
    SumLayout layout = step.layout();
    TileCursor next = tiles.next(blocked(layout));
    long needed = next.isAtEnd(layout) ? 0 : step.use(next.position(layout)) + 1;
    long mine = step.window().computed(peers.rank());
    for (int i = 0; i < peers.hostRanks(); i++) {
      long computed = step.window().computed(peers.hostRank(i));
      if (computed < mine && (computed < needed || lacksRoom(step))) {
        return true;
      }
    }
    return false;
  }

  /** Whether what this rank wants is added up by another one for all, and is not. */
  private boolean isNotAdded(SumStep step) {
    SumLayout layout = step.layout();
    if (blocked(layout) != Stage.ADD_ALL || tiles.isAtEnd(layout, Stage.ADD_ALL)) {
      return false;
    }
    TileCursor next = tiles.next(Stage.ADD_ALL);
    int block = next.block(layout);
    int owner = layout.owner(peers.host(), block);
    if (owner == peers.rank()) {
      return false;
    }
    return layout.isStaged()
        ? layout.home(block) == peers.host() && step.totalledUpTo(owner) <= next.position(layout)
        : layout.leaves(peers.host(), block) && !step.isAdded(owner, next.position(layout));
  }

  private boolean lacksRoom(SumStep step) {
    SumLayout layout = step.layout();
    return !tiles.isAtEnd(layout, Stage.COMPUTE)
        && !step.isFree(tiles.next(Stage.COMPUTE).position(layout));
  }

  /** Whether others keep this rank from computing more, and not it itself, who waits for sums. */
  private boolean isNeighbourInTheWay(SumStep step) {
    SlotRing slots = step.window().slots();
    return lacksRoom(step)
        && slots.passed(slots.slowReader()) < slots.passed(peers.computeReader());
  }

  private String missingFromOthers(SumStep step, NextTile.Progress progress) {
    StringJoiner text = new StringJoiner("; ");
    SumLayout layout = step.layout();
    Stage stage = tiles.isAtEnd(layout, Stage.ADD_TOTAL) ? Stage.ADD_ALL : Stage.ADD_TOTAL;
    TileCursor next = tiles.next(stage);
    if (next.isAtEnd(layout)) {
      return "";
    }
    int block = next.block(layout);
    for (int host = 0; host < peers.hosts().count(); host++) {
      if (tiles.needs(layout, stage, block, host)
          && !NextTile.hasSent(layout, host, block, next.number(), progress)) {
        int route = layout.route(host, block);
        text.add(
            "%s did not arrive (rank %d -> rank %d)%s"
                .formatted(
                    layout.describe(route, Math.max(0, step.arrived(route))),
                    layout.owner(host, block),
                    layout.owner(peers.host(), block),
                    layout.isTotal(route) ? whatATotalNeeds() : ""));
      }
    }
    return text.toString();
  }

  /** Whom another host may be waiting for before it can send a total. This host cannot see it. */
  private String whatATotalNeeds() {
    return ", which needs the partial sums of "
        + IntStream.range(0, peers.hosts().ranks())
            .filter(rank -> peers.hosts().hostOf(rank) != peers.host())
            .mapToObj(rank -> "rank " + rank)
            .collect(Collectors.joining(", "));
  }
}
