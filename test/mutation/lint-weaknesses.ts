// Finds entries of `test/weaknesses` that cannot be planted, and says what to do: a change of code updates its weaknesses.
import {
  type Place,
  type Planting,
  placesOf,
  plantedFiles,
  threatsOf,
  type Weakness,
} from '../weaknesses/weakness.ts';

export interface Tree {
  /** Undefined where there is no such file. */
  read(file: string): string | undefined;
}

/** With or without tests that must see them. */
type Listed = Planting & Partial<Pick<Weakness, 'seenBy' | 'threat' | 'attacks'>>;

export function lintWeaknesses(
  weaknesses: readonly Listed[],
  tree: Tree,
  threats: ReadonlySet<string>,
): string[] {
  const names = weaknesses.map(({ name }) => name);
  const plantedBy = new Map<string, string>();
  return weaknesses.flatMap((weakness, index) => {
    const text = plantedText(weakness, tree);
    const same = plantedBy.get(text);
    plantedBy.set(text, same ?? weakness.name);
    const problem =
      names.indexOf(weakness.name) < index
        ? 'Two weaknesses have this name.'
        : (problemOf(weakness, tree, threats) ??
          (same === undefined ? undefined : `"${same}" plants the same. Keep one, with the tests of both.`));
    return problem === undefined ? [] : [`${weakness.name}: ${problem}`];
  });
}

/** The files with the weakness in them. White space is left out, because the same code may be cut out with more or less of it. */
function plantedText(weakness: Listed, tree: Tree): string {
  const texts = [...plantedFiles(weakness, (file) => tree.read(file) ?? '')].sort();
  return texts.map(([file, text]) => `${file} ${text.replaceAll(/\s+/g, '')}`).join('\n');
}

function problemOf(weakness: Listed, tree: Tree, threats: ReadonlySet<string>): string | undefined {
  for (const place of placesOf(weakness)) {
    const problem = problemOfPlace(place, tree);
    if (problem !== undefined) return problem;
  }
  const missing = (weakness.seenBy ?? []).filter((test) => !isThere(test, tree));
  if (missing.length > 0) return `There is no ${missing.join(', ')}. Name the test that sees it now.`;
  const unknown = threatsOf(weakness).filter((threat) => !threats.has(threat));
  if (unknown.length > 0)
    return `There is no ${unknown.join(', ')} in test/attack/threats. Name the row that the weakness breaks.`;
  if (weakness.attacks !== undefined && threatsOf(weakness).length === 0)
    return 'It names attacks, and no threat.';
  return undefined;
}

function problemOfPlace({ file, before, after }: Place, tree: Tree): string | undefined {
  const text = tree.read(file);
  if (text === undefined) return `There is no ${file}. Name the file that has the code now.`;
  const times = text.split(before).length - 1;
  if (times !== 1) return `${JSON.stringify(before)} occurs ${times} times in ${file}, not once.`;
  if (after === before) return 'It changes no text.';
  return undefined;
}

/** A test file; or a suite: a script of package.json. */
function isThere(test: string, tree: Tree): boolean {
  const script = /^npm run ([\w-]+)( -- |$)/.exec(test)?.[1];
  if (script === undefined) return tree.read(test) !== undefined;
  return tree.read('package.json')?.includes(`"${script}":`) === true;
}
