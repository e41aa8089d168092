// "Where is X?": sixty questions in the terms of OWASP ASVS and the RFCs, written without a look at the code, and the files
// that do the job. `npm run where` must name such a file among its first three.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findSources, readSources } from '../../scripts/find-source.ts';

const leastAnswered = 57;
const questions = readFileSync('test/repository/where-is.tsv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .map(([question = '', files = '']) => ({ question, files: files.split(' ') }));

it('answers at least 57 of 60 questions with its first three files', () => {
  expect(questions).toHaveLength(60);
  const sources = readSources();
  const missed = questions.filter(
    ({ question, files }) => !findSources(sources, question).some((path) => files.includes(path)),
  );
  expect(
    questions.length - missed.length,
    `State the job of these files in their headers: ${JSON.stringify(missed, null, 1)}`,
  ).toBeGreaterThanOrEqual(leastAnswered);
});

it('names files that exist', () => {
  expect(questions.flatMap(({ files }) => files).filter((path) => !existsSync(path))).toEqual([]);
});

it('finds nothing for words that no file has', () => {
  expect(findSources(readSources(), 'xylophone marmalade')).toEqual([]);
});
