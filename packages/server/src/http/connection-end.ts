// Ends connections on which something came that is no HTTP: with one answer, in its turn, or with none where one
// was given. An answer that belongs to no request would be taken for that of the next (response smuggling).
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const latest = Symbol('the response that was begun last');
const ending = Symbol('nothing more is read from here');

interface Connection extends Duplex {
  [latest]?: ServerResponse;
  [ending]?: true;
}

/** A client that reads nothing and closes nothing keeps its socket no longer than this. */
const lingerMilliseconds = 1000;

/** Whether a request may be run: what follows one that ends its connection is not. */
export function beginResponse(socket: Connection, response: ServerResponse): boolean {
  if (socket[ending] === true || !socket.writable) return false;
  socket[latest] = response;
  return true;
}

/** The answer that is written next is the last one here. */
export function endAfter(socket: Connection, response: ServerResponse): void {
  socket[ending] = true;
  response.setHeader('connection', 'close');
  response.once('finish', () => linger(socket));
}

/** For what the parser could not read, and CONNECT: `answer` is written where it is the turn of one. */
export function endConnection(socket: Connection, errorCode: string | undefined, answer: () => string): void {
  if (socket[ending] === true) return;
  const before = socket[latest];
  // After `Connection: close` nothing is read, so nothing is answered either.
  if (before !== undefined && errorCode === 'HPE_CLOSED_CONNECTION') return;
  socket[ending] = true;
  const isInBody = before !== undefined && !before.req.complete;
  if (isInBody && before.headersSent) end(socket, '');
  else if (isInBody || before === undefined || before.writableFinished) end(socket, answer());
  else before.once('finish', () => end(socket, answer()));
}

/** How many of them are closed before other work has its turn: about two milliseconds of it. */
const closedAtOnce = 32;

/** For clients that were too slow: they get no answer, and thousands whose time is up at once hold up nobody. */
export function createSlowCloser(): (socket: Connection) => void {
  const waiting: Connection[] = [];
  function closeSome(): void {
    for (const socket of waiting.splice(0, closedAtOnce)) socket.destroy();
    if (waiting.length > 0) setImmediate(closeSome);
  }
  return (socket) => {
    if (socket[ending] === true) return;
    socket[ending] = true;
    waiting.push(socket);
    if (waiting.length === 1) setImmediate(closeSome);
  };
}

function end(socket: Duplex, text: string): void {
  if (!socket.writable) return;
  socket.end(text);
  linger(socket);
}

/** Not destroyed at once: what is still unread would reset the connection, and the answer with it. */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once('close', () => clearTimeout(timer));
}
