// Conditions of SQL text, each replaced with the constant that takes its effect away: `true` between `and`, `false` between
// `or`. A text rule, no parser: it knows parentheses, strings, comments, `case ... end`, `between ... and`, and the words
// that end a condition. What it does not recognise stays as it is.
import type { Change } from './fault.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Token extends Span {
  /** In lower case; the empty text of what is no word. */
  readonly word: string;
  readonly text: string;
}

/** A group in parentheses, or of a `case`, is one token of the group around it. */
interface Condition extends Span {
  readonly lead: string;
  readonly trail: string;
}

const separators = new Set(
  `; , where and or having when then else on using if elsif loop while return returning select from join left right full
   inner cross natural group order limit offset fetch window union intersect except for set values into begin end declare
   perform raise execute do as check exclude with insert update delete create alter drop grant revoke exception`.split(
    /\s+/,
  ),
);
const tokenPattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$\w*\$|:=|::|[A-Za-z_][\w]*|[\d.]+|\s+|[\s\S]/g;

/** `opaque`: parts that are no SQL, such as `${...}` of a template. */
export function sqlChanges(text: string, from: number, to: number, opaque: readonly Span[] = []): Change[] {
  const conditions: Condition[] = [];
  collect(readTokens(text, from, to, opaque), 0, undefined, conditions);
  return conditions.flatMap((condition) => {
    const replacement = isOf('and', condition) || !isOf('or', condition) ? 'true' : 'false';
    const { start, end, lead } = condition;
    if (/^(true|false)$/i.test(text.slice(start, end))) return [];
    const shownStart = lead === '' ? start : text.toLowerCase().lastIndexOf(lead, start - 1);
    return [{ rule: 'where', start, end, replacement, shown: { start: shownStart, end } }];
  });
}

function isOf(word: string, { lead, trail }: Condition): boolean {
  return lead === word || trail === word;
}

function readTokens(text: string, from: number, to: number, opaque: readonly Span[]): Token[] {
  const tokens: Token[] = [];
  let at = from;
  while (at < to) {
    const hidden = opaque.find(({ start, end }) => start <= at && at < end);
    if (hidden !== undefined) {
      tokens.push({ start: at, end: hidden.end, word: '', text: '?' });
      at = hidden.end;
      continue;
    }
    const limit = opaque.find(({ start }) => start > at)?.start ?? to;
    tokenPattern.lastIndex = at;
    const [found = ''] = tokenPattern.exec(text) ?? [];
    const end = Math.min(at + found.length, limit, to);
    const piece = text.slice(at, end);
    // A body in dollars is SQL as well; its mark ends a condition.
    if (/^\$\w*\$$/.test(piece)) tokens.push({ start: at, end, word: ';', text: ';' });
    else if (!/^(\s|--|\/\*)/.test(piece)) {
      const word = /^[A-Za-z_;,]/.test(piece) ? piece.toLowerCase() : '';
      tokens.push({ start: at, end, word, text: piece });
    }
    at = end;
  }
  return tokens;
}

/** Reads one group from `at` to what closes it, and returns the place behind it. */
function collect(
  tokens: readonly Token[],
  at: number,
  closedBy: string | undefined,
  found: Condition[],
): number {
  let pieces: Token[] = [];
  let lead = '';
  let isBetween = false;
  let isSkipped = false;
  let isStart = true;
  const finish = (trail: string) => {
    const [first, last] = [pieces[0], pieces.at(-1)];
    const isCondition =
      lead === 'where' || lead === 'having' || [lead, trail].some((word) => /^(and|or)$/.test(word));
    if (first !== undefined && last !== undefined && isCondition && !isSkipped)
      found.push({ start: first.start, end: last.end, lead, trail });
    pieces = [];
  };
  while (at < tokens.length) {
    const token = tokens[at] as Token;
    const { word } = token;
    if (token.text === closedBy || word === closedBy) {
      finish('');
      return at + 1;
    }
    // Of an index that is not unique, the condition changes no answer.
    if (isStart && word === 'create' && tokens[at + 1]?.word === 'index') isSkipped = true;
    isStart = false;
    if (token.text === '(' || word === 'case') {
      const next = collect(tokens, at + 1, word === 'case' ? 'end' : ')', found);
      pieces.push({ ...token, word: '', end: tokens[next - 1]?.end ?? token.end });
      at = next;
      continue;
    }
    if (word === 'between') isBetween = true;
    const previous = tokens[at - 1]?.word;
    const isPart =
      (word === 'and' && isBetween) ||
      (word === 'from' && previous === 'distinct') ||
      (/^(left|right|exists|set)$/.test(word) && tokens[at + 1]?.text === '(');
    if (word === 'and' && isBetween) isBetween = false;
    if (separators.has(word) && !isPart) {
      finish(word);
      lead = word;
      if (word === ';') [isStart, isSkipped] = [true, false];
    } else pieces.push(token);
    at += 1;
  }
  finish('');
  return at;
}
