// Everything that a check, or something that it asks, could do instead of its work.
import { runInNewContext } from 'node:vm';
import { AppError } from '@portcullis/contract';

export interface Fault {
  readonly name: string;
  readonly happen: () => unknown;
}

const thrown: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('torn')],
  ['a refusal', new AppError('permission_denied')],
  ['nothing', undefined],
  ['null', null],
  ['a text', 'allow'],
  ['a number', 200],
  ['an object', { code: 200, statusCode: 200 }],
  ['an error that says 200', Object.assign(new Error('torn'), { statusCode: 200, code: 200 })],
];

/** `undefined` is missing on purpose: it is how a check says yes. What it asks may not return it: `notBoolean`. */
const returned: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['false', false],
  ['true', true],
  ['0', 0],
  ['an empty text', ''],
  ['the text allow', 'allow'],
  ['an object', {}],
  ['an error', new Error('torn')],
  ['a function', () => {}],
];

const ends: readonly Fault[] = [
  ...thrown.map(([what, value]) => ({ name: `throws ${what}`, happen: () => fail(value) })),
  ...thrown.map(([what, value]) => ({ name: `rejects with ${what}`, happen: () => Promise.reject(value) })),
];

/** Of a check. */
export const checkFaults: readonly Fault[] = [
  ...ends,
  ...returned.map(([what, value]) => ({ name: `returns ${what}`, happen: () => value })),
  ...returned.map(([what, value]) => ({
    name: `resolves with ${what}`,
    happen: () => Promise.resolve(value),
  })),
  { name: 'never settles', happen: () => new Promise(() => {}) },
  // biome-ignore lint/suspicious/noThenProperty: A thenable that is no promise is the point.
  { name: 'returns a thenable', happen: () => ({ then: (resolve: () => void) => resolve() }) },
  { name: 'returns a promise of another realm', happen: () => runInNewContext('Promise.resolve()') },
  { name: 'overflows the stack', happen: overflow },
];

function fail(value: unknown): never {
  throw value;
}

function overflow(): unknown {
  return [overflow()];
}
