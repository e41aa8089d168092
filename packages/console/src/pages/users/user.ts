import type { client } from '../../client.ts';

export type User = Awaited<ReturnType<typeof client.listUsers>>['data']['items'][number];
