// The lines of failed logins, through the real fail2ban-regex with the filter of deploy/fail2ban.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Answer } from '../rig/http-client.ts';
import { password } from '../rig/seed.ts';
import { repository } from '../rig/start-process.ts';
import type { Service } from '../rig/start-service.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';

const run = promisify(execFile);
const filter = join(repository, 'deploy/fail2ban/filter.d/portcullis.conf');
const settings = { LOGGER_LOG_FAILED_LOGINS: 'true', APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]' };
/** The address of a victim: no client of this suite has it, and some try to get it banned. */
const victim = '203.0.113.9';

interface Attempt {
  readonly from: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Through the rig's proxy, so that every attempt has a separate address. */
async function attempt(service: Service, { from, body, headers }: Attempt): Promise<Answer> {
  return await service.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { ...(await service.solvedCaptcha()), ...body },
    headers: { 'x-forwarded-for': from, ...headers },
  });
}

const wrong = (username: unknown) => ({ username, password: 'wrong' });
const banned: Attempt[] = [
  { from: '192.0.2.1', body: wrong('carl') },
  { from: '192.0.2.1', body: wrong('carl') },
  { from: '2001:db8::2', body: wrong('nobody') },
  { from: '192.0.2.3', body: { username: 'dora', password } },
  { from: '2001:db8:ffff:ffff:ffff:ffff:ffff:4', body: { username: 'otto', password } },
  { from: '192.0.2.5', body: { username: 'carl', password, code: 'wrong' } },
  { from: '192.0.2.6', body: { username: 'carl', password, code: 'wrong' } },
];
const spared: Attempt[] = [
  { from: '198.51.100.1', body: { username: 'carl', password } },
  { from: '198.51.100.2', body: { username: 'carl' } },
  { from: '198.51.100.3', body: wrong(7) },
];
const forgedLine = `{"level":30,"time":1794736443952,"pid":1,"hostname":"h","ip":"${victim}","reason":"captcha_wrong",`;
const hostileNames = [
  `x","ip":"${victim}`,
  `","ip":"${victim}","reason":"captcha_wrong","x":"`,
  `\n"pid":1,"hostname":"h","ip":"${victim}"`,
  `\r\n${victim}`,
  `\u2028${victim}\u2029\u0085`,
  `\\","ip":"${victim}`,
  `\\u0022,\\u0022ip\\u0022:\\u0022${victim}`,
  `<ADDR> ${victim} from ${victim}`,
  victim,
  '\u0000\u001b[2K',
  '\u202e\ud800',
  '"}',
  '𠮷'.repeat(32),
];
const hostile: Attempt[] = [
  ...hostileNames.map((username, index) => ({ from: `192.0.2.${100 + index}`, body: wrong(username) })),
  { from: '192.0.2.200', body: { ...wrong('carl'), ip: victim, reason: 'ok' } },
  { from: '192.0.2.201', body: wrong('carl'), headers: { 'user-agent': forgedLine } },
  { from: `${victim}, 192.0.2.202`, body: wrong('carl') },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-fail2ban-'));
});
afterAll(() => rm(folder, { recursive: true }));

const failureLines = ({ server }: Service) =>
  server.process.output.split('\n').filter((line) => line.includes('a login failed'));

/** What fail2ban takes for failures, in the order of the lines: the address and the time of each. */
async function matchesOf(
  text: string,
  options: readonly string[] = [],
): Promise<{ ip: string; time: number }[]> {
  const file = join(folder, 'process.log');
  await writeFile(file, text);
  const words = ['--raw', '--out', '<ip> <time>\n', ...options, file, filter];
  const { stdout } = await run('fail2ban-regex', words);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [ip = '', time] = line.split(' ');
      return { ip, time: Math.round(Number(time) * 1000) };
    });
}

describe('with failure lines on', () => {
  const service = useService({ mode: 'prod', settings });

  it('fail2ban matches every failed login once, with its address and time, and nothing else [events-s1]', async () => {
    for (const each of [...spared, ...banned, ...hostile]) await attempt(service(), each);
    const failed = spared.length - 1 + banned.length + hostile.length;
    await eventually(() => failureLines(service()).length).toBe(failed);

    const matches = await matchesOf(service().server.process.output);
    const addresses = [...banned, ...hostile].map(({ from }) => from.split(', ').at(-1));
    expect(matches.map(({ ip }) => ip)).toEqual(addresses);
    const lines = failureLines(service()).map((line) => JSON.parse(line) as { ip: string; time: number });
    expect(matches).toEqual(lines.slice(-matches.length).map(({ ip, time }) => ({ ip, time })));
  });

  it('fail2ban matches the same lines in the journal [events-s1]', async () => {
    // As its `filtersystemd.py` writes an entry: the time is the journal's, and the message follows host and program.
    const text = service().server.process.output;
    const entries = text.split('\n').map((line) => `2026-11-18T12:00:00 host node[12]: ${line}`);
    const ofJournal = ['--datepattern', '^%Y-%m-%dT%H:%M:%S\\s'];
    const matches = await matchesOf(entries.join('\n'), ofJournal);
    expect(matches.length).toBeGreaterThanOrEqual(banned.length);
    expect(matches.map(({ ip }) => ip)).toEqual((await matchesOf(text)).map(({ ip }) => ip));
  });

  it('fail2ban does not match text that clients write into other log lines [events-s1]', async () => {
    const before = (await matchesOf(service().server.process.output)).length;
    const token = await service().tokenOf('carl');
    for (const body of [forgedLine, { message: forgedLine }, `\n${forgedLine}`])
      await service().send({ ...present(token, 'header', { path: '/api/v1/faults' }), method: 'POST', body });
    await service().send({ path: `/api/v1/${encodeURIComponent(forgedLine)}` });
    await attempt(service(), { from: '192.0.2.250', body: wrong('carl') });
    await eventually(() => failureLines(service()).some((line) => line.includes('192.0.2.250'))).toBe(true);

    const matches = await matchesOf(service().server.process.output);
    expect(matches.slice(before).map(({ ip }) => ip)).toEqual(['192.0.2.250']);
  });
});

describe.each([
  { name: 'with failure lines off', change: { LOGGER_LOG_FAILED_LOGINS: 'false' } },
  { name: 'with the login log off', change: { LOGGER_ENABLEDDB: 'false' } },
])('$name', ({ change }) => {
  const service = useService({ mode: 'prod', settings: { ...settings, LOGGER_LEVEL: 'trace', ...change } });

  it('writes no line about an attempt to the process log [events-s2] [events-s3]', async () => {
    for (const each of [...banned, ...spared]) await attempt(service(), each);
    await service().server.stop();
    expect(failureLines(service())).toEqual([]);
    expect(service().server.process.output).not.toMatch(/192\.0\.2\.|credentials_wrong|"carl"/);
    expect(await matchesOf(service().server.process.output)).toEqual([]);
  });
});
