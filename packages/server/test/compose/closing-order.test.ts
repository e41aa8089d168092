// What a stop closes, and in which order: the parts of a whole service are the real ones, and each notes when its close begins
// and when it has ended.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mailSettings, startMailbox } from '../../../../test/rig/mailbox.ts';
import * as ops from '../../src/base/ops/listener.ts';
import * as members from '../../src/cluster/member-store.ts';
import * as access from '../../src/compose/access.ts';
import * as anchors from '../../src/compose/anchors.ts';
import type { DecisionService } from '../../src/compose/decision.ts';
import * as decision from '../../src/compose/decision.ts';
import * as jobs from '../../src/compose/jobs.ts';
import * as login from '../../src/compose/login.ts';
import * as loginLog from '../../src/compose/login-log.ts';
import * as app from '../../src/http/create-http-app.ts';
import * as deliverer from '../../src/people/webhooks/delivery-worker.ts';
import * as post from '../../src/people/webhooks/send-event.ts';
import * as guardLines from '../../src/permissions/decision-api/guard/guard-connections.ts';
import * as decisionListener from '../../src/permissions/decision-api/listener.ts';
import * as exclusionUses from '../../src/permissions/exclusions/exclusion-uses.ts';
import { composeWorld } from './compose-world.ts';

/** The first is closed before the second begins to close, or what is said goes wrong. */
const order = [
  ['the background jobs', 'the threads of logins', 'a job that compares hashes would start a thread anew'],
  ['the background jobs', 'the store', 'a job reads and writes'],
  ['the sender of mails', 'the store', 'a mail that was sent and not noted is sent again'],
  ['the API', 'the uses of exclusions', 'the last requests are counted'],
  ['the API', 'the row of the instance', 'changes wait for what still answers'],
  ['the API', 'the login log', 'the last logins are recorded'],
  ['the API', 'the threads of logins', 'the last logins compare hashes'],
  ['the API', 'the store', 'the last answers read and write'],
  ['the lines of guards', 'the decision listener', 'a line stays open until it is ended'],
  [
    'the lines of guards',
    'the row of the instance',
    'guards return the leases that the instance answers for',
  ],
  ['the decision listener', 'the uses of exclusions', 'the last decisions are counted'],
  ['the decision listener', 'the row of the instance', 'changes wait for what still decides'],
  ['the decision listener', 'the store', 'the last decisions read roles and departments'],
  ['the uses of exclusions', 'the store', 'the counts are stored'],
  ['the row of the instance', 'the store of the member', 'the row is deleted over it'],
  ['the deliveries', 'the connections to webhooks', 'a delivery that has begun ends'],
  ['the deliveries', 'the store of events', 'a delivery that is not noted is made again'],
  ['the login log', 'the anchors', 'the last heads leave the host'],
  ['the login log', 'the store', 'the last records are stored'],
  ['the anchors', 'the store', 'the heads are read'],
  ['the store', 'the ops listener', 'it is asked until the last whether the process is alive'],
  ['the store of the member', 'the ops listener', 'it is asked until the last whether the process is alive'],
] as const;

type Part = (typeof order)[number][0 | 1];

const log: string[] = [];
const closing = (part: Part) => `closing ${part}`;
const closed = (part: Part) => `closed ${part}`;
/** Not of a part: of what is made of several. */
const decisionsClosed = 'all of the decisions';
/** What is closed by the stack and is none of the parts. */
const others: string[] = [];
/** Parts that still closed when what began their close had ended. */
const unawaited: string[] = [];

/** What had closed when the stop was over. */
let closedByThen: readonly string[] = [];
/** A stop does not wait for it. */
let opsClosed: Promise<unknown> = Promise.resolve();

type Method = (...given: unknown[]) => unknown;

/** From now on the log has when the part begins to close and when it has closed. */
function note(part: Part, made: object, method = 'close'): void {
  const methods = made as Record<string, Method>;
  const original = methods[method] as Method;
  const end = () => void log.push(closed(part));
  methods[method] = (...given) => {
    log.push(closing(part));
    if (made instanceof Server) made.once('close', end);
    const result = original.apply(made, given);
    if (result instanceof Promise) return result.finally(end);
    if (!(made instanceof Server)) end();
    return result;
  };
}

/** Calls with everything that the function of the module makes, and with what it was given. */
function watch<Name extends string, Module extends Record<Name, (...given: never[]) => unknown>>(
  module: Module,
  name: Name,
  noteParts: (made: Awaited<ReturnType<Module[Name]>>, ...given: Parameters<Module[Name]>) => void,
): void {
  type Made = Awaited<ReturnType<Module[Name]>>;
  const original = module[name];
  vi.spyOn(module as unknown as Record<string, Method>, name).mockImplementation((...given) => {
    const noted = (made: unknown) => {
      noteParts(made as Made, ...(given as Parameters<Module[Name]>));
      return made;
    };
    const made = original(...(given as never[]));
    return made instanceof Promise ? made.then(noted) : noted(made);
  });
}

function watchParts(): void {
  watch(login, 'composeLogin', (made, store) => {
    note('the threads of logins', made);
    note('the store', store, 'destroy');
  });
  watch(members, 'openMemberStore', ({ store }) => note('the store of the member', store, 'destroy'));
  watch(anchors, 'composeAnchors', (made) => note('the anchors', made));
  watch(loginLog, 'composeLoginLog', (made) => note('the login log', made));
  watch(deliverer, 'createDeliveryWorker', (made, { store }) => {
    note('the deliveries', made);
    note('the store of events', store, 'destroy');
  });
  watch(post, 'createSendEvent', (made) => note('the connections to webhooks', made));
  watch(access, 'startAccess', ({ member }) => note('the row of the instance', member, 'leave'));
  watch(exclusionUses, 'createExclusionUses', (made) => note('the uses of exclusions', made, 'flush'));
  watch(app, 'createHttpApp', (made) => note('the API', made));
  watch(guardLines, 'createGuardConnections', (made) => note('the lines of guards', made));
  watch(decisionListener, 'createDecisionListener', (made) => note('the decision listener', made));
  watch(decision, 'composeDecision', (made) => {
    const { close } = made as DecisionService;
    (made as { close: DecisionService['close'] }).close = () =>
      close().finally(() => void log.push(decisionsClosed));
  });
  watch(jobs, 'startBackgroundJobs', (made) => {
    note('the background jobs', made);
    if (made.figures().some(({ name }) => name === 'send mails')) note('the sender of mails', made);
  });
  watch(ops, 'createOpsListener', (made) => {
    note('the ops listener', made);
    opsClosed = once(made, 'close');
  });
}

function watchStack(): void {
  const { defer } = AsyncDisposableStack.prototype;
  vi.spyOn(AsyncDisposableStack.prototype, 'defer').mockImplementation(function (
    this: AsyncDisposableStack,
    close,
  ) {
    defer.call(this, async () => {
      const { length } = log;
      await close();
      const begun = log.slice(length).filter((line) => line.startsWith('closing '));
      if (begun.length === 0) others.push(String(close));
      unawaited.push(...begun.filter((line) => !log.includes(line.replace('closing', 'closed'))));
    });
  });
}

beforeAll(async () => {
  watchParts();
  watchStack();
  const mailbox = await startMailbox();
  const world = await composeWorld({
    ...mailSettings(mailbox),
    DECISION_SECRET: randomBytes(32).toString('hex'),
  });
  await world.portcullis.listen();
  await world.portcullis.close();
  closedByThen = log.filter((line) => line.startsWith('closed '));
  await world.remove();
  await opsClosed;
  await mailbox.stop();
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe('a stop', () => {
  it('closes every part once, and nothing else', () => {
    const parts = [...new Set(order.flatMap((pair) => pair.slice(0, 2) as Part[]))];
    const noted = log.filter((line) => line !== decisionsClosed);
    expect(noted.toSorted()).toEqual([...parts.map(closed), ...parts.map(closing)].toSorted());
    expect(others).toEqual([]);
  });

  it('awaits the end of every closed part', () => {
    expect(unawaited).toEqual([]);
  });

  it('is over when every part has closed, but for the ops listener, which ends with it', () => {
    const parts = new Set(order.flatMap((pair) => pair.slice(0, 2) as Part[]));
    parts.delete('the ops listener');
    expect(new Set(closedByThen.filter((line) => line !== closed('the ops listener')))).toEqual(
      new Set([...parts].map(closed)),
    );
  });

  it('ends the decisions when the decision listener has closed', () => {
    expect(log.slice(0, log.indexOf(decisionsClosed))).toContain(closed('the decision listener'));
  });

  it.each(order)('closes %s before %s: %s', (first, second) => {
    expect(log).toContain(closing(second));
    expect(log.slice(0, log.indexOf(closing(second)))).toContain(closed(first));
  });
});
