// The checks of the documents see what they are for.
import { expect, it } from 'vitest';
import { slugOf } from '../../docs/.vitepress/slug.ts';
import { checkLinks } from '../docs/check-links.ts';
import { matchOutput } from '../docs/match-output.ts';
import { readBlocks } from '../docs/read-markdown.ts';

const files: Readonly<Record<string, string>> = {
  'README.md': '[a](docs/a.md) [b](docs/a.md#two-words) [c](https://example.com) `[no](link.md)`',
  'docs/a.md': '# A\n\n## Two words\n\n```sh\n[no](link.md)\n```\n',
};

function brokenIn(text: string): readonly string[] {
  const all: Readonly<Record<string, string>> = { ...files, 'docs/b.md': text };
  return checkLinks(Object.keys(all), (file) => all[file] ?? '').broken;
}

it.each([
  ['a file that is not there', '[x](missing.md)'],
  ['a file of other case', '[x](A.md)'],
  ['a file outside the repository', '[x](../../etc/passwd.md)'],
  ['a heading that is not there', '[x](a.md#three-words)'],
  ['a missing heading of the same page', '[x](#nowhere)'],
  ['a picture that is not there', '![x](missing.png)'],
  ['a page of the site that is not there', 'link: /missing'],
  ['a picture in a link', '[![x](missing.png)](a.md)'],
])('a link to %s is broken', (_, text) => {
  expect(brokenIn(text)).toHaveLength(1);
});

it.each(['[x](a.md)', '[x](../README.md)', '[x](a.md#two-words)', '[x](/a)', '`[x](no.md)`'])(
  'the link %s is good',
  (text) => {
    expect(brokenIn(text)).toEqual([]);
  },
);

it('counts an external link and does not request it', () => {
  const { elsewhere, checked } = checkLinks(Object.keys(files), (file) => files[file] ?? '');
  expect([...elsewhere]).toEqual(['https://example.com']);
  expect(checked).toBe(3);
});

it.each([
  ['another line', 'one', 'two'],
  ['a part of a line', 'one', 'one more'],
  ['lines in another order', 'one\ntwo', 'two\none'],
  ['a line in between', 'one\ntwo', 'one\nnew\ntwo'],
])('what a page shows differs from %s', (_, shown, printed) => {
  expect(matchOutput(shown, printed)).toBe(false);
});

it.each([
  ['the same line among others', 'one', 'zero\n  one\ntwo'],
  ['anything in a line', '{"token":"..."}', '{"token":"eyJ"}'],
  ['any lines', 'one\n...\nfour', 'one\ntwo\nthree\nfour'],
  ['any lines, also none', 'one\n...\ntwo\n...', 'one\ntwo'],
  ['lines between which npm speaks', 'one\ntwo', 'one\nnpm warn config\ntwo'],
  ['whatever is printed where nothing is shown', '', 'one'],
])('what a page shows is %s', (_, shown, printed) => {
  expect(matchOutput(shown, printed)).toBe(true);
});

it('a block has its language, its marks and its line', () => {
  expect(readBlocks('text\n\n```sh running\nnpm start\n```\n')).toEqual([
    { line: 3, language: 'sh', marks: ['running'], text: 'npm start' },
  ]);
});

it('makes the same anchors as GitHub', () => {
  expect(slugOf('GET /api/v1/users/:id')).toBe('get-apiv1usersid');
  expect(slugOf('What it is, and what it is not')).toBe('what-it-is-and-what-it-is-not');
  expect(slugOf('token_missing')).toBe('token_missing');
});
