// The packed client and guard as a project has them that has nothing else: what is installed, both ways to load them, both
// versions of Node, types, the size in a page, and a guard of each that joins the packed service.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { createDatabase } from '../rig/create-database.ts';
import { repository, startProgram } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { type PackedPackages, weigh } from './install-package.ts';
import { findNode } from './old-nodes.ts';

type Check = (title: string, isSo: boolean, seen?: string) => void;

const run = promisify(execFile);
const bars = { clientPackages: 1, guardPackages: 5, pageBytes: 4096 };
const supported = [22, 24];
const secret = 'a decision secret that is long enough for it';

export async function checkLibraries(check: Check, packed: PackedPackages, service: string): Promise<void> {
  const client = (await packed.install('@portcullis/client')).folder;
  const guard = (await packed.install('@portcullis/guard')).folder;
  const sizes = { portcullis: service, client, guard };
  for (const [name, folder] of Object.entries(sizes)) {
    const { packages, bytes } = await weigh(folder);
    const most = { portcullis: Infinity, client: bars.clientPackages, guard: bars.guardPackages }[name] ?? 0;
    const seen = `${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`;
    check(
      `${name} installs ${most === Infinity ? 'what it needs' : `at most ${most}`}`,
      packages <= most,
      seen,
    );
  }
  await checkLoading(check, client, guard);
  await checkOldNode(check, guard, service);
  await checkPage(check, client);
  await checkGuards(check, guard, service);
  await linkFrameworks(client, ['typebox']);
  await symlink(join(service, 'node_modules/portcullis'), join(client, 'node_modules/portcullis'));
  await checkTypes(check, client, { ...clientPrograms, ...(await readmeOf('client')) });
  await linkFrameworks(guard, ['fastify', 'hono', 'kysely', 'express', '@types/express']);
  await checkTypes(check, guard, { ...guardPrograms, ...(await readmeOf('guard')) });
}

/** The blocks of its README, as its own test has held them word for word, by the names that a project imports. */
async function readmeOf(library: string): Promise<Record<string, string>> {
  const folder = join(repository, 'packages', library, 'test/readme');
  const files = await readdir(folder);
  const texts = files.map(async (file) => {
    const text = await readFile(join(folder, file), 'utf8');
    return [
      file.replace(/\.ts$/, '.mts'),
      text
        .replaceAll("type { Caller } from '@portcullis/contract'", "type { Caller } from '@portcullis/guard'")
        .replaceAll("'@portcullis/contract'", "'portcullis/contract'")
        .replaceAll(/'(\.\/[a-z-]+)\.ts'/g, "'$1.mjs'"),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

const entries = ['', '/express', '/fastify', '/koa', '/hono', '/fetch', '/data-scope', '/kysely'].map(
  (path) => `@portcullis/guard${path}`,
);

async function checkLoading(check: Check, client: string, guard: string): Promise<void> {
  const wanted = [
    [client, ['@portcullis/client']],
    [guard, entries],
  ] as const;
  for (const major of supported)
    for (const [folder, names] of wanted) {
      const list = names.map((name) => `'${name}'`).join(', ');
      const text = `const all = [${list}].map((name) => require(name));
        import(${list.split(', ')[0]}).then((first) => {
          // One copy, however it is loaded.
          if (all.some((one) => Object.keys(one).length === 0) || Object.keys(first).some((name) => first[name] !== all[0][name]))
            throw new Error('Something is missing.');
        });`;
      const problem = await problemOf(findNode(major), ['-e', text], folder);
      check(`Node ${major} imports and requires ${names[0]}`, problem === '', problem);
    }
}

async function checkOldNode(check: Check, guard: string, service: string): Promise<void> {
  const byModule = ['--input-type=module', '-e'];
  const command = 'node_modules/.bin/portcullis';
  const cases = [
    ['require', 20, guard, ['-e', "require('@portcullis/guard')"], '@portcullis/guard'],
    ['import', 20, guard, [...byModule, "import '@portcullis/guard'"], '@portcullis/guard'],
    ['the command', 20, service, [command, 'demo'], 'portcullis'],
    ['the command', 22, service, [command, 'serve'], 'portcullis'],
    ['import', 20, service, [...byModule, "import 'portcullis'"], 'portcullis'],
  ] as const;
  for (const [how, major, folder, words, name] of cases) {
    const sentence = `${name} needs Node ${await neededBy(join(folder, 'node_modules', name))} or newer`;
    const problem = await problemOf(findNode(major), words, folder);
    check(
      `${how} on Node ${major} says: ${sentence}`,
      problem.includes(`${sentence}. This is Node ${major}.`),
      problem,
    );
  }
  const seen = await problemOf(findNode(20), [join(repository, 'scripts/check-node.mjs')], guard);
  const sentence = `Portcullis needs Node ${await neededBy(repository)} or newer. This is Node 20.`;
  check('a clone says it before npm runs anything', seen.includes(sentence), seen);
}

async function neededBy(folder: string): Promise<string> {
  const { engines } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  return engines.node.replace('>=', '');
}

/** The client in a page, with one call: what a browser downloads of it. */
async function checkPage(check: Check, folder: string): Promise<void> {
  await writeFile(
    join(folder, 'page.js'),
    "import { createClient } from '@portcullis/client';\nwindow.client = createClient();\n",
  );
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: join(folder, 'page.js') }, modulePreload: false },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const code = outputs.map((one) => (one.type === 'chunk' ? one.code : '')).join('');
  const bytes = gzipSync(code).length;
  check(
    `a page built by Vite has at most ${bars.pageBytes} bytes of it, compressed`,
    code.includes('/api/v1/login') && bytes <= bars.pageBytes,
    String(bytes),
  );
}

/** Allowed, refused after the logout, on every version, by either way of loading. */
const joining = `async (createGuard) => {
  const { SERVICE, DECISION, PASSWORD, SECRET } = process.env;
  const guard = await createGuard({ url: DECISION, secret: SECRET, service: 'orders', dev: true });
  const call = (path, init) => fetch(SERVICE + '/api/v1' + path, init).then((answer) => answer.json());
  const body = JSON.stringify({ username: 'admin', password: PASSWORD });
  const { token } = await call('/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const authorization = 'Bearer ' + token;
  const decide = async () => await guard.decide({ method: 'GET', target: '/orders', rawHeaders: ['Authorization', authorization], headers: { authorization } });
  const before = await decide();
  await call('/logout', { method: 'POST', headers: { authorization } });
  const after = await decide();
  await guard.close();
  if (before.allowed !== true || after.allowed !== false || after.kind !== 'token_revoked') throw new Error(JSON.stringify([before, after]));
}`;

async function checkGuards(check: Check, folder: string, service: string): Promise<void> {
  const database = await createDatabase({ migrated: false });
  const settings = { ...baseSettings(database.url), APPLICATION_MODE: 'dev', DECISION_SECRET: secret };
  const main = join(service, 'node_modules/portcullis/dist/main.js');
  const process = startProgram(findNode(24), [main, 'serve'], settings);
  try {
    const { port, decisionPort } = JSON.parse(await process.waitForLine(/"msg":"ready"/)) as Record<
      string,
      number
    >;
    const [, password = ''] = /^ *admin +(\S+)/m.exec(process.output) ?? [];
    const env = {
      SERVICE: `http://127.0.0.1:${port}`,
      DECISION: `http://127.0.0.1:${decisionPort}`,
      PASSWORD: password,
      SECRET: secret,
    };
    for (const major of supported) {
      const required = `(${joining})(require('@portcullis/guard').createGuard)`;
      const imported = `import('@portcullis/guard').then(({ createGuard }) => (${joining})(createGuard))`;
      for (const [how, text] of Object.entries({ required, imported })) {
        const problem = await problemOf(findNode(major), ['-e', text], folder, env);
        check(
          `a guard on Node ${major}, ${how}, joins, allows, and refuses after a logout`,
          problem === '',
          problem,
        );
      }
    }
  } finally {
    process.signal('SIGTERM');
    await process.exited;
    await database.drop();
  }
}

const clientPrograms = {
  'program.mts': `import { ClientError, createClient } from '@portcullis/client';
    const client = createClient({ baseUrl: 'http://127.0.0.1:8000' });
    const { token } = await client.login({ body: { username: 'mei', password: 'seven' } }).catch((error: unknown) => {
      throw error instanceof ClientError ? new Error(error.kind) : error;
    });
    token satisfies string;
    const { data } = await client.listSessions({ query: { limit: 50 } });
    // @ts-expect-error A field that no endpoint has does not compile.
    data.nothing;
    // @ts-expect-error An id is a number.
    await client.getUser({ params: { id: 'seven' } });\n`,
  'program.cts': `import client = require('@portcullis/client');
    client.createClient().tokenStore.get() satisfies string | null | undefined;\n`,
};

const guardPrograms = {
  'program.mts': `import { createGuard } from '@portcullis/guard';
    import { scopeSql } from '@portcullis/guard/data-scope';
    import { callerOf, protect } from '@portcullis/guard/express';
    import { protect as protectFastify } from '@portcullis/guard/fastify';
    import { protect as protectHandler } from '@portcullis/guard/fetch';
    import { protect as protectHono } from '@portcullis/guard/hono';
    import { protect as protectKoa } from '@portcullis/guard/koa';
    import { scopeWhere } from '@portcullis/guard/kysely';
    import Fastify from 'fastify';
    import { Hono } from 'hono';
    const guard = await createGuard({ url: 'http://127.0.0.1:8002', secret: 'x', service: 'orders' });
    const app = Fastify({ logger: true });
    protectFastify(app, guard);
    app.get('/hello', async ({ caller }) => ({ hello: caller.username satisfies string }));
    new Hono().use(protectHono(guard)).get('/hello', (c) => c.json({ hello: c.var.caller.username satisfies string }));
    protectHandler<{ params: Promise<{ id: string }> }>(guard, async (request, { caller, params }) =>
      Response.json([request.url, caller.username, (await params).id satisfies string]));
    (await guard.decide(new Request('http://127.0.0.1/'))).allowed satisfies boolean;
    const columns = { owner: 'created_by', department: 'department_id' };
    scopeSql({ scope: 'all' }, columns).text satisfies string;
    scopeWhere({ scope: 'all' }, columns);
    const decision = await guard.decide({ method: 'GET', target: '/', rawHeaders: [], headers: {} });
    // @ts-expect-error Who calls is known only of what is allowed.
    decision.caller;
    console.log(callerOf, protect(guard), protectKoa(guard));\n`,
  'program.cts': `import { createGuard, type Guard } from '@portcullis/guard';
    import express = require('@portcullis/guard/express');
    export const create = (): Promise<Guard> => createGuard({ url: '', secret: '', service: '' });
    export const { protect } = express;\n`,
};

/** Strict, and with the declarations of every library checked too. */
async function checkTypes(
  check: Check,
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [file, text] of Object.entries(programs)) await writeFile(join(folder, file), text);
  await linkFrameworks(folder, ['@types/node']);
  const options =
    '--noEmit --strict --skipLibCheck false --checkers 1 --target es2023 --lib es2023,dom --types node'.split(
      ' ',
    );
  const ways = {
    nodenext: ['--module', 'nodenext', ...Object.keys(programs)],
    bundler: ['--module', 'esnext', '--moduleResolution', 'bundler', 'program.mts'],
  };
  for (const [way, given] of Object.entries(ways)) {
    const problem = await problemOf(
      join(repository, 'node_modules/.bin/tsc'),
      [...options, ...given],
      folder,
    );
    const files = given.filter((word) => /\.[cm]ts$/.test(word)).join(' ');
    check(`with ${way} the types hold of ${files}`, problem === '', problem);
  }
}

/** What the project of a program would have installed beside the library. */
async function linkFrameworks(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of names)
    await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name)).catch(() => {});
}

async function problemOf(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return await run(program, words, { cwd, env: { ...process.env, ...env } }).then(
    () => '',
    (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}` || String(error),
  );
}
