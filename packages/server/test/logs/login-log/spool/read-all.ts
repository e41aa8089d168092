// Everything that a spool holds, as a drain would take it.
import type { SpoolReader } from '../../../../src/logs/login-log/spool/spool-reader.ts';

export async function readAll(spool: Pick<SpoolReader, 'next'>, most = 1000): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const piece = await spool.next(most);
    if (piece === undefined) return texts;
    texts.push(...piece.texts);
    await piece.done();
  }
}
