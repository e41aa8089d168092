// Notification streams for guards of the previous version: each new revision is sent as a line with its number. A stream
// that is too slow is closed. The guard then opens another one, and polls meanwhile.
import type { ServerResponse } from 'node:http';
import { ringBeatMilliseconds } from '@portcullis/gate';
import { unbuffered } from '../../../http/headers.ts';

export interface NotificationStreams {
  open(response: ServerResponse): void;
  endAll(): void;
}

const mostUnsentBytes = 64 * 1024;

export function createNotificationStreams(
  onRing: (listener: (revision: number) => void) => () => void,
): NotificationStreams {
  const open = new Set<ServerResponse>();
  return {
    open(response) {
      const send = (line: string) => {
        if (response.writableLength > mostUnsentBytes) response.destroy();
        else response.write(line);
      };
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store', ...unbuffered });
      send('\n');
      const unsubscribe = onRing((revision) => send(`${revision}\n`));
      const beat = setInterval(() => send('\n'), ringBeatMilliseconds);
      open.add(response);
      response.once('close', () => {
        clearInterval(beat);
        unsubscribe();
        open.delete(response);
      });
    },
    endAll() {
      for (const response of open) response.end();
    },
  };
}
