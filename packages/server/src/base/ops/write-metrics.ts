// Serializes metrics in the Prometheus text format (version 0.0.4).
import type { Distribution } from './histogram.ts';
import { type Figures, type MetricName, metrics, type Sample } from './metrics.ts';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function writeMetrics(figures: Figures): string {
  return (Object.keys(metrics) as MetricName[]).map((name) => writeMetric(name, figures[name])).join('');
}

function writeMetric(name: MetricName, figure: number | readonly Sample[] | Distribution): string {
  const { type, help } = metrics[name];
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${writeFigure(name, figure)}`;
}

function writeFigure(name: string, figure: number | readonly Sample[] | Distribution): string {
  if (typeof figure === 'number') return writeSample(name, {}, figure);
  if (!('sum' in figure)) return figure.map(({ labels, value }) => writeSample(name, labels, value)).join('');
  const { buckets, sum } = figure;
  return [
    ...buckets.map(([bound, count]) => writeSample(`${name}_bucket`, { le: numberText(bound) }, count)),
    writeSample(`${name}_sum`, {}, sum),
    writeSample(`${name}_count`, {}, buckets.at(-1)?.[1] ?? 0),
  ].join('');
}

function writeSample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

function numberText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
