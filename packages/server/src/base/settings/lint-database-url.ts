// Lint of `database.url`: it must be a Postgres URL. With another scheme the driver would still speak the Postgres protocol to
// that server.

/** Empty when nothing is wrong. The driver reads a name without a scheme as a socket or a local database. */
export function lintDatabaseUrl({ url }: { readonly url: string }): string[] {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url) ?? [];
  if (scheme === undefined || ['postgres', 'postgresql', 'socket'].includes(scheme)) return [];
  return [
    `\`database.url\` (DATABASE_URL) begins with \`${scheme}:\`, but Portcullis needs Postgres. Write it as \`postgres://user@host:5432/name\`.`,
  ];
}
