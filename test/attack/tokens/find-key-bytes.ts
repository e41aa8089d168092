// T16: looks for the bytes of secret keys in everything that the service has written.
import type { Database } from '../../rig/create-database.ts';

/** Raw, and every encoding of these bytes. */
export function spellingsOf(key: Buffer): Buffer[] {
  const texts = [
    key.toString('hex'),
    key.toString('hex').toUpperCase(),
    key.toString('base64'),
    key.toString('base64url'),
  ];
  return [key, ...texts.map((text) => Buffer.from(text.replace(/=+$/, '')))];
}

/** The names of the keys whose bytes are in the content, in any encoding. */
export function findKeyBytes(content: Buffer | string, keys: Readonly<Record<string, Buffer>>): string[] {
  const bytes = Buffer.from(content);
  return Object.entries(keys)
    .filter(([, key]) => spellingsOf(key).some((spelling) => bytes.includes(spelling)))
    .map(([name]) => name);
}

/** Everything that the tables hold: texts as they are, and bytes as bytes. */
export async function dumpDatabase(database: Database): Promise<Map<string, Buffer>> {
  const columns = await database.query<{
    place: string;
    kind: string;
    table_name: string;
    column_name: string;
  }>(
    `select table_name || '.' || column_name as place, data_type as kind, table_name, column_name
     from information_schema.columns where table_schema = 'public' order by 1`,
  );
  const contents = new Map<string, Buffer>();
  for (const { place, kind, table_name, column_name } of columns) {
    const value = kind === 'bytea' ? `"${column_name}"` : `convert_to("${column_name}"::text, 'UTF8')`;
    const rows = await database.query<{ content: Buffer | null }>(
      `select ${value} as content from "${table_name}"`,
    );
    contents.set(place, Buffer.concat(rows.map(({ content }) => content ?? Buffer.alloc(0))));
  }
  return contents;
}
