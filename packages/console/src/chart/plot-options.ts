// The uPlot options of the bar chart: logins, with failures stacked on top.
import type uPlot from 'uplot';
import type { Bar } from './build-bars.ts';
import type { TimeFormats } from './format-times.ts';
import { heightOf } from './sum-bars.ts';
import type { TokenColors } from './token-colors.ts';

/** Read on every drawing, so that a change of language or theme needs no new plot. */
export interface PlotSource {
  readonly bars: () => readonly Bar[];
  readonly colors: () => TokenColors;
  readonly times: () => TimeFormats;
  readonly count: (value: number) => string;
  readonly font: string;
  readonly brushable: boolean;
  /** The minimum distance of the grid lines. */
  readonly linePixels: number;
  readonly onPoint: (plot: uPlot) => void;
  readonly onSelect: (plot: uPlot) => void;
}

const steps = [1, 2, 5].flatMap((digit) => Array.from({ length: 9 }, (_, zeros) => digit * 10 ** zeros));
/** In seconds. Counts are per hour, so no step is shorter. */
const timeSteps = [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168, 336].map((hours) => hours * 3600);
const lowestTop = 4;
const shareOfGap = 0.18;
const leastDrag = 6;

export function plotOptions(source: PlotSource, size: { width: number; height: number }): uPlot.Options {
  const { bars, colors, times, count, font, brushable } = source;
  const drawn = { points: { show: false }, width: 0 };
  const axis = { font, stroke: () => colors().muted, ticks: { show: false } };
  return {
    ...size,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: brushable, y: false, setScale: false, dist: leastDrag },
    },
    scales: {
      x: { time: true, range: () => edgesOf(bars()) },
      y: { range: (_plot, _low, high) => [0, Math.max(lowestTop, high * 1.08)] },
    },
    series: [
      {},
      { ...drawn, paths: barPaths(bars, ({ logins }) => [0, logins]), fill: () => colors().accent },
      { ...drawn, paths: barPaths(bars, (bar) => [bar.logins, heightOf(bar)]), fill: () => colors().bad },
    ],
    axes: [
      {
        ...axis,
        space: 64,
        size: 28,
        incrs: timeSteps,
        grid: { show: false },
        border: { show: true, stroke: () => colors().line, width: 1 },
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => times().tick(at * 1000, step)),
      },
      {
        ...axis,
        incrs: [...steps].sort((one, other) => one - other),
        space: source.linePixels,
        size: 44,
        grid: { stroke: () => colors().line, width: 1 },
        values: (_plot, splits) => splits.map(count),
      },
    ],
    hooks: { setCursor: [source.onPoint], setSelect: [source.onSelect] },
  };
}

/**
 * Draws each bar as wide as its time: the first and the last can be cut, and the days of a change to or from summer
 * time have a different length.
 */
function barPaths(
  bars: () => readonly Bar[],
  edges: (bar: Bar) => readonly [bottom: number, top: number],
): uPlot.Series.PathBuilder {
  return function build(plot) {
    const fill = new Path2D();
    for (const bar of bars()) {
      const [bottom, top] = edges(bar).map((value) => Math.round(plot.valToPos(value, 'y', true)));
      const [left, right] = [bar.from, bar.to].map((at) => Math.round(plot.valToPos(at / 1000, 'x', true)));
      if (bottom === undefined || top === undefined || left === undefined || right === undefined) continue;
      const gap = Math.round((right - left) * shareOfGap);
      if (bottom > top)
        fill.rect(left + Math.floor(gap / 2), top, Math.max(1, right - left - gap), bottom - top);
    }
    return { fill, stroke: null };
  };
}

/** uPlot expects seconds; the heights determine the scale. */
export function plotData(bars: readonly Bar[]): uPlot.AlignedData {
  return [bars.map(({ from }) => from / 1000), bars.map(({ logins }) => logins), bars.map(heightOf)];
}

function edgesOf(bars: readonly Bar[]): uPlot.Range.MinMax {
  return [(bars.at(0)?.from ?? 0) / 1000, (bars.at(-1)?.to ?? 0) / 1000];
}
