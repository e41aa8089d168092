// All faults of a file: of TypeScript, of the script of a Vue component, of SQL.
import { applyFault, type Fault, faultOf } from './fault.ts';
import { parse, scriptChanges } from './script-changes.ts';
import { sqlChanges } from './sql-changes.ts';

export function deriveFaults(file: string, text: string): Fault[] {
  const changes = file.endsWith('.sql')
    ? sqlChanges(text, 0, text.length)
    : scriptChanges({ text: scriptOf(file, text), isComposition: /(^|\/)compose(\/|-)/.test(file) });
  return changes.map((change) => faultOf(file, text, change));
}

/** False where nothing of the file would run. */
export function canLoad(fault: Fault, text: string): boolean {
  if (fault.file.endsWith('.sql')) return true;
  try {
    parse(scriptOf(fault.file, applyFault(text, fault)));
    return true;
  } catch {
    return false;
  }
}

/** Blanks instead of what stands around the script of a component, so that places stay. */
function scriptOf(file: string, text: string): string {
  if (!file.endsWith('.vue')) return text;
  const opening = /^<script [^>]*>$/m.exec(text);
  if (opening === null) return '';
  const start = opening.index + opening[0].length;
  return (
    text.slice(0, start).replaceAll(/[^\n]/g, ' ') + text.slice(start, text.indexOf('\n</script>', start))
  );
}
