// What an operator is told about an error that ends a start or a command.

/** For the operator, with what to do where that is known. */
export function reasonOf(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `Postgres does not answer (${code}). Check \`database.url\` (DATABASE_URL), and that the server runs.`;
    case '3D000':
      return 'The database does not exist. Create it with `createdb`, or check `database.url` (DATABASE_URL).';
    case 'EADDRINUSE':
      return 'The port is taken. Stop what listens on it, or set `application.port`, `ops.port` or `decision.port`.';
    default:
      return [name, code, message].filter(Boolean).join(' ');
  }
}
