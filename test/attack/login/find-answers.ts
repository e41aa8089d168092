// Looks for captcha answers where none may be: texts, pictures and everything that is stored.
import type { Database } from '../../rig/create-database.ts';

/** Those of the answers that stand anywhere in the text, which must not hold random ids: they would, by chance. */
export function findAnswers(text: string, answers: ReadonlySet<string>): string[] {
  return [...text.matchAll(/(?=([G-Z]{5}))/g)]
    .map(([, found = '']) => found)
    .filter((found) => answers.has(found));
}

/** Without the ids that the service drew. */
export function withoutIds(text: string, ids: ReadonlySet<string>): string {
  return text.replace(/[\w-]{22,}/g, (word) => (ids.has(word) ? '' : word));
}

/** All rows of all tables, what is binary as hex and once more as the text that it may be. */
export async function dump(database: Database): Promise<string> {
  const tables = await database.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public'`,
  );
  const texts: string[] = [];
  for (const { tablename } of tables) {
    const [row] = await database.query<{ content: string | null }>(
      `select json_agg(t)::text as content from ${tablename} t`,
    );
    texts.push(row?.content ?? '');
  }
  const text = texts.join('\n');
  const binary = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  );
  return [text, ...binary].join('\n');
}

/** The names of a PNG's chunks: texts and times would be chunks of their own. */
export function chunksOf(png: Buffer): string[] {
  const names: string[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    names.push(png.toString('latin1', at + 4, at + 8));
  return names;
}
