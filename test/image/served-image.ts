// The service in a container, from the image's own entrypoint. Its pid is this machine's, so that it can be killed alone.
import { baseSettings } from '../rig/start-server.ts';
import type { Image } from './build-image.ts';
import type { Container } from './container.ts';

export interface ServedImage {
  readonly port: number;
  readonly opsPort: number;
  /** Of the start, the administrator's first password among it. */
  readonly output: string;
  signal(name: NodeJS.Signals): void;
  /** The exit code that the container ends with. */
  readonly exited: Promise<number | null>;
}

type Settings = Readonly<Record<string, string>>;

/** The rig's settings, but for the spool: where that is, the image says. */
export function settingsOf(databaseUrl: string, settings: Settings = {}): Settings {
  const { LOGGER_SPOOL_FOLDER, ...base } = baseSettings(databaseUrl);
  return { ...base, ...settings };
}

/** A command of the image, to its end. */
export async function runCommand(
  { container, image }: { container: Container; image: Image },
  words: readonly string[],
  settings: Settings,
): Promise<{ code: number | null; output: string }> {
  const process = container.start([...image.entrypoint, ...words], settings);
  const code = await process.exited;
  return { code, output: process.output };
}

export async function serveImage(
  { container, image }: { container: Container; image: Image },
  settings: Settings,
): Promise<ServedImage> {
  const started = container.start([...image.entrypoint, ...image.command], settings);
  const ready = JSON.parse(await started.waitForLine(/"msg":"ready"/)) as Record<string, number>;
  const { pid = 0, port = 0, opsPort = 0 } = ready;
  return {
    port,
    opsPort,
    output: started.output,
    signal: (name) => void process.kill(pid, name),
    exited: started.exited,
  };
}
