// The real Prometheus, with the product's alerts, for as long as a test needs it. It looks so often that seconds are enough.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository, startProgram } from '../rig/start-process.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';

export interface Prometheus {
  /** The samples that an expression has now. */
  query(expression: string): Promise<readonly PrometheusSample[]>;
  /** Names of the alerts that fire now. */
  listFiring(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface PrometheusSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, text: string];
}

/** A scrape may take as long: on a machine that stands still for a moment it still has an answer. */
const intervalText = '2s';

export async function startPrometheus(opsPort: number): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-operate-'));
  const alerts = await readFile(join(repository, 'deploy/prometheus/alerts.yaml'), 'utf8');
  await writeFile(join(folder, 'alerts.yaml'), alerts.replaceAll(/^( +for: ).*$/gm, '$11s'));
  const config = join(folder, 'prometheus.yaml');
  await writeFile(
    config,
    `global: { scrape_interval: ${intervalText}, scrape_timeout: ${intervalText}, evaluation_interval: ${intervalText} }
rule_files: [alerts.yaml]
scrape_configs: [{ job_name: portcullis, static_configs: [{ targets: ['127.0.0.1:${opsPort}'] }] }]
`,
  );
  const port = await findFreePort();
  const program = startProgram('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await program.waitForLine(/Server is ready to receive web requests/);

  async function ask<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as {
      readonly data?: T;
      readonly error?: string;
    };
    if (answer.data === undefined) throw new Error(answer.error);
    return answer.data;
  }

  return {
    async query(expression) {
      const data = await ask<{ result: PrometheusSample[] }>(`query?query=${encodeURIComponent(expression)}`);
      return data.result;
    },
    async listFiring() {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    async stop() {
      program.signal('SIGTERM');
      await program.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
