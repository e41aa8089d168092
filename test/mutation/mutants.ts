// Makes mutants of a source: each with one operator, constant, condition or statement changed. It works on
// formatted lines, where operators stand between blanks and types do not use them.

export interface Mutant {
  readonly file: string;
  /** The file and what became of the line. It does not hold the number of the line, which changes too easily. */
  readonly name: string;
  readonly source: string;
}

const replacements: readonly (readonly [pattern: RegExp, ...by: string[]])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= ', ' >= '],
  [/ > /g, ' >= ', ' <= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ & /g, ' | '],
  [/ \| (?!undefined)/g, ' & '],
  [/ >>> /g, ' << '],
  [/ << /g, ' >> '],
  [/\+\+/g, '--'],
  [/ \+= /g, ' -= '],
  [/ \|= /g, ' &= ', ' = '],
  [/ \|\|= /g, ' &&= ', ' = '],
  [/ \?\?= /g, ' = '],
  [/ \?\? /g, ' && '],
  [/ \? (?=.* : )/g, ' && false ? ', ' || true ? '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/'allow'/g, "'deny'"],
  [/'deny'/g, "'allow'"],
  [/(?<![\w.'"\\])!(?=[\w(`])/g, ''],
  [/~(?=\w)/g, ''],
  [/(?<=[ (,[-])0x[0-9a-f]+\b/g, '1'],
];

export function mutantsOf(file: string, source: string): Mutant[] {
  const lines = source.split('\n');
  const mutants: Mutant[] = [];
  for (const [index, line] of codeLines(lines)) {
    for (const changed of new Set(changesOf(line))) {
      const name = `${file}: ${line.trim()} => ${changed.trim() || '(removed)'}`;
      mutants.push({ file, name, source: lines.with(index, changed).join('\n') });
    }
  }
  return mutants;
}

function changesOf(line: string): string[] {
  return [...operatorChanges(line), ...constantChanges(line), ...conditionChanges(line), ...removal(line)];
}

function operatorChanges(line: string): string[] {
  return replacements.flatMap(([pattern, ...by]) =>
    [...line.matchAll(pattern)].flatMap((match) =>
      by.map((text) => line.slice(0, match.index) + text + line.slice(match.index + match[0].length)),
    ),
  );
}

function constantChanges(line: string): string[] {
  return [...line.matchAll(/(?<![\w.'"{\\-])\d+(?![\w.}])/g)].map((match) => {
    return (
      line.slice(0, match.index) + String(Number(match[0]) + 1) + line.slice(match.index + match[0].length)
    );
  });
}

// `if (...)` and `while (...)` decided beforehand. A loop that never ends is noticed by its time.
function conditionChanges(line: string): string[] {
  const start = /\b(?:if|while) \(/.exec(line);
  if (start === null) return [];
  const from = start.index + start[0].length;
  let depth = 1;
  let to = from;
  for (; depth > 0 && to < line.length; to++) {
    if (line[to] === '(') depth++;
    if (line[to] === ')') depth--;
  }
  const outcomes = start[0].startsWith('if') ? ['true', 'false'] : ['false'];
  return outcomes.map((outcome) => line.slice(0, from) + outcome + line.slice(to - 1));
}

// A single statement taken out. Conditions and declarations are left: the first are changed above, and without
// the second nothing would run.
function removal(line: string): string[] {
  return /^\s+(?!const |let |if |while |readonly |type )\w.*;$/.test(line) ? [''] : [];
}

// The lines that hold code: no imports, comments, types or interfaces.
function* codeLines(lines: readonly string[]): Generator<[number, string]> {
  let inComment = false;
  let inInterface = false;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    inComment ||= text.startsWith('/*');
    inInterface ||= /^(?:export )?interface /.test(text);
    const skipped = text === '' || text.startsWith('//') || /^(?:import|export type|type) /.test(text);
    if (!inComment && !inInterface && !skipped) yield [index, line];
    if (text.endsWith('*/')) inComment = false;
    if (text === '}') inInterface = false;
  }
}
