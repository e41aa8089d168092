import { expect, it } from 'vitest';
import { createHistogram } from '../../../src/base/ops/histogram.ts';
import { type MetricName, metrics } from '../../../src/base/ops/metrics.ts';
import { writeMetrics } from '../../../src/base/ops/write-metrics.ts';
import { emptyFigures } from './figures.ts';

const linesOf = (name: MetricName, figure: unknown) =>
  writeMetrics({ ...emptyFigures(), [name]: figure })
    .split('\n')
    .filter((line) => line.startsWith(name));

it('lets no label value end its quotes or its line', () => {
  const labels = { version: '1\\"\n', mode: '"} 1\nup 0' };
  expect(linesOf('portcullis_build_info', [{ labels, value: 1 }])).toEqual([
    'portcullis_build_info{version="1\\\\\\"\\n",mode="\\"} 1\\nup 0"} 1',
  ]);
});

it('writes a histogram with growing buckets, their sum and count', () => {
  const histogram = createHistogram([0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 30]) histogram.observe(seconds);
  expect(linesOf('portcullis_barrier_wait_seconds', histogram.read())).toEqual([
    'portcullis_barrier_wait_seconds_bucket{le="0.1"} 2',
    'portcullis_barrier_wait_seconds_bucket{le="1"} 3',
    'portcullis_barrier_wait_seconds_bucket{le="+Inf"} 4',
    'portcullis_barrier_wait_seconds_sum 30.65',
    'portcullis_barrier_wait_seconds_count 4',
  ]);
});

it('describes every metric in a sentence', () => {
  const lines = writeMetrics(emptyFigures()).split('\n');
  for (const [name, { type, help }] of Object.entries(metrics)) {
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(lines[lines.indexOf(`# HELP ${name} ${help}`) + 1]).toBe(`# TYPE ${name} ${type}`);
  }
});

it('ends the names of counters, and of no other metric, in _total', () => {
  for (const [name, { type }] of Object.entries(metrics))
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
});
