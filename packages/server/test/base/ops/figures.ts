// Figures of nothing at all, for tests of what is made of them.
import { type Figures, type MetricName, metrics } from '../../../src/base/ops/metrics.ts';

export function emptyFigures(): Figures {
  const figures = (Object.keys(metrics) as MetricName[]).map((name) => {
    const { type, ...declared } = metrics[name];
    if (type === 'histogram') return [name, { buckets: [[Number.POSITIVE_INFINITY, 0]], sum: 0 }];
    return [name, 'labels' in declared ? [] : 0];
  });
  return Object.fromEntries(figures) as Figures;
}
