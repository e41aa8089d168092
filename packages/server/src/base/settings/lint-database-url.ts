// Whether `database.url` is one of Postgres. To another server the driver would speak all the same, and be told nonsense.

/** Empty where nothing is wrong. A name without a scheme is a socket or a local database, as the driver has it. */
export function lintDatabaseUrl({ url }: { readonly url: string }): string[] {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url) ?? [];
  if (scheme === undefined || ['postgres', 'postgresql', 'socket'].includes(scheme)) return [];
  return [
    `\`database.url\` (DATABASE_URL) begins with \`${scheme}:\`, and Portcullis runs on Postgres. Write \`postgres://user@host:5432/name\`.`,
  ];
}
