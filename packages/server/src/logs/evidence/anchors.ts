// Lets the heads of both logs leave this host by themselves: what was kept elsewhere shows what is cut off here.
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type AnchorTarget = 'folder' | 'url';

/** Resolves when the text is kept there. */
export type SendAnchor = (text: string, at: Date) => Promise<void>;

export interface AnchorCounts {
  readonly sent: number;
  readonly failed: number;
}

export interface Anchors {
  /** Sends the heads where they have changed since they were last sent; never rejects. */
  send(): Promise<void>;
  status(): Readonly<Partial<Record<AnchorTarget, AnchorCounts>>>;
}

interface AnchorsOptions {
  readonly targets: Readonly<Partial<Record<AnchorTarget, SendAnchor>>>;
  readonly write: (now: Date) => Promise<{ readonly text: string; readonly reached: string }>;
  readonly onFailure: (cause: unknown, what: string) => void;
  readonly now: () => number;
  /** Between two tries. */
  readonly pauseMilliseconds?: number;
}

const mostTries = 3;

export function createAnchors({ write, onFailure, now, ...options }: AnchorsOptions): Anchors {
  const { pauseMilliseconds = 2000 } = options;
  const targets = Object.entries(options.targets) as [AnchorTarget, SendAnchor][];
  const counts = new Map(targets.map(([name]) => [name, { sent: 0, failed: 0 }]));
  /** What each of them has already. */
  const kept = new Map<AnchorTarget, string>();

  async function sendPatiently(send: SendAnchor, text: string, at: Date): Promise<void> {
    for (let tried = 1; ; tried += 1)
      try {
        await send(text, at);
        return;
      } catch (error) {
        // The next round tries again, with newer heads.
        if (tried === mostTries) throw error;
        await sleep(pauseMilliseconds * tried, undefined, { ref: false });
      }
  }

  return {
    async send() {
      const at = new Date(now());
      const heads = await write(at).catch((cause: unknown) => {
        onFailure(cause, 'the heads of the logs could not be written');
        // None of them got anything.
        for (const count of counts.values()) count.failed += 1;
        return undefined;
      });
      if (heads === undefined) return;
      await Promise.all(
        targets.map(async ([name, send]) => {
          if (kept.get(name) === heads.reached) return;
          const count = counts.get(name) ?? { sent: 0, failed: 0 };
          try {
            await sendPatiently(send, heads.text, at);
            kept.set(name, heads.reached);
            count.sent += 1;
          } catch (cause) {
            count.failed += 1;
            onFailure(cause, `the heads of the logs were not kept: anchor ${name}`);
          }
        }),
      );
    },
    status: () => Object.fromEntries(counts),
  };
}

/** A file of its own for every text, which nobody finds half written. */
export function createFolderAnchor(folder: string): SendAnchor {
  return async (text, at) => {
    const name = `heads-${at.toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}.json`;
    const partial = join(folder, `.${name}.partial`);
    await writeFile(partial, text, { flag: 'wx', flush: true });
    await rename(partial, join(folder, name));
  };
}

const answerMilliseconds = 10_000;

/** Redirects are not followed: whoever answers there was not chosen. The URL may hold a secret, so no message names it. */
export function createUrlAnchor(url: string, stopping: AbortSignal): SendAnchor {
  return async (text) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
      redirect: 'error',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(answerMilliseconds)]),
    }).catch((error: Error) => {
      throw new Error(`No answer from \`logger.anchorUrl\`: ${String(error.cause ?? error.name)}`);
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`\`logger.anchorUrl\` answered ${response.status}.`);
  };
}
