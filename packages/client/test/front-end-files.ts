// The files of the package.
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
