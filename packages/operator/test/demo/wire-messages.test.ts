// Messages of Postgres's protocol, byte by byte.
import { expect, it } from 'vitest';
import { createMessage, int32, renameStatement, splitMessages } from '../../src/demo/wire-messages.ts';

const whole = createMessage('Q', 'select 1\0');
const empty = createMessage('S');

it('splits whole messages, and leaves what has not come', () => {
  for (const left of [Buffer.alloc(0), whole.subarray(0, 4), whole.subarray(0, 5), whole.subarray(0, -1)]) {
    const { messages, rest } = splitMessages(Buffer.concat([whole, empty, left]));
    expect(messages).toEqual([
      { type: 'Q', bytes: whole },
      { type: 'S', bytes: empty },
    ]);
    expect(rest).toEqual(left);
  }
});

it('takes no message that is shorter than its length', () => {
  expect(() => splitMessages(Buffer.concat([Buffer.from('Q'), int32(3)]))).toThrow(RangeError);
});

it('renames a prepared statement in every message that names one', () => {
  const rename = (name: string) => `1.${name}`;
  const renamed = (type: string, ...parts: string[]) => {
    const [message] = splitMessages(createMessage(type, ...parts)).messages;
    if (message === undefined) throw new Error('No message.');
    return renameStatement(message, rename);
  };
  expect(renamed('P', 's\0', 'select 1\0')).toEqual(createMessage('P', '1.s\0', 'select 1\0'));
  expect(renamed('B', 'portal\0', 's\0', 'rest')).toEqual(createMessage('B', 'portal\0', '1.s\0', 'rest'));
  expect(renamed('B', '\0', 's\0', 'rest')).toEqual(createMessage('B', '\0', '1.s\0', 'rest'));
  for (const type of ['D', 'C']) {
    expect(renamed(type, 'S', 's\0')).toEqual(createMessage(type, 'S', '1.s\0'));
    expect(renamed(type, 'P', 's\0')).toEqual(createMessage(type, 'P', 's\0'));
  }
  expect(renamed('P', '\0', 'select 1\0')).toEqual(createMessage('P', '\0', 'select 1\0'));
  expect(renamed('Q', 'select 1\0')).toEqual(whole);
});
