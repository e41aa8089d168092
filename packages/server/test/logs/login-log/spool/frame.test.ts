import { describe, expect, it } from 'vitest';
import { decodeFrames, encodeFrame, maxFrameBytes } from '../../../../src/logs/login-log/spool/frame.ts';

const frames = (texts: readonly string[], segment = 1) =>
  Buffer.concat(texts.map((text) => encodeFrame(text, segment)));

describe('reading stops', () => {
  it.each([
    ['at zeros', Buffer.alloc(64)],
    ['at the end of the bytes', Buffer.alloc(0)],
    ['at half a head', Buffer.from([5, 0, 0])],
    ['at a head without its text', encodeFrame('half', 1).subarray(0, 8)],
    ['at a text of which the end is missing', encodeFrame('half', 1).subarray(0, 11)],
    ['at a record of another segment', encodeFrame('other', 2)],
    ['at a length that no record has', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 2])],
  ])('%s, and returns the records before it', (_where, tail) => {
    const whole = frames(['one', 'two']);
    const bytes = Buffer.concat([whole, tail]);
    expect(decodeFrames(bytes, 1, 10)).toEqual({ texts: ['one', 'two'], bytes: whole.length });
  });

  it('at a record with any one bit flipped, also for the records after it', () => {
    const [first, second] = [frames(['one']), frames(['two'])];
    for (let bit = 0; bit < second.length * 8; bit += 1) {
      const turned = Buffer.from(second);
      turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const { texts } = decodeFrames(Buffer.concat([first, turned, first]), 1, 10);
      expect({ bit, texts }).toEqual({ bit, texts: ['one'] });
    }
  });

  it('after as many as are asked for', () => {
    expect(decodeFrames(frames(['one', 'two', 'three']), 1, 2).texts).toEqual(['one', 'two']);
  });
});

describe('a record', () => {
  it('that is too long is refused', () => {
    expect(() => encodeFrame('x'.repeat(maxFrameBytes - 7), 1)).toThrow('too long');
    expect(() => encodeFrame('李'.repeat(maxFrameBytes / 3), 1)).toThrow('too long');
  });

  it.each(['a', '{"username":"李梅𠮷"}', 'x'.repeat(maxFrameBytes - 8)])(
    'is read as it was written: %.40s',
    (text) => {
      expect(decodeFrames(frames([text], 7), 7, 10)).toEqual({
        texts: [text],
        bytes: 8 + Buffer.byteLength(text),
      });
    },
  );
});
