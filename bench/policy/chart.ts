// Draws the decision times as an SVG chart: both axes logarithmic, one line per engine, in the
// colours of the reader's theme.
import type { Measured } from './measure.ts';

const width = 800;
const height = 420;
const plot = { left: 70, right: 530, top: 40, bottom: 370 };
const colours = ['#0a7d5a', '#3b6fd4', '#a06a00', '#c2410c', '#9333ea'];
const decades = [100, 1000, 10_000, 100_000, 1_000_000];
const ticks: readonly (readonly [nanoseconds: number, label: string])[] = [
  [100, '100 ns'],
  [1000, '1 us'],
  [10_000, '10 us'],
  [100_000, '100 us'],
  [1_000_000, '1 ms'],
  [10_000_000, '10 ms'],
  [100_000_000, '100 ms'],
  [1_000_000_000, '1 s'],
];

export function decisionChart(measured: readonly Measured[]): string {
  const engines = [...new Set(measured.map(({ engine }) => engine))];
  const lines = engines.map((engine, index) => {
    const colour = colours[index % colours.length] ?? '';
    return line(
      measured.filter((m) => m.engine === engine),
      colour,
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Time of one decision by number of rules">`,
    '<style>text { font: 13px system-ui, sans-serif; fill: #1f2937 } .grid { stroke: #d1d5db } .title { font-size: 15px; font-weight: 600 }',
    '@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .grid { stroke: #4b5563 } }</style>',
    `<text class="title" x="${plot.left}" y="22">Time of one decision by number of rules (both logarithmic)</text>`,
    ...ticks.map(
      ([value, label]) =>
        `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y(value)}" y2="${y(value)}"/><text x="${plot.left - 8}" y="${y(value) + 4}" text-anchor="end">${label}</text>`,
    ),
    ...decades.map(
      (rules) =>
        `<text x="${x(rules)}" y="${plot.bottom + 22}" text-anchor="middle">${rules.toLocaleString('en')}</text>`,
    ),
    ...lines,
    ...labels(measured, engines),
    '</svg>\n',
  ].join('\n');
}

function line(points: readonly Measured[], colour: string): string {
  const at = points.map(({ rules, nanoseconds }) => `${x(rules)},${y(nanoseconds)}`);
  const dots = at.map((point) => {
    const [cx, cy] = point.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`;
  });
  return `<polyline points="${at.join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"/>${dots.join('')}`;
}

// Puts the names beside the ends of the lines, and moves them apart where two lines end at the same height.
function labels(measured: readonly Measured[], engines: readonly string[]): string[] {
  const ends = engines.map((engine, index) => {
    const last = measured.findLast((m) => m.engine === engine);
    return { engine, colour: colours[index % colours.length], at: y(last?.nanoseconds ?? 100) };
  });
  let free = 0;
  return ends
    .toSorted((a, b) => a.at - b.at)
    .map(({ engine, colour, at }) => {
      free = Math.max(free, at);
      const text = `<circle cx="${plot.right + 18}" cy="${free}" r="4.5" fill="${colour}"/><text x="${plot.right + 30}" y="${free + 4}">${engine}</text>`;
      free += 20;
      return text;
    });
}

function x(rules: number): number {
  return round(plot.left + 20 + ((Math.log10(rules) - 2) / 4) * (plot.right - plot.left - 40));
}

function y(nanoseconds: number): number {
  return round(plot.bottom - ((Math.log10(nanoseconds) - 2) / 7) * (plot.bottom - plot.top));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
