// Explains to the operator an error that ends a start or a command.

/** Includes the remedy, if it is known. */
export function reasonOf(error: unknown): string {
  const { name, message, code, address, port } = error as {
    readonly name?: string;
    readonly message?: string;
    readonly code?: string;
    readonly address?: string;
    readonly port?: number;
  };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `Postgres does not answer${port === undefined ? '' : ` at ${address}:${port}`} (${code}). Check \`database.url\` (DATABASE_URL), and that the server runs.`;
    case '3D000':
      return `The database${nameIn(message)} does not exist. Create it with \`createdb\`, or check \`database.url\` (DATABASE_URL).`;
    case 'EADDRINUSE':
      return `The port${port === undefined ? '' : ` ${port} of ${address}`} is taken. Stop what listens on it, or set \`application.port\`, \`ops.port\` or \`decision.port\`.`;
    case '42501':
      return `The role of \`database.url\` (DATABASE_URL) lacks a right: ${message} (42501). Run \`portcullis migrate\` and \`portcullis log maintain\` as the owner of the tables. \`portcullis migrate --service-role <role>\` gives a role all other rights that it needs.`;
    default:
      return [name, code, message].filter(Boolean).join(' ');
  }
}

/** Postgres writes the message in the server's language, and the name in quotes. */
function nameIn(message = ''): string {
  const [, found] = /["„«“]\s?([^"“”»]{1,63}?)\s?["“”»]/.exec(message) ?? [];
  return found === undefined ? '' : ` ${found}`;
}
