// Doctor checks on the host: the Node version, threads, the limit of open files, ports, and
// the cost of a password hash.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { createPasswordHashes } from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';
import manifest from '../../package.json' with { type: 'json' };
import {
  type Check,
  type CheckInput,
  type Finding,
  skipped,
  warning,
  well,
  wrong,
  wrongFor,
} from './check.ts';

const group = 'host';

export const hostChecks: readonly Check[] = [
  { id: 'node', group, title: 'Node', run: () => checkNode(process.versions.node, manifest.engines.node) },
  { id: 'threads', group, title: 'threads', run: checkThreads },
  { id: 'open-files', group, title: 'open files', run: checkOpenFiles },
  { id: 'ports', group, title: 'ports', run: checkPorts },
  { id: 'hash-cost', group, title: 'hash cost', run: checkHashCost },
];

/** `wanted` is a range such as `>=24`. */
export function checkNode(version: string, wanted: string): Finding {
  const least = Number.parseInt(wanted.replace(/^\D+/, ''), 10);
  return Number.parseInt(version, 10) >= least
    ? well(version)
    : wrong(`${version} is too old`, `Install Node ${least} or later.`);
}

function checkThreads({ givenThreads, config }: CheckInput): Finding {
  const { concurrency } = config.hash;
  if (givenThreads === undefined) return well(`${concurrency + 4}, of which ${concurrency} hash at most`);
  return givenThreads > concurrency
    ? well(`${givenThreads}, by UV_THREADPOOL_SIZE`)
    : warning(
        `${givenThreads} for ${concurrency} hashes, and for all files and name lookups`,
        'Remove UV_THREADPOOL_SIZE from the environment: the service chooses a sufficient number.',
      );
}

/**
 * By default one network can hold 512 connections. This number covers a few such networks, plus files
 * and Postgres connections.
 */
const leastOpenFiles = 4096;

async function checkOpenFiles(): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const limit = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1];
  if (limit === undefined) return skipped('this system does not say');
  return Number(limit) < leastOpenFiles
    ? warning(
        `${limit}, and every connection takes one`,
        `Allow at least ${leastOpenFiles}: \`LimitNOFILE=\` of the systemd unit, \`--ulimit nofile=\` of the container, or \`ulimit -n\`.`,
      )
    : well(`${limit} allowed`);
}

async function checkPorts({ config }: CheckInput): Promise<Finding> {
  const { listen, ops, decision } = config;
  const wanted = [
    { name: 'application.port', ...listen },
    { name: 'ops.port', ...ops },
    ...(decision.secrets.length === 0 ? [] : [{ name: 'decision.port', ...decision }]),
  ];
  const answers = await Promise.all(wanted.map(isAnswered));
  const taken = wanted.filter((_, index) => answers[index]);
  if (taken.length === 0) return well(`${wanted.map(({ port }) => port).join(', ')} are free`);
  if (await isAlive(ops)) return well('the service runs on this host');
  return warning(
    `${taken.map(({ port }) => port).join(', ')} taken by another program`,
    `Stop what listens there, or set ${taken.map(({ name }) => `\`${name}\``).join(', ')}.`,
  );
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** The address at which this host reaches a listener that listens on every address. */
function reachable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' }[host] ?? host;
}

async function isAnswered({ host, port }: Place): Promise<boolean> {
  const socket = connect({ host: reachable(host), port, timeout: 1000 });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isAlive({ host, port }: Place): Promise<boolean> {
  const name = reachable(host);
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/livez`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(1000) });
    return (await response.text()) === 'alive\n';
  } catch {
    return false;
  }
}

/** Above this share of the memory, password hashing could take the memory that requests need. */
const mostMemoryShare = 0.5;
/** The longest time that a login waits for its hash. */
const mostHashMilliseconds = 1000;

async function checkHashCost({ problems, config: { hash } }: CheckInput): Promise<Finding> {
  const memory = hash.memoryKibibytes * 1024 * hash.concurrency;
  const mebibytes = Math.round(memory / 1024 / 1024);
  const total = memoryOfThisProcess();
  if (memory > total * mostMemoryShare)
    return warning(
      `${mebibytes} MiB at ${hash.concurrency} at once, of ${Math.round(total / 1024 / 1024)} MiB here`,
      'Lower `hash.concurrency` or `hash.memoryKibibytes`, or give the service more memory.',
    );
  const milliseconds = await measureHash(hash);
  const workers = Math.min(hash.concurrency, availableParallelism());
  const figures = `${Math.round(milliseconds)} ms: ${Math.floor((workers * 1000) / milliseconds)} logins/s, ${mebibytes} MiB`;
  const found = wrongFor(problems.hash, figures);
  if (found !== undefined) return found;
  return milliseconds > mostHashMilliseconds
    ? warning(
        figures,
        'Logins would be refused while they wait. Lower `hash.passes` or `hash.memoryKibibytes`; `portcullis calibrate` finds what fits.',
      )
    : well(figures);
}

/** The memory limit of the container, if there is one. */
function memoryOfThisProcess(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** The shortest of a few measurements: other load can only make one longer. */
async function measureHash(cost: CheckInput['config']['hash']): Promise<number> {
  const { hash } = createPasswordHashes({ cost, matchesBcrypt: async () => false, randomBytes });
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const startedAt = performance.now();
    await hash('how long does it take');
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}
