// What Prometheus makes of the running service.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '../../packages/server/src/base/ops/metrics.ts';
import { repository } from '../rig/start-process.ts';
import type { Case } from './case.ts';
import { findUnknownNames, readAlerts, readDashboardExpressions } from './expressions.ts';
import type { OperatedService } from './operated-service.ts';
import type { Prometheus } from './prometheus.ts';

const leaseLost = 'PortcullisLeaseLost';
const patienceMilliseconds = 300_000;

export function monitoringCases(service: OperatedService, prometheus: Prometheus): Case[] {
  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const giveUpAt = performance.now() + patienceMilliseconds;
    while (!(await isSo())) {
      if (performance.now() > giveUpAt) throw new Error(`It took too long until ${what}.`);
      await sleep(50);
    }
  }
  const readValue = async (expression: string) => Number((await prometheus.query(expression))[0]?.value[1]);
  const untilValue = (expression: string, value: number) =>
    until(`${expression} is ${value}`, async () => (await readValue(expression)) === value);
  const isFiring = async () => (await prometheus.listFiring()).includes(leaseLost);

  return [
    {
      title: 'promtool accepts the rules, and their tests pass',
      async run() {
        for (const words of [
          ['check', 'rules', 'alerts.yaml'],
          ['test', 'rules', 'alerts.test.yaml'],
          ['check', 'config', 'prometheus.yaml'],
        ])
          execFileSync('promtool', words, { cwd: join(repository, 'deploy/prometheus'), stdio: 'pipe' });
      },
    },
    {
      title: 'every alert names an existing section that says what to do, and has a test',
      async run() {
        const guide = readFileSync(join(repository, 'docs/how-to/monitor.md'), 'utf8');
        const tests = readFileSync(join(repository, 'deploy/prometheus/alerts.test.yaml'), 'utf8');
        for (const { alert, annotations, labels } of readAlerts()) {
          assert.match(labels.severity, /^(critical|warning|info)$/);
          assert.ok(annotations.summary && annotations.description, alert);
          assert.equal(annotations.runbook_url, `docs/how-to/monitor.md#${alert.toLowerCase()}`);
          assert.ok(guide.includes(`### ${alert}\n`), `docs/how-to/monitor.md has no section ${alert}.`);
          assert.ok(tests.includes(`- name: ${alert}\n`), `${alert} has no test.`);
        }
      },
    },
    {
      title: 'promtool accepts the metrics, and all of them exist',
      async run() {
        const text = await service.readMetrics();
        const said = execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
        assert.equal(said, '');
        const told = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
        assert.deepEqual(
          told,
          Object.entries(metrics).map(([name, { type }]) => [name, type]),
        );
        for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
          assert.match(line, /^[a-z_0-9]+(\{[^{}]*\})? (-?[0-9.e+-]+|\+Inf)$/);
      },
    },
    {
      title: 'logins are counted by outcome and reason',
      async run() {
        await untilValue('portcullis_logins_total{outcome="success",reason="ok"}', 0);
        assert.equal((await service.logIn('carl')).body.code, 200);
        assert.equal((await service.logIn('carl')).body.code, 200);
        await service.logIn('carl', { password: 'wrong' });
        await service.logIn('carl', { code: 'WRONG' });
        await service.logIn('dora');
        await service.logIn('otto');
        await service.send({ method: 'POST', path: '/api/v1/login', body: {} });
        const counted = {
          ok: 2,
          credentials_wrong: 1,
          captcha_wrong: 1,
          user_disabled: 1,
          role_disabled: 1,
          params_invalid: 1,
        };
        for (const [reason, count] of Object.entries(counted))
          await untilValue(`portcullis_logins_total{reason="${reason}"}`, count);
        await untilValue('sum(portcullis_logins_total)', 7);
        // The one without parameters never came to the steps of a login.
        await untilValue('portcullis_login_duration_seconds_count', 6);
      },
    },
    {
      title: 'decisions are counted by result, and a logout by its wait',
      async run() {
        const { token } = (await service.logIn('carl')).body;
        const headers = { authorization: `Bearer ${String(token)}` };
        const orders = { path: '/api/v1/orders', headers };
        assert.equal((await service.send(orders)).body.code, 200);
        assert.equal((await service.send({ ...orders, path: '/api/v1/users' })).body.code, 401);
        assert.equal((await service.send({ path: '/api/v1/orders' })).body.code, 401);
        await service.send({ method: 'POST', path: '/api/v1/logout', headers });
        assert.equal((await service.send(orders)).body.code, 401);
        const results = { allow: 2, permission_denied: 1, token_missing: 1, token_revoked: 1, internal: 0 };
        for (const [result, count] of Object.entries(results))
          await untilValue(`portcullis_decisions_total{listener="public",result="${result}"}`, count);
        await untilValue('portcullis_barrier_wait_seconds_count', 1);
        await untilValue('portcullis_revoked_tokens', 1);
      },
    },
    {
      title: 'every expression of the dashboard and the alerts uses existing metrics, and has a result',
      async run() {
        const ofDashboard = readDashboardExpressions();
        const ofAlerts = readAlerts().map(({ expr }) => expr);
        assert.ok(ofDashboard.length > 30 && ofAlerts.length > 15);
        for (const expression of [...ofDashboard, ...ofAlerts])
          assert.deepEqual(findUnknownNames(expression), [], expression);
        for (const expression of ofAlerts) await prometheus.query(expression);
        // After a scrape that took too long nothing is shown until the next one.
        for (const expression of ofDashboard)
          await until(
            `something is shown for ${expression}`,
            async () => (await prometheus.query(expression)).length > 0,
          );
      },
    },
    {
      title: 'the alert fires when the lease is lost, and ends when it is back',
      async run() {
        await until('no alert fires', async () => !(await isFiring()));
        service.line.cut('both');
        await until('the alert fires', isFiring);
        assert.equal((await service.send({ path: '/api/v1/orders' })).status, 503);
        await untilValue('portcullis_ready', 0);
        await untilValue('portcullis_lease_remaining_seconds', 0);
        service.line.heal();
        await until('the alert ends', async () => !(await isFiring()));
        const isAnswered = async () => (await service.send({ path: '/api/v1/orders' })).status === 200;
        await until('requests are answered', isAnswered);
        await untilValue('portcullis_ready', 1);
      },
    },
  ];
}
