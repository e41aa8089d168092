// Parser for server-sent events (SSE): reads the events of a response one by one (HTML, 9.2.6). A lost connection or an
// abort throws an error. The iteration ends when the service ends the stream, or when the reader stops.
import { ClientError } from './client-error.ts';
import { lineError } from './read-reply.ts';

export interface StreamEvent {
  /** `message` unless the stream sets another name. */
  readonly name: string;
  /** The last id that the stream sent. */
  readonly id: string;
  /** The parsed JSON. */
  readonly data: unknown;
}

// A carriage return at the very end can be the first half of a line break.
const lineBreak = /\r\n|\n|\r(?!$)/;

export async function* readEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const parse = createParser();
  let rest = '';
  try {
    for (;;) {
      const piece = await reader?.read().catch((cause) => Promise.reject(lineError(cause, signal)));
      if (piece === undefined || piece.done) return;
      const lines = (rest + decoder.decode(piece.value, { stream: true })).split(lineBreak);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = parse(line);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/** Takes one line at a time; an empty line ends an event. */
function createParser(): (line: string) => StreamEvent | undefined {
  let name = '';
  let id = '';
  let data: string[] = [];
  return function parse(line) {
    if (line !== '') {
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'event') name = value;
      else if (field === 'id') id = value;
      else if (field === 'data') data.push(value);
      return undefined;
    }
    const event = data.length === 0 ? undefined : { name: name || 'message', id, data: parseJson(data) };
    name = '';
    data = [];
    return event;
  };
}

function parseJson(lines: readonly string[]): unknown {
  try {
    return JSON.parse(lines.join('\n'));
  } catch (cause) {
    throw new ClientError('not_understood', { cause });
  }
}
