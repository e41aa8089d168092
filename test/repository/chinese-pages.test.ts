// A page in Chinese is a whole one: it has the blocks, headings, tables, lists and links of its original. Only the words differ.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { readBlocks, readLinks } from '../docs/read-markdown.ts';

/** For an author who does not write Chinese. */
const advice =
  'Change the page in Chinese too, or remove it with its line in navigation.ts: half a page misleads.';
/** Also those of a list. */
const fences = /^ *```[\s\S]*?^ *```$/gm;
const pages = globSync('docs/zh/*/*.md').map((page) => relative('docs/zh', page));

it('has the tutorial, the console and the migration from go-admin', () => {
  expect(pages).toEqual(
    expect.arrayContaining([
      'tutorial/first-five-minutes.md',
      'tutorial/first-rule.md',
      'tutorial/express.md',
      'tutorial/production.md',
      'how-to/console.md',
      'how-to/go-admin.md',
    ]),
  );
});

it.each(pages)('docs/zh/%s has every command of its original as it stands', (page) => {
  const [chinese, original] = readBoth(page);
  expect(readBlocks(chinese).map(withoutLine), advice).toEqual(readBlocks(original).map(withoutLine));
});

it.each(pages)('docs/zh/%s has every heading, row and item of its original', (page) => {
  const [chinese, original] = readBoth(page);
  expect(shapeOf(chinese), advice).toEqual(shapeOf(original));
});

it.each(pages)('docs/zh/%s names its original, and has its links, in Chinese where possible', (page) => {
  const [chinese, original] = readBoth(page);
  const [first, ...links] = targetsOf(join('docs/zh', page), chinese);
  expect(first).toBe(join('docs', page));
  // A sentence may have its links in another order.
  expect(links.sort(), advice).toEqual(targetsOf(join('docs', page), original).map(inChinese).sort());
});

/** What is written in the text as code: calls, settings, names. */
it.each(pages)('docs/zh/%s has the code that its original has in the text', (page) => {
  const [chinese, original] = readBoth(page).map(codeOf);
  expect(chinese, advice).toEqual(original);
});

it('README.zh.md has the commands of README.md, and what they print', () => {
  const [chinese, original] = ['README.zh.md', 'README.md'].map((file) =>
    readBlocks(readFileSync(file, 'utf8')).map(withoutLine).slice(0, 3),
  );
  expect(original?.map(({ language }) => language)).toEqual(['sh', 'sh', 'text']);
  expect(chinese).toEqual(original);
});

function readBoth(page: string): [chinese: string, original: string] {
  return [readFileSync(join('docs/zh', page), 'utf8'), readFileSync(join('docs', page), 'utf8')];
}

function withoutLine({ language, marks, text }: ReturnType<typeof readBlocks>[number]) {
  return { language, marks, text };
}

function shapeOf(markdown: string): string[] {
  return textOf(markdown)
    .split('\n')
    .flatMap((line) => {
      const cells = line.replaceAll('\\|', '').split('|').length;
      return /^(?:#+|-|\d+\.) /.exec(line)?.[0] ?? (line.startsWith('|') ? `row of ${cells}` : []);
    });
}

function codeOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(fences)].map(([block]) => block);
  const inLines = [...textOf(markdown).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inLines.sort()];
}

function textOf(markdown: string): string {
  return markdown.replaceAll(fences, '');
}

/** Without the heading, which has another name in another language. */
function targetsOf(page: string, markdown: string): string[] {
  return readLinks(markdown).map(({ target }) => {
    if (/^[a-z]+:/.test(target)) return target;
    const [path = ''] = target.split('#');
    return path === '' ? page : join(page, '..', path);
  });
}

function inChinese(target: string): string {
  const chinese = target.replace(/^docs\//, 'docs/zh/');
  return existsSync(chinese) && !target.startsWith('docs/zh/') ? chinese : target;
}
