// Formats a change as a sentence, such as "ada disabled Clara Lindqvist", in parts. Parts that name an object
// with a page become links.
import { isRecord } from '../../is-record.ts';
import type { ObjectName } from '../../shell/object-pages.ts';
import type { sentenceTexts } from './sentences.ts';

export interface Change {
  readonly actorId: number;
  readonly actorName: string;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly names: Readonly<Record<string, string>>;
}

export interface SentencePart {
  readonly text: string;
  readonly object?: ObjectName;
}

type Words = typeof sentenceTexts.en;

export function sayChange(words: Words, change: Change): SentencePart[] {
  const sentence = sentenceOf(words, change.action);
  // Text inside braces is at odd indices.
  return sentence
    .split(/\{(\w+)\}/)
    .map((piece, place) => (place % 2 === 0 ? { text: piece } : partOf(words, change, piece)))
    .filter(({ text }) => text !== '');
}

/** @example sayInText(words, change); // 'ada disabled Clara Lindqvist' */
export function sayInText(words: Words, change: Change): string {
  return sayChange(words, change)
    .map(({ text }) => text)
    .join('');
}

function sentenceOf(words: Words, action: string): string {
  const known: Readonly<Record<string, unknown>> = words;
  const sentence = action.includes('.') && Object.hasOwn(known, action) ? known[action] : undefined;
  return typeof sentence === 'string' ? sentence : words.other;
}

function partOf(words: Words, change: Change, slot: string): SentencePart {
  switch (slot) {
    case 'who':
      return change.actorId === 0
        ? { text: words.commandLine }
        : { text: change.actorName, object: { kind: 'user', id: change.actorId } };
    case 'action':
      return { text: change.action };
    case 'call':
      return { text: callIn(change.after, 'path') };
    case 'given':
      return { text: callIn(change.after, 'approvedPath') };
    case 'role':
      return named(words, change, `role ${valueIn(change.after, 'roleId')}`);
    case 'user':
      return named(words, change, `user ${valueIn(change.before, 'userId')}`);
    default:
      return named(words, change, change.target);
  }
}

function valueIn(state: unknown, field: string): unknown {
  return isRecord(state) ? state[field] : undefined;
}

function callIn(state: unknown, field: string): string {
  return `${valueIn(state, 'method')} ${valueIn(state, field)}`;
}

const isLinked = (kind: string | undefined): kind is 'user' | 'role' | 'department' =>
  kind === 'user' || kind === 'role' || kind === 'department';

/**
 * An object that was deleted has no page. Neither has an object outside the caller's data
 * scope, which has no name here.
 */
function named(words: Words, { action, target: changed, names }: Change, target: string): SentencePart {
  const [, kind, id = ''] = /^(\w+) (\d+)$/.exec(target) ?? [];
  if (!isLinked(kind)) return { text: target.endsWith(' undefined') ? words.somebody : target };
  const name = names[target];
  if (name === undefined) return { text: words.numbered(words.number[kind], id) };
  const isGone = target === changed && action.endsWith('.delete');
  return isGone ? { text: name } : { text: name, object: { kind, id: Number(id) } };
}
