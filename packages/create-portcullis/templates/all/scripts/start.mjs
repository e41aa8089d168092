// Starts everything on this machine to try it: Portcullis with made-up users in memory, this service, and its page if
// it has one. Then it makes one allowed and one refused call, and asks Portcullis why.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const secretFile = 'secrets/decision-secret';
const settings = 'secrets/demo.yaml';
const children = [];
let isEnding = false;

/** Starts a Node script, and prints its lines unless `onLine` takes them. */
function start(name, words, env, onLine = (line) => console.log(`[${name}] ${line}`)) {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const errors = [];
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line) > 40 && errors.shift());
  child.once('exit', (code) => {
    if (isEnding) return;
    console.error(`${name} ended with ${code}:\n${errors.join('\n')}`);
    end(1);
  });
  return child;
}

function end(code) {
  if (isEnding) return;
  isEnding = true;
  rmSync(settings, { force: true });
  const left = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  if (left.length === 0) process.exit(code);
  for (const child of left) {
    child.once(
      'exit',
      () => left.every((one) => one.exitCode !== null || one.signalCode !== null) && process.exit(code),
    );
    child.kill('SIGTERM');
  }
  setTimeout(() => process.exit(code), 5000).unref();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(0));

/** The wanted port, or a free one if it is in use. */
function findPort(wanted) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => findPort(0).then(resolve));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a script, and resolves with what `find` returns for one of its lines. */
function startUntil(name, words, env, find) {
  return new Promise((resolve) => {
    start(name, words, env, (line) => {
      const found = find(line);
      if (found) resolve(found);
      // Does not print the output of Vite, which is long.
      else if (name !== 'web') console.log(`[${name}] ${line}`);
    });
  });
}

const call = async (url, init) => await (await fetch(url, init)).json();

async function logIn(portcullis, account) {
  const headers = { 'content-type': 'application/json' };
  const { token, msg } = await call(`${portcullis}/api/v1/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(account),
  });
  if (token === undefined) throw new Error(`${account.username} cannot log in: ${msg}`);
  return { authorization: `Bearer ${token}` };
}

console.log('Starting Portcullis with made-up people, in memory ...');
const port = await findPort(8000);
const portcullis = `http://127.0.0.1:${port}`;
const demo = ['node_modules/portcullis/dist/main.js', 'demo', '--json', '--port', String(port)];
const facts = await startUntil('portcullis', [...demo, '--decision-secret-file', secretFile], {}, (line) =>
  line.startsWith('{"console"') ? JSON.parse(line) : undefined,
);
// For other commands of Portcullis while this runs.
copyFileSync(facts.settingsFile, settings);

console.log('Starting your service ...');
if (scripts.build !== undefined)
  await new Promise((resolve) => {
    const build = spawn('npm', ['run', '--silent', 'build'], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    build.once('exit', (code) => (code === 0 ? resolve() : end(1)));
  });
const servicePort = await findPort(Number(process.env.PORT ?? 3000));
const environment = {
  DECISION_URL: facts.decision,
  DECISION_SECRET: readFileSync(secretFile, 'utf8').trim(),
  PORTCULLIS_MODE: 'dev',
  PORT: String(servicePort),
};
await startUntil('service', scripts.service.split(' ').slice(1), environment, (line) =>
  line.startsWith('Listening'),
);
const service = `http://127.0.0.1:${servicePort}`;

let page = '';
if (existsSync('web')) {
  const webPort = await findPort(5173);
  const vite = [
    'node_modules/vite/bin/vite.js',
    'web',
    '--host',
    '127.0.0.1',
    '--port',
    String(webPort),
    '--strictPort',
  ];
  await startUntil('web', vite, { PORTCULLIS_URL: portcullis, SERVICE_URL: service, NO_COLOR: '1' }, (line) =>
    line.includes('Local:'),
  );
  page = `http://127.0.0.1:${webPort}/`;
}

const { clerk, administrator } = facts;
const headers = await logIn(portcullis, clerk);
const adminHeaders = await logIn(portcullis, administrator);

/** Makes both calls as the clerk, and asks for the reason of the second answer. */
async function showCalls() {
  const listed = await call(`${service}/stock/items`, { headers });
  const removed = await call(`${service}/stock/items/1`, { method: 'DELETE', headers });
  const query = new URLSearchParams({ roleKey: 'clerk', method: 'DELETE', path: '/stock/items/1' });
  const why = await call(`${portcullis}/api/v1/explain?${query}`, { headers: adminHeaders });
  const say = ({ code, msg }, done) =>
    code === 200 ? `allowed${done}` : code === 401 ? `refused: ${msg}` : `allowed: ${msg}`;
  console.log(`
  ${clerk.username}, a clerk, calls it:
    GET /stock/items       ${say(listed, `: ${listed.data?.length} items`)}
    DELETE /stock/items/1  ${say(removed, '')}

  Why?
    ${why.data?.sentence ?? why.msg}`);
}

console.log(`\nYour service is ${service}, and Portcullis decides who may call it.`);
await showCalls();
console.log(`
  Let clerks do it, in a second terminal in this folder:
    npx portcullis rules grant clerk DELETE '/stock/items/:id' --config ${settings}
${process.stdin.isTTY ? '  and press Enter here to make both calls again.\n' : ''}
${page === '' ? '' : `  Page      ${page}   sign in as ${clerk.username}\n`}  Console   ${facts.console}   roles, rules, people
  ${administrator.username.padEnd(9)} ${administrator.password}   may do everything
  ${clerk.username.padEnd(9)} ${clerk.password}   the clerk

  The service is src/main.ts; what comes next is in README.md. Ctrl-C ends all of it.
`);
if (process.stdin.isTTY)
  createInterface({ input: process.stdin }).on(
    'line',
    () => void showCalls().catch((error) => console.error(String(error))),
  );
