// The pages that come from the code are as the code would write them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configurationPage } from '../../scripts/generate-configuration.ts';
import { conformancePage } from '../../scripts/generate-conformance.ts';
import { securityPage } from '../../scripts/generate-security.ts';

const onDisk = (file: string) => readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');

test('docs/configuration.md is what `npm run docs` writes from the settings schema', () => {
  expect(onDisk('configuration.md')).toBe(configurationPage());
});

test('docs/conformance.md is what `npm run docs` writes, and no sentence lacks a test', () => {
  const { page, problems } = conformancePage();
  expect(problems).toEqual([]);
  expect(onDisk('conformance.md')).toBe(page);
});

test('docs/security.md is what `npm run docs` writes, and no threat lacks what holds it', () => {
  const { page, problems } = securityPage();
  expect(problems).toEqual([]);
  expect(onDisk('security.md')).toBe(page);
});
