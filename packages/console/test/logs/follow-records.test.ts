import { ClientError, type LoginLogEvent, type LoginLogItem } from '@portcullis/client';
import { describe, expect, it } from 'vitest';
import { type FollowState, followRecords, settleSeconds } from '../../src/logs/follow-records.ts';

const record = (id: string): LoginLogItem => ({
  id,
  at: '2026-11-15T10:00:00.000Z',
  username: 'ada',
  userId: 1,
  roleKey: 'admin',
  outcome: 'success',
  reason: 'ok',
  ip: null,
  userAgent: null,
  browser: null,
  os: null,
  platform: null,
  location: null,
  requestId: 'r',
  jti: null,
  method: null,
  credentialId: null,
  provider: null,
  instance: 'i',
});
const told = (id: string): LoginLogEvent => ({ name: 'message', id, data: record(id) });
const gap: LoginLogEvent = { name: 'gap', id: '', data: {} };

/** A wait that is given up resolves. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

/** A line: its events, how long it stands, and how it ends. */
interface Line {
  readonly events?: readonly LoginLogEvent[];
  readonly stands?: number;
  readonly error?: unknown;
}

/** Follows over the lines, one after the other, and stops when there is none left. */
async function follow(lines: readonly Line[]) {
  const stopper = new AbortController();
  const rest = [...lines];
  const states: FollowState[] = [];
  const seen: string[] = [];
  let time = 0;
  let isStanding = false;
  await followRecords({
    async *open() {
      const line = rest.shift();
      if (line === undefined) {
        stopper.abort();
        return;
      }
      isStanding = line.stands !== undefined;
      yield* line.events ?? [];
      time += line.stands ?? 0;
      await new Promise(setImmediate);
      if (line.error !== undefined) throw line.error;
    },
    signal: stopper.signal,
    onRecord: ({ id }) => seen.push(id),
    onGap: () => seen.push('gap'),
    onStanding: () => seen.push('standing'),
    onState: (state) => states.push(state),
    async sleep(seconds, signal) {
      await new Promise(setImmediate);
      if (seconds === settleSeconds && !isStanding) await untilAborted(signal);
    },
    now: () => time,
  });
  const waits = states.flatMap((state) => (state.name === 'waiting' ? [state.seconds] : []));
  return { states, seen, waits };
}

const lost = { error: new ClientError('network') };

describe('following the login log', () => {
  it.each(['signed_out', 'not_allowed', 'password_change_required', 'invalid'] as const)(
    'ends with %s',
    async (kind) => {
      const error = new ClientError(kind);
      const { states } = await follow([{ error }, { events: [told('never')] }]);
      expect(states).toEqual([{ name: 'following' }, { name: 'refused', error }]);
    },
  );

  it('ends with what it does not know', async () => {
    const { states } = await follow([{ error: new Error('?') }]);
    expect(states.at(-1)?.name).toBe('refused');
  });

  it('reports records and gaps in their order', async () => {
    const { seen } = await follow([{ events: [told('a'), gap, told('b')] }]);
    expect(seen.slice(0, 3)).toEqual(['a', 'gap', 'b']);
  });

  it('reconnects after a lost connection', async () => {
    const { seen } = await follow([{ events: [told('a')], ...lost }, { events: [told('b')] }]);
    expect(seen).toEqual(['a', 'b']);
  });

  it('reports each open connection once, and no failed one', async () => {
    const { seen, states } = await follow([
      { events: [told('a')], stands: 5000, ...lost },
      lost,
      { events: [told('b')], stands: 5000 },
    ]);
    expect(seen).toEqual(['a', 'standing', 'b', 'standing']);
    expect(states.map(({ name }) => name)).toEqual([
      'following',
      'following',
      'waiting',
      'waiting',
      'following',
      'waiting',
    ]);
  });

  it('treats a connection that closes without an error as lost', async () => {
    const { waits } = await follow([{ events: [told('a')] }]);
    expect(waits).toEqual([1]);
  });

  it('waits longer with every failure, up to half a minute', async () => {
    const { waits } = await follow(Array.from({ length: 8 }, () => lost));
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  it('starts the backoff again after a connection that was open', async () => {
    const { waits } = await follow([lost, lost, { stands: 20_000, ...lost }, lost]);
    expect(waits).toEqual([1, 2, 1, 2]);
  });

  it('waits as long as the service asks for', async () => {
    const { waits } = await follow([{ error: new ClientError('rate_limited', { retryAfterSeconds: 10 }) }]);
    expect(waits).toEqual([10]);
  });

  it('says nothing more once it is stopped', async () => {
    const stopper = new AbortController();
    const states: string[] = [];
    await followRecords({
      async *open() {
        yield told('a');
        stopper.abort();
        throw new ClientError('aborted');
      },
      signal: stopper.signal,
      onRecord: () => {},
      onGap: () => {},
      onStanding: () => {},
      onState: ({ name }) => states.push(name),
      sleep: (_seconds, signal) => untilAborted(signal),
      now: () => 0,
    });
    expect(states).toEqual(['following']);
  });
});
