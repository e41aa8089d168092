// The sign-in of examples/sign-in, answered line by line as a user at a terminal answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codesOf } from '../rig/authenticator.ts';
import type { Database } from '../rig/create-database.ts';
import { password } from '../rig/seed.ts';
import { commandLine, repository } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { createWorld } from './world.ts';

let database: Database;
let server: Server;
beforeAll(async () => {
  database = await createWorld();
  await database.query(`update roles set factor = 2 where role_key = 'seller'`);
  server = await startServer({
    databaseUrl: database.url,
    script: commandLine,
    arguments: ['serve'],
    settings: { APPLICATION_MODE: 'dev' },
  });
});
afterAll(async () => {
  await server?.stop();
  await database?.drop();
});

/** A sign-in that runs: each question is awaited and answered. */
function start() {
  const child = spawn(process.execPath, ['examples/sign-in/main.ts'], {
    cwd: repository,
    env: { PATH: process.env.PATH ?? '', PORTCULLIS_URL: `http://127.0.0.1:${server.port}` },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let read = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    read += text;
    child.emit('read');
  });
  return {
    /** What was written since the last answer, with the question. */
    async answer(question: string, text: string): Promise<string> {
      while (!read.endsWith(`${question}: `)) {
        if (child.exitCode !== null) throw new Error(`It ended without asking for ${question}: ${read}`);
        await Promise.race([once(child, 'read'), ended]);
      }
      const shown = read;
      read = '';
      child.stdin.write(`${text}\n`);
      return shown;
    },
    /** What was written after the last answer. */
    async end(): Promise<{ code: number | null; shown: string }> {
      const [code] = (await ended) as [number | null];
      return { code, shown: read };
    },
  };
}

async function prove(username: string, secret = password) {
  const signIn = start();
  await signIn.answer('Username', username);
  await signIn.answer('Password', secret);
  return signIn;
}

describe('sign-in', () => {
  const question = 'Code of your authenticator app';
  let next = '';

  it('is refused with a wrong password, with the message of the service', async () => {
    const { end } = await prove('alba', 'wrong');
    expect(await end()).toEqual({ code: 1, shown: expect.stringMatching(/password/) });
  });

  it('accepts the password alone where no factor is required', async () => {
    const { end } = await prove('alba');
    expect(await end()).toEqual({ code: 0, shown: 'Signed in as alba.\n' });
  });

  it('shows the secret of an app where one is required, asks again after a wrong code, and shows ten recovery codes', async () => {
    const { answer, end } = await prove('sven');
    const shown = await answer(question, '000000');
    const [, secret = ''] = /app: ([A-Z2-7]{32})\notpauth:/.exec(shown) ?? [];
    const codes = await codesOf(secret);
    next = codes[1];
    expect(await answer(question, codes[0])).toMatch(/code/i);
    const { code, shown: last } = await end();
    expect([code, last.match(/^[A-Z2-7-]{19}$/gm)?.length]).toEqual([0, 10]);
    expect(last).toMatch(/Signed in as sven\.\n$/);
  });

  it('asks a user with an app for its code', async () => {
    const { answer, end } = await prove('sven');
    await answer(question, next);
    expect(await end()).toEqual({ code: 0, shown: 'Signed in as sven.\n' });
  });
});
