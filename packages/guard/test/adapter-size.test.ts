// An adapter is short enough to be read by the engineer who puts it in front of a service.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each(['express', 'fastify', 'koa', 'hono', 'fetch'])(
  'the adapter for %s has at most forty lines',
  (name) => {
    const text = readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  },
);
