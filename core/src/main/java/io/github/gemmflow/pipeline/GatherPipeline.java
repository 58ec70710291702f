// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

/** Half of a workspace's pipeline for steps that gather, whatever their plans. */
final class GatherPipeline {
  private final GatherWindow window;
  private final Home home;
  private final Places places;
  private final GatherLane lane;
  private final GatherStep[] steps = new GatherStep[StepWindow.STEPS];
  private final GatherTraffic[] traffic = new GatherTraffic[StepWindow.STEPS];

  GatherPipeline(
      Members members,
      StepWindow common,
      GatherWindow window,
      OpenStep[] open,
      HeaderCheck headers,
      Diagnosis diagnosis,
      Recorder recorder,
      Crew crew) {
    this.window = window;
    this.home = new Home(members.rank());
    this.places = new Places(members.rank(), window, home);
    Pace pace = new Pace();
    Arrivals arrivals = new Arrivals(members, window, headers);
    int routes = GatherWindow.routes(members.domains().ranks());
    StepNumbers chunks = new StepNumbers(routes);
    StepNumbers uses = new StepNumbers(routes);
    for (int buffer = 0; buffer < steps.length; buffer++) {
      steps[buffer] = new GatherStep(open[buffer], chunks, uses);
      traffic[buffer] = new GatherTraffic(steps[buffer], members, window, places, arrivals, pace);
    }
    this.lane =
        new GatherLane(
            steps[0],
            members,
            common.pulses(),
            window,
            places,
            arrivals,
            headers,
            pace,
            diagnosis,
            recorder,
            crew);
  }

  GatherWindow window() {
    return window;
  }

  Home home() {
    return home;
  }

  Places places() {
    return places;
  }

  GatherLane lane() {
    return lane;
  }

  GatherStep step(int buffer) {
    return steps[buffer];
  }

  GatherTraffic traffic(int buffer) {
    return traffic[buffer];
  }
}
