// Reads the titles of tests from their sources, and runs nothing.
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);

/** One test as its source names it: a test of several cases is one. */
export interface SourceTest {
  readonly file: string;
  /** The title of the `describe` around it; empty where there is none. */
  readonly group: string;
  readonly title: string;
}

/** Of all files in the folder, which is given from the repository's root and ends with a slash. */
export function readTests(folder: string): SourceTest[] {
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  return files
    .sort()
    .flatMap((file) =>
      findTests(readFileSync(new URL(folder + file, root), 'utf8')).map((test) => ({ file, ...test })),
    );
}

/** The tests of one source. */
export function findTests(source: string): Omit<SourceTest, 'file'>[] {
  const groups = findCalls(source, 'describe');
  return findCalls(source, 'it').map(({ index, title }) => ({
    group: groups.findLast((group) => group.index < index)?.title ?? '',
    title,
  }));
}

/** With ‹names› for what varies from case to case. */
export function showTitle(title: string): string {
  return title.replace(/"?%\w"?/g, '‹…›').replace(/\$\{(.+?)\}|\$(\w+)/g, '‹$1$2›');
}

interface TitledCall {
  readonly index: number;
  readonly title: string;
}

/** What is called with cases or a condition first, and with the title after that; or with a condition, and with cases then. */
const calledAgain = /\.(?:each|for|skipIf|runIf)$/;

/** Calls of `it` or `describe`. */
function findCalls(source: string, name: 'it' | 'describe'): TitledCall[] {
  return [...source.matchAll(new RegExp(`(?<![\\w.])${name}((?:\\.\\w+)*)\\(`, 'g'))].map((call) => {
    let from = call.index + call[0].length;
    for (let words = call[1] ?? ''; calledAgain.test(words); ) {
      const next = /^((?:\.\w+)*)\(/.exec(source.slice(closingParenthesis(source, from) + 1));
      from = closingParenthesis(source, from) + 1 + (next?.[0].length ?? 0);
      words = next?.[1] ?? '';
    }
    const [, , title = ''] = /^\s*(['"`])((?:(?!\1).)*)\1/.exec(source.slice(from)) ?? [];
    return { index: call.index, title };
  });
}

/** The place of the one that ends what was opened just before; texts are skipped. */
function closingParenthesis(source: string, from: number): number {
  const pieces = /(['"`])(?:\\.|(?!\1)[^\\])*\1|\/\/.*|[()]/g;
  pieces.lastIndex = from;
  let depth = 1;
  for (let piece = pieces.exec(source); piece !== null; piece = pieces.exec(source)) {
    if (piece[0] === '(') depth += 1;
    else if (piece[0] === ')') depth -= 1;
    if (depth === 0) return piece.index;
  }
  return from;
}
