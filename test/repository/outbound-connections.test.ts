// Every outbound connection of the service goes through the SSRF guard in `base/outbound/`: no other file opens one.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const guarded = 'packages/server/src/base/outbound/';
const operator = 'packages/operator/src/';

const exceptions: Readonly<Record<string, string>> = {
  'packages/server/src/people/mail/smtp.ts':
    'nodemailer connects the socket, to the mail server of the settings',
  'packages/server/src/logs/login-log/spool/owner.ts':
    'a Unix socket in the spool, between processes of this host',
  [`${operator}cli/commands/read-anchors.ts`]: 'a person reads an address that they type',
  [`${operator}cli/commands/self-test/send-probe.ts`]: 'a person probes a proxy whose address they type',
  [`${operator}doctor/host-checks.ts`]: 'a person checks the addresses of the settings',
};

const sources = globSync('packages/{server,operator}/src/**/*.ts').filter(
  (file) => !file.startsWith(guarded),
);

/** What a file imports as a value from these modules. */
function imported(text: string, modules: RegExp): string[] {
  return [...text.matchAll(/import\s+(?!type\b)([^;]*?)\s+from\s+'([^']+)'/g)]
    .filter(([, , name = '']) => modules.test(name))
    .flatMap(([, names = '']) => (/[{]/.test(names) ? names.replace(/[{}]/g, '').split(',') : ['everything']))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' ')[0] ?? '');
}

/** What can open a connection in the text of a file. */
function connectionsIn(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  // The parameter of the code for providers has the type of `provider-fetch.ts`.
  const callsFetch = /(?<![.\w])(globalThis\.)?fetch\(/.test(code) && !code.includes('ProviderFetch');
  return [
    ...imported(code, /^node:https?$/).filter((name) =>
      /^(request|get|Agent|default|everything)$/.test(name),
    ),
    ...imported(code, /^node:(net|tls)$/).filter((name) =>
      /^(connect|createConnection|Socket|TLSSocket|default|everything)$/.test(name),
    ),
    ...imported(code, /^(node:(http2|dgram|dns|dns\/promises)|undici)$/),
    ...imported(code, /^ws$/).filter((name) => name !== 'WebSocketServer'),
    ...(/\bnew (WebSocket|EventSource)\(/.test(code) ? ['WebSocket'] : []),
    ...(/\bimport\(\s*'(node:(https?|http2|net|tls|dns|dgram)|undici)'/.test(code) ? ['import'] : []),
    ...(callsFetch ? ['fetch'] : []),
  ];
}

it.each([
  ["import { request } from 'node:https';", ['request']],
  ["import {\n  type IncomingMessage,\n  request as ask,\n} from 'node:http';", ['request']],
  ["import http from 'node:http';", ['everything']],
  ["import * as net from 'node:net';", ['everything']],
  ["import { connect } from 'node:tls';", ['connect']],
  ["import { lookup } from 'node:dns/promises';", ['lookup']],
  ["import { WebSocket } from 'ws';", ['WebSocket']],
  ["await import('node:net');", ['import']],
  ['await fetch(url);', ['fetch']],
  ['await globalThis.fetch(url);', ['fetch']],
  ["import type { Socket } from 'node:net';", []],
  ["import { createServer, type Socket } from 'node:net';", []],
  ["import { type WebSocket, WebSocketServer } from 'ws';", []],
  ['// fetch(url)', []],
])('finds the connections in %j', (text, found) => {
  expect(connectionsIn(text)).toEqual(found);
});

it('no file outside `base/outbound/` opens an outbound connection', () => {
  expect(sources.length).toBeGreaterThan(300);
  const open = sources.filter((file) => connectionsIn(readFileSync(file, 'utf8')).length > 0);
  expect(open.toSorted(), 'Use `createHttpClient` or `createConnect`.').toEqual(
    Object.keys(exceptions).toSorted(),
  );
});
