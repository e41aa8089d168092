// The console never turns a text into markup: what people call themselves is shown as it is written.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const makesMarkup =
  /\bv-html\b|\b(?:innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|DOMParser|setHTMLUnsafe|setHTML)\b|\bdocument\.write/i;
const files = globSync('packages/console/src/**/*.{ts,vue,html}');

it('contains no code that turns a text into markup', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => makesMarkup.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it.each([
  '<ins v-html="text" />',
  'element.innerHTML = text',
  "h('p', { innerHTML: text })",
  'document.write(text)',
])('finds %s', (code) => {
  expect(code).toMatch(makesMarkup);
});
