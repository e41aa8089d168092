import type { client } from '../../client.ts';

export type Session = Awaited<ReturnType<typeof client.listSessions>>['data']['items'][number];
