// Writes the result of one benchmark into its section of docs/reference/benchmarks.md, and its charts into
// the folder beside the page.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { BenchResult } from './bench.ts';

const docs = new URL('../docs/reference/', import.meta.url);
const page = new URL('benchmarks.md', docs);

const opening = `# Benchmarks

Each section is written by the command that stands in it, on a machine that is named there, and is not edited by hand.
Numbers of different machines are not comparable; the ratios are.
`;

export function writeSection(name: string, { tables, bars, charts }: BenchResult): void {
  mkdirSync(new URL('benchmarks/', docs), { recursive: true });
  for (const [file, svg] of Object.entries(charts)) writeFileSync(new URL(`benchmarks/${file}`, docs), svg);
  const rows = bars.map(({ what, value, limit, unit, better }) => {
    return `| ${what} | ${format(value)} ${unit} | ${better === 'lower' ? 'at most' : 'at least'} ${format(limit)} ${unit} |`;
  });
  const section = [
    `<!-- bench:${name} -->`,
    tables,
    '| Promise | Measured | Bar |',
    '|---|---|---|',
    ...rows,
    '',
    `Measured with \`npm run bench -- ${name} --write\` on ${machine()}.`,
    `<!-- /bench:${name} -->`,
  ].join('\n');
  const text = existsSync(page) ? readFileSync(page, 'utf8') : opening;
  const start = text.indexOf(`<!-- bench:${name} -->`);
  const mark = `<!-- /bench:${name} -->`;
  const end = text.indexOf(mark);
  writeFileSync(
    page,
    start === -1 ? `${text}\n${section}\n` : text.slice(0, start) + section + text.slice(end + mark.length),
  );
}

function machine(): string {
  return `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.version}`;
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
