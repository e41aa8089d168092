// The real service in this process with the real SDK: which spans a login and a write make, and what they do not say.
import { randomBytes } from 'node:crypto';
import { context, propagation, SpanStatusCode, type TextMapPropagator, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { traced } from '../../../src/base/ops/trace.ts';
import { type DevService, startDevService } from './dev-service.ts';

const exporter = new InMemorySpanExporter();
let service: DevService;
let atStart: string[];

/** As far as the test needs what an SDK registers for `traceparent`. */
const traceContext: TextMapPropagator = {
  inject: () => {},
  fields: () => ['traceparent'],
  extract(parent, carrier, getter) {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-');
    if (traceId === undefined || spanId === undefined) return parent;
    return trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
};

beforeAll(async () => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(traceContext);
  service = await startDevService();
  atStart = exporter.getFinishedSpans().map(({ name }) => name);
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  await service.stop();
  trace.disable();
  context.disable();
  propagation.disable();
});

function spanOf(name: string): ReadableSpan {
  const span = exporter.getFinishedSpans().find((finished) => finished.name === name);
  if (span === undefined) throw new Error(`There is no span ${name}.`);
  return span;
}
const parentOf = (name: string) => spanOf(name).parentSpanContext?.spanId;
const idOf = (name: string) => spanOf(name).spanContext().spanId;

it('says of a refused login why, and neither whose it was nor the password', async () => {
  await service.logIn('not the password');
  const login = spanOf('POST /api/v1/login');
  expect(login.attributes['error.type']).toBe('credentials_wrong');
  expect(login.status.code).toBe(SpanStatusCode.UNSET);
  expect(spanOf('login record').attributes).toMatchObject({
    'portcullis.login.outcome': 'failure',
    'portcullis.login.reason': 'credentials_wrong',
  });
  const told = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]),
  );
  for (const secret of ['not the password', service.username, '127.0.0.1'])
    expect(told).not.toContain(secret);
});

it('has a span for every step of a login, below the span that the caller names', async () => {
  const traceId = randomBytes(16).toString('hex');
  await service.logIn(undefined, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  expect(parentOf('POST /api/v1/login')).toBe('00f067aa0ba902b7');
  expect(spanOf('POST /api/v1/login').spanContext().traceId).toBe(traceId);
  for (const step of ['login throttle', 'login record'])
    expect(parentOf(step)).toBe(idOf('POST /api/v1/login'));
  for (const step of ['login verify', 'login token']) expect(parentOf(step)).toBe(idOf('login throttle'));
});

it('has a span for a change that takes something away, and for its wait', async () => {
  const token = await service.logIn();
  exporter.reset();
  await service.send('/api/v1/logout', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  expect(spanOf('POST /api/v1/logout').attributes['user.id']).toBe('1');
  expect(parentOf('take access away')).toBe(idOf('POST /api/v1/logout'));
  expect(parentOf('change access')).toBe(idOf('take access away'));
  expect(parentOf('wait for every member')).toBe(idOf('take access away'));
  expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain(
    token,
  );
});

it('has a span for the load of access at the start, and for what the login log stores', async () => {
  expect(atStart).toContain('load access');
  await service.logIn();
  await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toContain('login log drain');
});

it('has no span for a request that only reads', async () => {
  const token = await service.logIn();
  exporter.reset();
  await service.send('/api/v1/user/profile', { headers: { authorization: `Bearer ${token}` } });
  // What the logins of this file left for the login log to store is stored whenever it is.
  expect(exporter.getFinishedSpans().filter(({ name }) => name !== 'login log drain')).toEqual([]);
});

it('contains only the kind of an error', async () => {
  const fail = traced('failing', () => Promise.reject(new Error('Key (username)=(ada) already exists.')));
  await expect(fail()).rejects.toThrow('ada');
  const { attributes, events, status } = spanOf('failing');
  expect([attributes, events, status]).toEqual([
    { 'error.type': 'internal' },
    [],
    { code: SpanStatusCode.ERROR },
  ]);
});
