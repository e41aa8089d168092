// Sends hostile request lines as bytes and compares what reached the service, and what the browser saw, with what is due.
import { type ShortAnswer, sendAll } from '../attack/paths/raw-client.ts';
import { type Username, users } from '../rig/seed.ts';
import { bodyOf, isSentAgain, type Scene } from './expect.ts';
import { type Due, dueFor, type HostileLine, hostileLines } from './hostile-targets.ts';
import { foldHeaders, type Reached, upstreamAnswer } from './upstream.ts';

/** By rule for some, by rule for others, everything. */
const senders: readonly Username[] = ['carl', 'alba', 'ada'];

export async function sendHostileTargets(scene: Scene, count: number): Promise<number> {
  const lines = hostileLines(count);
  let failures: string[] = [];
  for (const username of senders) failures = [...failures, ...(await sendAs(scene, username, lines))];
  if (failures.length > 0)
    throw new Error(
      `${failures.length} of ${lines.length * senders.length}:\n${failures.slice(0, 12).join('\n')}`,
    );
  return lines.length * senders.length;
}

async function sendAs(
  { world, gateway }: Scene,
  username: Username,
  lines: readonly HostileLine[],
): Promise<string[]> {
  const role = users.find((user) => user.username === username)?.role ?? '';
  const token = await world.service.tokenOf(username);
  const before = world.upstream.reached.length;
  const requests = lines.map((line, index) => bytesOf(line, token, index));
  const answers = await sendAll(gateway.port, requests);
  for (const [index, bytes] of requests.entries())
    for (let tries = 1; isSentAgain(tries, answers[index]?.status ?? 0, []); tries += 1)
      answers.splice(index, 1, ...(await sendAll(gateway.port, [bytes])));
  const reached = world.upstream.reached.slice(before);
  const byLine = Map.groupBy(
    reached,
    (one) => foldHeaders(one).find(([name]) => name === 'X_LINE')?.[1] ?? '',
  );
  const failures = lines.flatMap((line, index) => {
    const due = dueFor(role, line);
    const problem = judge(line, due, answers[index], byLine.get(String(index)) ?? []);
    return problem === undefined
      ? []
      : [
          `${line.threat} ${username} ${line.method} ${JSON.stringify(line.target)} is due ${due}: ${problem}`,
        ];
  });
  // Requests without a number, such as a second request out of one.
  const unnumbered = byLine.get('') ?? [];
  return [
    ...failures,
    ...unnumbered.map((one) => `${username}: reached without a number: ${JSON.stringify(one)}`),
  ];
}

function bytesOf(
  { method, target, headers = '', body = '' }: HostileLine,
  token: string,
  index: number,
): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\nHost: rig\r\nX-Line: ${index}\r\nAuthorization: Bearer ${token}\r\n${headers}`;
  return Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, 'latin1');
}

function judge(
  { method, target }: HostileLine,
  due: Due,
  answer: ShortAnswer | undefined,
  reached: readonly Reached[],
): string | undefined {
  const told = JSON.stringify(answer);
  const isHead = method === 'HEAD';
  if (answer === undefined) return 'no answer';
  if (due === 'open') {
    const [first] = reached;
    // A gateway does not forward TRACE and CONNECT.
    if (first === undefined)
      return ['TRACE', 'CONNECT'].includes(method) ? undefined : `did not reach the service: ${told}`;
    if (reached.length > 1) return 'reached the service twice';
    if (first.method !== method || first.target !== target)
      return `arrived as ${first.method} ${first.target}`;
    return answer.status === 200 && (isHead || answer.text === upstreamAnswer) ? undefined : told;
  }
  if (reached.length > 0) return `REACHED THE SERVICE as ${reached[0]?.method} ${reached[0]?.target}`;
  if (due === 'denied') {
    const isRefusal = answer.status === 200 && answer.reason === 'permission_denied';
    if (isRefusal && (isHead || answer.text === bodyOf('permission_denied'))) return undefined;
  } else if (answer.status === 404 && (isHead || answer.text === bodyOf('route_not_found'))) return undefined;
  return isOwnRefusal(answer) ? undefined : told;
}

/** Requests that the gateway itself rejects as malformed HTTP, or for their method. */
function isOwnRefusal({ status, reason }: ShortAnswer): boolean {
  return reason === '' && [0, 400, 405, 414, 501, 505].includes(status);
}
