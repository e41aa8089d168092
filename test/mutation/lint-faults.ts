// What is wrong with the list of faults, each with what to do: code that has moved must take its faults along.
import type { Fault, Planting } from './fault.ts';

export interface Tree {
  /** Undefined where there is no such file. */
  read(file: string): string | undefined;
}

/** With or without tests that must see them. */
type Listed = Planting & Partial<Pick<Fault, 'seenBy'>>;

export function lintFaults(faults: readonly Listed[], tree: Tree): string[] {
  const names = faults.map(({ name }) => name);
  return faults.flatMap((fault, index) => {
    const problem = names.indexOf(fault.name) < index ? 'Two faults have this name.' : problemOf(fault, tree);
    return problem === undefined ? [] : [`${fault.name}: ${problem}`];
  });
}

function problemOf(fault: Listed, tree: Tree): string | undefined {
  const text = tree.read(fault.file);
  if (text === undefined) return `There is no ${fault.file}. Name the file that has the code now.`;
  const times = text.split(fault.before).length - 1;
  if (times !== 1) return `${JSON.stringify(fault.before)} occurs ${times} times in ${fault.file}, not once.`;
  if (fault.after === fault.before) return 'It changes no text.';
  const missing = (fault.seenBy ?? []).filter((file) => tree.read(file) === undefined);
  if (missing.length > 0) return `There is no ${missing.join(', ')}. Name the test that sees it now.`;
  return undefined;
}
