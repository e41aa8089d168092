// A change of the product's source that a rule makes: one place of one file.

export const rules = ['operand', 'if', 'guard', 'where', 'await', 'wiring', 'comparison'] as const;
export type Rule = (typeof rules)[number];

export interface Fault {
  readonly file: string;
  readonly rule: Rule;
  /** Of the first line that changes, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** For people and for lists: the statement or clause, in one line. */
  readonly before: string;
  readonly after: string;
}

/** The part of a text that is replaced, and the part around it that is shown. */
export interface Change {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly shown?: { readonly start: number; readonly end: number };
  /** Of what the part is, where the part does not say it. */
  readonly of?: string;
}

export function faultOf(file: string, text: string, change: Change): Fault {
  const { rule, start, end, replacement, shown = change, of } = change;
  const prefix = of === undefined ? '' : `${of}: `;
  const changed = text.slice(shown.start, start) + replacement + text.slice(end, shown.end);
  return {
    file,
    rule,
    line: text.slice(0, start).split('\n').length,
    start,
    end,
    replacement,
    before: prefix + inOneLine(text.slice(shown.start, shown.end)),
    after: prefix + (inOneLine(changed) || '(removed)'),
  };
}

export function applyFault(text: string, { start, end, replacement }: Fault): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

const mostShown = 240;

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
}
