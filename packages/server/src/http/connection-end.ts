// Ends connections on which something other than HTTP arrived: with one error response in its order, or with none when a response
// was sent already. A response that belongs to no request would be taken for that of the next request (response smuggling).
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const latest = Symbol('the response that was begun last');
const ending = Symbol('nothing more is read from here');

interface Connection extends Duplex {
  [latest]?: ServerResponse;
  [ending]?: true;
}

/** A client that neither reads nor closes keeps its socket for at most this time. */
const lingerMilliseconds = 1000;

/** Whether a request can run: one after a request that ends its connection cannot. */
export function beginResponse(socket: Connection, response: ServerResponse): boolean {
  if (socket[ending] === true || !socket.writable) return false;
  socket[latest] = response;
  return true;
}

/** The response that is written next is the last one on this connection. */
export function endAfter(socket: Connection, response: ServerResponse): void {
  socket[ending] = true;
  response.setHeader('connection', 'close');
  response.once('finish', () => linger(socket));
}

/** For unreadable input and CONNECT: writes `answer` after the response before it, if there is one. */
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

/** The number of connections that are closed before other work runs: about two milliseconds. */
const closedAtOnce = 32;

/** Closes the connections of slow clients without a response. Thousands that time out at once must not block other requests. */
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

/** Does not destroy the socket at once: unread input would reset the connection, and lose the response. */
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  socket.once('close', () => clearTimeout(timer));
}
