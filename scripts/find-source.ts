// Finds the source file that does a job: a search (BM25) over file names, folders and the comment at the top of each
// source file. `npm run where -- brute force` prints the best three. Files of the console count only if the question names it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** How much a word counts by where it occurs: the first sentence of a header states the job, the others explain it. */
const weights = { name: 3, folder: 2, job: 3, header: 1.5 };
const saturation = 1.2;
const lengthShare = 0.2;
const stopWords = new Set(
  `a an and any are as at be before by can does do done each find for from handled has have how in into is it its made of
  on one or our that the their them then this to under used we what when where which who why with without`.split(
    /\s+/,
  ),
);

export function findSources(sources: readonly Source[], question: string, most = 3): string[] {
  const asked = new Set(split(question));
  const searched = sources.filter(({ path }) => asked.has('consol') || !path.startsWith('packages/console/'));
  const documents = searched.map(({ path, text }) => ({ path, words: wordsOf(path, text) }));
  const lengths = documents.map(({ words }) => sum(words.values()));
  const meanLength = sum(lengths) / documents.length;
  const rarity = new Map(
    [...asked].map((word) => {
      const having = documents.filter(({ words }) => words.has(word)).length;
      return [word, Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))];
    }),
  );
  return documents
    .map(({ path, words }, index) => {
      const norm = saturation * (1 - lengthShare + (lengthShare * (lengths[index] ?? 0)) / meanLength);
      const score = sum(
        [...rarity].map(([word, weight]) => {
          const count = words.get(word) ?? 0;
          return (weight * count * (saturation + 1)) / (count + norm);
        }),
      );
      return { path, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path);
}

export function readSources(): Source[] {
  const files = execFileSync('git', ['ls-files', '-z', 'packages/*/src/**.ts', 'packages/*/src/**.vue'], {
    encoding: 'utf8',
  });
  return files
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function wordsOf(path: string, text: string): Map<string, number> {
  const [, folder = '', name = ''] = /^packages\/(.*)\/([^/]+)\.\w+$/.exec(path) ?? [];
  const [job = '', ...reason] = headerOf(text).split(/(?<=[.:])\s/);
  const counts = new Map<string, number>();
  for (const [part, weight] of [
    [name, weights.name],
    [folder.replace('/src', ''), weights.folder],
    [job, weights.job],
    [reason.join(' '), weights.header],
  ] as const)
    for (const word of split(part)) counts.set(word, (counts.get(word) ?? 0) + weight);
  return counts;
}

/** The comment that the file begins with. */
function headerOf(text: string): string {
  const code = text.replace(/^<script[^>]*>\s*/, '');
  return (/^(?:\/\/.*\n)+/.exec(code)?.[0] ?? /^\/\*[\s\S]*?\*\//.exec(code)?.[0] ?? '').replace(
    /^\/\/ ?/gm,
    '',
  );
}

/** Words without their endings, and two neighbours as one word: `back-channel` and `backchannel` are the same. */
function split(text: string): string[] {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.slice(1).map((word, index) => `${words[index]}${word}`);
  return [...words.filter((word) => !stopWords.has(word)), ...joined].map(stem);
}

/** Words that a question uses for one another. */
const sameAs: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['check', 'verify', 'validate'],
    ['create', 'generate', 'make', 'issue', 'draw'],
    ['refuse', 'reject', 'deny', 'prevent'],
    ['picture', 'image'],
    ['limit', 'throttle'],
    ['delete', 'erase', 'remove'],
  ].flatMap(([first = '', ...others]) => others.map((other) => [ending(other), ending(first)])),
);

function stem(word: string): string {
  const plain = ending(word);
  return sameAs[plain] ?? plain;
}

function ending(word: string): string {
  return word
    .replace(/(?<=.{3})(ies)$/, 'y')
    .replace(/(?<=.{4})(ations?|ates?|ated|ating)$/, 'at')
    .replace(/(?<=.{3})(ings?|ions?|ers?|ed|es|s|e)$/, '')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1');
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

if (import.meta.main) {
  const question = process.argv.slice(2).join(' ');
  if (question === '') {
    process.stderr.write('Name what the file does: npm run where -- brute force\n');
    process.exitCode = 2;
  } else for (const path of findSources(readSources(), question)) process.stdout.write(`${path}\n`);
}
