// What the careless services of the controls change is where they look for it: most of them run at night alone.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import type { Carelessness } from '../attack/run-carelessly.ts';

const root = join(import.meta.dirname, '../..');
const scripts = globSync('test/attack/**/careless-*.ts', { cwd: root });
const sources = globSync(['packages/*/src/**/*.ts', 'node_modules/{ldapts,oauth4webapi}/**/*.{js,mjs}'], {
  cwd: root,
});

const { changes } = vi.hoisted(() => ({ changes: [] as Carelessness[] }));
vi.mock('../attack/run-carelessly.ts', () => ({
  runCarelessly: async (given: readonly Carelessness[]) => void changes.splice(0, changes.length, ...given),
}));
// One of them takes any certificate.
const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env;
afterAll(() => {
  if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
});

it.each(scripts)('%s changes what is there', async (script) => {
  await import(join(root, script));
  expect(changes.length).toBeGreaterThan(5);
  const texts = new Map<string, string>();
  // Some change what another one has changed.
  const missing = changes.filter(({ file, from, to }) => {
    let isMade = false;
    for (const source of sources.filter((each) => `/${each}`.endsWith(file))) {
      const text = texts.get(source) ?? readFileSync(join(root, source), 'utf8');
      isMade ||= text.includes(from);
      texts.set(
        source,
        text.replaceAll(from, () => to),
      );
    }
    return !isMade;
  });
  expect(missing).toEqual([]);
});
