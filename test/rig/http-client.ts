// A client that sends the request target as it is given (fetch would normalise it) and remembers every answer.
import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { mostResent, note } from './notes.ts';

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it stands. */
  readonly text?: string;
}

export interface Answer {
  readonly request: Request;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON object in the answer; empty where it is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface HttpClient {
  send(request: Request): Promise<Answer>;
  /** Every answer so far. */
  readonly answers: readonly Answer[];
  close(): void;
}

interface ClientOptions {
  /** One that sends too much to remember does not. */
  readonly remembers: boolean;
  /**
   * Whether a request is sent again that met a connection which the server had just closed for being idle, or that came
   * so late after its connection that the server had closed it: what clients do, unless they are told otherwise.
   */
  readonly resends?: boolean;
}

export function createHttpClient(
  port: number,
  { remembers, resends = true }: ClientOptions = { remembers: true },
): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
  const answers: Answer[] = [];
  const tries = resends ? mostTries : 1;
  return {
    answers,
    async send(request) {
      const answer = await exchange(request, { port, agent, tries });
      if (remembers) answers.push(answer);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** The second has a separate connection. */
const mostTries = 2;
/** How long a server waits for a request on a new connection. */
const patienceMilliseconds = 5000;

interface Way {
  readonly port: number;
  readonly agent: Agent | false;
  /** Those that are left. */
  readonly tries: number;
}

function exchange(request: Request, { port, agent, tries }: Way): Promise<Answer> {
  const startedAt = performance.now();
  const content = request.body === undefined ? request.text : JSON.stringify(request.body);
  const headers = {
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
    ...request.headers,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const opened = openRequest({
    host: '127.0.0.1',
    port,
    agent,
    method: request.method ?? 'GET',
    path: request.path,
    headers,
  })
    .on('error', (error: NodeJS.ErrnoException) => {
      const isLate = opened.reusedSocket || performance.now() - startedAt >= patienceMilliseconds;
      const isClosed = /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');
      if (tries > 1 && isLate && isClosed) {
        note('retried', 'a request on a connection that the server had closed', mostResent);
        exchange(request, { port, agent: false, tries: tries - 1 }).then(resolve, reject);
      } else reject(error);
    })
    .on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .on('error', reject)
        .on('end', () => {
          resolve({
            request,
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parseObject(text),
          });
        });
    });
  opened.end(content);
  return promise;
}

export function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
