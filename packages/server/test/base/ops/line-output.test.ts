import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { countAwakeTime } from '../../../../../test/rig/awake-time.ts';
import { judgeTime } from '../../../../../test/rig/judges-times.ts';
import { createLineOutput } from '../../../src/base/ops/line-output.ts';

const line = `${'x'.repeat(1023)}\n`;

function createWorld() {
  const stream = new PassThrough();
  return { stream, output: createLineOutput(stream) };
}

describe('lines without a reader', () => {
  it('are dropped and counted once a mebibyte waits', () => {
    const { output } = createWorld();
    for (let index = 0; index < 3000; index += 1) output.write(line);
    // Those of the stream's own reading side are out already.
    expect(output.droppedLines).toBeGreaterThan(1900);
    expect(output.droppedLines).toBeLessThanOrEqual(3000 - 1024);
  });

  it('drops whole lines only: a later reader gets complete lines, and then new ones', async () => {
    const { stream, output } = createWorld();
    for (let index = 0; index < 3000; index += 1) output.write(`${index} ${line}`);
    const dropped = output.droppedLines;
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    await expect.poll(() => stream.writableLength).toBe(0);
    output.write('new\n');
    await expect.poll(() => text).toMatch(/\nnew\n$/);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(3000 - dropped + 1);
    expect(lines.slice(0, -1).every((found, index) => found === `${index} ${line.trimEnd()}`)).toBe(true);
    expect(output.droppedLines).toBe(dropped);
  });

  it('counts lines as dropped after its reader closed, and continues', async () => {
    const { stream, output } = createWorld();
    stream.destroy(new Error('EPIPE'));
    await expect.poll(() => stream.closed).toBe(true);
    output.write(line);
    output.write(line);
    await expect.poll(() => output.droppedLines).toBe(2);
  });
});

describe('flushing', () => {
  it('waits a second for a reader, and no longer', async () => {
    const { output } = createWorld();
    for (let index = 0; index < 100; index += 1) output.write(line);
    const startedAt = performance.now();
    const readTime = countAwakeTime();
    await output.flush();
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    judgeTime('The wait for a reader', readTime(), 1500);
  });

  it('resolves once everything was taken', async () => {
    const { stream, output } = createWorld();
    for (let index = 0; index < 100; index += 1) output.write(line);
    const flushing = output.flush();
    stream.resume();
    await flushing;
    expect(stream.writableLength).toBe(0);
  });
});
