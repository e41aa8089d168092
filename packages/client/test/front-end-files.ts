// The files of the front end's part; the guard and the adapters beside it are for Node.
export const frontEndFiles = [
  'call.ts',
  'calls.ts',
  'client-error.ts',
  'create-client.ts',
  'index.ts',
  'limit-time.ts',
  'read-events.ts',
  'read-reply.ts',
  'request.ts',
  'session.ts',
] as const;
