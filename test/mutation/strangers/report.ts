// What the tests see of strangers' faults: of each module and rule, and every fault that no test saw.
import { rules } from './fault.ts';
import { modules } from './modules.ts';
import type { Result } from './results.ts';

export function rateOf(results: readonly Result[]): number {
  const { caught, missed } = countOf(results);
  return caught + missed === 0 ? 0 : caught / (caught + missed);
}

export function percent(rate: number): string {
  return `${(100 * rate).toFixed(1)} %`;
}

export function countOf(results: readonly Result[]) {
  const of = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length;
  // What is not decided was not seen.
  const [survived, undecided] = [of('survived'), of('undecided')];
  return {
    caught: of('caught'),
    survived,
    undecided,
    missed: survived + undecided,
    notLoaded: of('not loaded'),
  };
}

export function printReport(results: readonly Result[], equivalent: number): void {
  console.log('');
  printTable(
    modules.map(({ name }) => name),
    results,
    ({ module }) => module,
  );
  printTable(rules, results, ({ rule }) => rule);
  for (const { verdict, file, line, rule, before, after, detail } of results.filter(isMissed)) {
    console.log(
      `${verdict.toUpperCase()} ${file}:${line} [${rule}]${detail && ` (${detail})`}\n  ${before}\n  => ${after}`,
    );
  }
  for (const { file, line, detail } of results.filter(({ verdict }) => verdict === 'not loaded'))
    console.log(`not loaded ${file}:${line}: ${detail}`);
  const { caught, survived, undecided, notLoaded } = countOf(results);
  console.log(
    `${caught} caught, ${survived} survived, ${undecided} undecided: ${percent(rateOf(results))}; not counted: ${notLoaded} not loaded, ${equivalent} equivalent`,
  );
}

function isMissed({ verdict }: Result): boolean {
  return verdict === 'survived' || verdict === 'undecided';
}

function printTable(
  names: readonly string[],
  results: readonly Result[],
  nameOf: (result: Result) => string,
): void {
  for (const name of names) {
    const own = results.filter((result) => nameOf(result) === name);
    const { caught, missed } = countOf(own);
    if (own.length > 0)
      console.log(`${name.padEnd(18)} ${caught} of ${caught + missed} caught (${percent(rateOf(own))})`);
  }
  console.log('');
}
