// What the checks of a memory say to a request with a token: `allowed`, or why not.
import type { IncomingHttpHeaders } from 'node:http';
import { AppError, type Caller } from '@portcullis/contract';
import { createAccessChecks } from '../../src/checks/access-checks.ts';
import type { AccessMemory } from '../../src/member/access-memory.ts';

interface Asked {
  readonly memory: AccessMemory;
  readonly maxTokenLifetimeSeconds: number;
  readonly now: () => number;
  readonly token: string;
  readonly path: string;
}

export async function decideBy({
  memory,
  maxTokenLifetimeSeconds,
  now,
  token,
  path,
}: Asked): Promise<string> {
  const checks = createAccessChecks({ memory, maxTokenLifetimeSeconds, origins: [], exclusions: [], now });
  const request = {
    method: 'GET',
    path,
    route: '',
    headers: {} as IncomingHttpHeaders,
    carriers: { rawHeaders: ['Authorization', `Bearer ${token}`], query: '', cookie: undefined },
    caller: undefined as Caller | undefined,
  };
  try {
    checks.leased();
    await checks.identify(request);
    checks.site(request);
    checks.permit(request);
    return 'allowed';
  } catch (error) {
    return error instanceof AppError ? error.kind : String(error);
  }
}
