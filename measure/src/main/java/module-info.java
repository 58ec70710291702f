/** Measuring a layer on the ranks of a world, and predicting what it takes. */
module io.github.gemmflow.measure {
  requires transitive io.github.gemmflow.core;
  requires transitive io.github.gemmflow.simulator;
  requires io.github.gemmflow.json;
  requires java.management;
  requires static org.jspecify;

  exports io.github.gemmflow.measure;
  exports io.github.gemmflow.measure.bench;
  exports io.github.gemmflow.measure.calibrate;
  exports io.github.gemmflow.measure.layer;
  exports io.github.gemmflow.measure.predict;
  exports io.github.gemmflow.measure.record;
  exports io.github.gemmflow.measure.tune;
}
