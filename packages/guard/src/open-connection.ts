// Opens the WebSocket connection of a guard to an instance. A message that is not part of the protocol closes it.
import { compileSchema, FromRelay, guardConnectionRoute, type OpenConnection } from '@portcullis/gate';
import { type Http, parseJson } from './http.ts';

export function createOpenConnection(http: Http): OpenConnection {
  const isFromRelay = compileSchema(FromRelay);
  return async ({ onMessage, onClosed }) => {
    const socket = await http.openConnection(guardConnectionRoute.path);
    let isClosed = false;
    function close(cause?: Error): void {
      if (isClosed) return;
      isClosed = true;
      socket.close();
      if (cause !== undefined) onClosed(cause);
    }
    socket.on('message', (data) => {
      if (isClosed) return;
      try {
        const message = parseJson(String(data));
        if (!isFromRelay(message))
          throw new Error('The decision listener sends something that this guard cannot read.');
        onMessage(message);
      } catch (cause) {
        close(cause as Error);
      }
    });
    socket.on('error', close);
    socket.on('close', () => close(new Error(`${new URL(socket.url).host} closed the connection.`)));
    return {
      send: (message) => void (isClosed || socket.send(JSON.stringify(message))),
      close: () => close(),
    };
  };
}
