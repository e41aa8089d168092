// Every PromQL expression that is shipped: of the alerts, and of the dashboard with its variables filled in.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { metrics } from '../../packages/server/src/base/ops/metrics.ts';
import { repository } from '../rig/start-process.ts';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

export function readAlerts(): Alert[] {
  const text = readFileSync(join(repository, 'deploy/prometheus/alerts.yaml'), 'utf8');
  return (parse(text) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);
}

export function readDashboardExpressions(): string[] {
  const text = readFileSync(join(repository, 'deploy/grafana/portcullis.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$job', 'portcullis')
        .replaceAll('$instance', '.*')
        .replaceAll('$__rate_interval', '5m'),
    ),
  );
}

/** What Prometheus adds itself, and the words of PromQL that the expressions use. */
const known = new Set(
  'up time sum max count by and rate increase histogram_quantile abs instance listener version mode state reason result target name job le'.split(
    ' ',
  ),
);

/** Names in an expression that no metric of the service has. */
export function findUnknownNames(expression: string): string[] {
  const told = new Set(
    Object.entries(metrics).flatMap(([name, { type }]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ');
  return (bare.match(/[A-Za-z_]\w*/g) ?? []).filter((name) => !told.has(name) && !known.has(name));
}
