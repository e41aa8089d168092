// Sends request lines with a token over raw sockets and compares every answer with the one that is due.
import { expect } from 'vitest';
import type { Username } from '../../rig/seed.ts';
import { users } from '../../rig/seed.ts';
import type { Service } from '../../rig/start-service.ts';
import { type ShortAnswer, sendAll } from './raw-client.ts';
import { type Due, dueFor } from './routes.ts';

export interface Line {
  readonly method: string;
  /** One character a byte. */
  readonly target: string;
  /** Further header lines, each with its line end. */
  readonly headers?: string;
  readonly body?: string;
}

/** Every line gets what the role is due, and no handler is entered for a line that is not open to it. */
export async function expectDue(service: Service, username: Username, lines: readonly Line[]): Promise<void> {
  expect(lines.length, 'requests to send').toBeGreaterThan(0);
  const { role } = users.find((user) => user.username === username) ?? { role: '' };
  const token = await service.tokenOf(username);
  const dues = lines.map(({ method, target }) => dueFor(role, method, target));
  const before = await service.countEntries();
  const answers = await sendAll(
    service.server.port,
    lines.map((line) => bytesOf(line, token)),
  );
  const entered = (await service.countEntries()) - before;
  const different = lines.flatMap((line, index) => {
    const answer = answers[index];
    const due = dues[index];
    if (answer !== undefined && due !== undefined && isDue(answer, due)) return [];
    return [`${line.method} ${JSON.stringify(line.target)} is due ${due}, got ${JSON.stringify(answer)}`];
  });
  expect(different.slice(0, 10), `${different.length} of ${lines.length} differ`).toEqual([]);
  const open = dues.filter((due) => due === 'open').length;
  expect(entered, 'handlers entered').toBeLessThanOrEqual(open);
}

export function bytesOf({ method, target, headers = '', body }: Line, token: string): Buffer {
  const content = Buffer.from(body ?? '');
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n';
  const head = `${method} ${target} HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\r\n${headers}${type}Content-Length: ${content.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}

function isDue({ status, code, reason, text }: ShortAnswer, due: Due): boolean {
  switch (due) {
    case 'unserved':
      // HEAD has no body.
      return (status === 404 || status === 400) && (text === '' || isEnvelope(text, status));
    case 'denied':
      return status === 200 && reason === 'permission_denied' && isEnvelope(text, 401);
    case 'open':
      return status < 500 && status !== 404 && code !== 401;
  }
}

function isEnvelope(text: string, code: number): boolean {
  return new RegExp(`^\\{"code":${code},"msg":"[^"]+"\\}$`).test(text);
}
