// A gateway under test: the program of the distribution, with the recipe that an operator copies. Only addresses, the port
// and the secret are replaced in it, each exactly once.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { repository, startProgram } from '../rig/start-process.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';

export interface GatewayOptions {
  readonly decisionPort: number;
  /** What is asked; another one is a mistake that an operator could make. */
  readonly decisionPath?: string;
  readonly upstreamPort: number;
  readonly secret: string;
  /** Without TLS, which changes nothing about targets and headers. */
  readonly http2?: boolean;
  /** How long a body may take; the recipe's own where it is 0. */
  readonly bodySeconds?: number;
  /** The path that is opened for websockets, as the page says; none where it is empty. */
  readonly websocketPath?: string;
}

export interface Place extends Required<GatewayOptions> {
  readonly folder: string;
  /** The address of the gateway. */
  readonly port: number;
}

export interface Recipe {
  readonly name: string;
  /** File names with their content. */
  readonly files: (place: Place) => Readonly<Record<string, string>>;
  /** The program and its words. */
  readonly command: (place: Place) => readonly [string, ...string[]];
}

export interface Gateway {
  readonly name: string;
  readonly port: number;
  /** What it has logged of requests so far. */
  readLog(): string;
  stop(): Promise<void>;
}

export async function startGateway(recipe: Recipe, options: GatewayOptions): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-gateway-'));
  const port = await findFreePort();
  const usual = { decisionPath: '/forward-auth', http2: false, bodySeconds: 0, websocketPath: '' };
  const place = { ...usual, ...options, folder, port };
  for (const [name, text] of Object.entries(recipe.files(place))) writeFileSync(join(folder, name), text);
  const [program, ...words] = recipe.command(place);
  const running = startProgram(program, words, { HOME: folder, PORTCULLIS_SECRET: place.secret });
  const ended = running.exited.then(() => {
    throw new Error(`${recipe.name} ended:\n${running.output}`);
  });
  // Noted where it is awaited: at the start.
  ended.catch(() => {});
  await Promise.race([ended, waitForListener(port)]);
  return {
    name: recipe.name,
    port,
    readLog() {
      const file = join(folder, accessLog);
      return existsSync(file) ? readFileSync(file, 'utf8') : running.output;
    },
    async stop() {
      running.signal('SIGTERM');
      await running.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Of nginx, whose other output is about errors. */
export const accessLog = 'access.log';

/** A file of a recipe with some of its text replaced; each must be there once. */
export function readRecipe(path: string, replacements: Readonly<Record<string, string>>): string {
  return replaceOnce(readFileSync(join(repository, path), 'utf8'), replacements, path);
}

/** The text with others replaced; each must be there once. */
export function replaceOnce(
  text: string,
  replacements: Readonly<Record<string, string>>,
  name: string,
): string {
  let replaced = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (replaced.split(from).length !== 2) throw new Error(`${name} does not have "${from}" once.`);
    replaced = replaced.replace(from, () => to);
  }
  return replaced;
}

const mostTries = 3000;

async function waitForListener(port: number): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await setTimeout(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`No process listens at ${port}.`);
}
