// Sends one probe exactly as written, and reads the answer.
import { type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Probe } from './gateway-probes.ts';
import type { Answer } from './judge-answer.ts';

const timeoutMilliseconds = 10_000;
const mostBytes = 64 * 1024;
const nothing: Answer = { status: 0, reason: undefined, requestId: undefined, text: '', isEarly: false };

export function sendProbe(gateway: URL, probe: Probe, heldMilliseconds: number): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const opened = open(gateway, probe);
  const body = probe.holdsBody ? '{}' : '';
  let hasBody = !probe.holdsBody;
  const finishBody = () => {
    hasBody = true;
    opened.end(body);
  };
  opened
    .on('response', (response) => {
      const isEarly = !hasBody;
      let text = '';
      const finish = () => {
        opened.destroy();
        const { 'x-auth-reason': reason, 'x-request-id': requestId } = response.headers;
        resolve({
          ...{ status: response.statusCode ?? 0, text, isEarly },
          ...{ reason: textOf(reason), requestId: textOf(requestId) },
        });
      };
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          if (text.length < mostBytes) text += part;
        })
        .on('end', finish)
        .on('error', finish);
    })
    .on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ ...nothing, status: 101 });
    })
    .on('timeout', () => opened.destroy())
    .on('error', () => resolve(nothing));
  if (!probe.holdsBody) {
    finishBody();
    return promise;
  }
  opened.flushHeaders();
  const timer = setTimeout(finishBody, heldMilliseconds);
  return promise.finally(() => clearTimeout(timer));
}

function open(gateway: URL, { method, target, headers, holdsBody }: Probe): ClientRequest {
  const connection = headers.includes('Upgrade') ? 'Upgrade, HTTP2-Settings' : 'close';
  const options: RequestOptions = {
    hostname: gateway.hostname.replace(/^\[|\]$/g, ''),
    port: gateway.port,
    method,
    path: target,
    headers: [
      ...['Host', gateway.host, 'Connection', connection, 'Content-Length', holdsBody ? '2' : '0'],
      ...headers,
    ],
    timeout: timeoutMilliseconds,
  };
  return (gateway.protocol === 'https:' ? requestHttps : requestHttp)(options);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
