// A guard's line to an instance: what is not one of the protocol's messages ends it.
import { compileSchema, FromRelay, guardLine, type OpenConnection } from '@portcullis/gate';
import { type Http, parseJson } from './http.ts';

export function createOpenConnection(http: Http): OpenConnection {
  const isFromRelay = compileSchema(FromRelay);
  return async ({ onMessage, onClosed }) => {
    const line = await http.openLine(guardLine.path);
    let isClosed = false;
    function close(cause?: Error): void {
      if (isClosed) return;
      isClosed = true;
      line.close();
      if (cause !== undefined) onClosed(cause);
    }
    line.on('message', (data) => {
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
    line.on('error', close);
    line.on('close', () => close(new Error(`${new URL(line.url).host} ended the line.`)));
    return { send: (message) => void (isClosed || line.send(JSON.stringify(message))), close: () => close() };
  };
}
