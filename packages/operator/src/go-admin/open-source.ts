// Opens the database of go-admin by the scheme of its URL.
import { openMysqlSource } from './mysql-source-store.ts';
import { openPostgresSource } from './postgres-source-store.ts';
import { type Source, SourceFailure } from './source.ts';

export async function openSource(text: string): Promise<Source> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  switch (url?.protocol) {
    case 'mysql:':
    case 'mariadb:':
      return await openMysqlSource(url);
    case 'postgres:':
    case 'postgresql:':
      return await openPostgresSource(text);
    default:
      // go-admin's own settings use the form `user:password@tcp(host:3306)/name`.
      throw new SourceFailure(
        'That is not the URL of a database. Write it as `mysql://user:password@host:3306/name` or `postgres://user:password@host:5432/name`, with %40 for an @ in the password.',
      );
  }
}
