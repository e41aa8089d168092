// Exports the signed heads of both logs to a folder or a URL outside this host (anchors): a head that was kept elsewhere shows
// when records are cut off here.
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyAddress } from '../../base/outbound/allowed-addresses.ts';
import type { ResolveHost } from '../../base/outbound/host-resolver.ts';
import { createHttpClient } from '../../base/outbound/http-client.ts';

export type AnchorTarget = 'folder' | 'url';

/** Resolves when the target has stored the text. */
export type SendAnchor = (text: string, at: Date) => Promise<void>;

export interface AnchorCounts {
  readonly sent: number;
  readonly failed: number;
}

export interface Anchors {
  /** Sends the heads when they have changed since the last time; never rejects. */
  send(): Promise<void>;
  status(): Readonly<Partial<Record<AnchorTarget, AnchorCounts>>>;
}

interface AnchorsOptions {
  readonly targets: Readonly<Partial<Record<AnchorTarget, SendAnchor>>>;
  readonly write: (now: Date) => Promise<{ readonly text: string; readonly reached: string }>;
  readonly onFailure: (cause: unknown, what: string) => void;
  readonly now: () => number;
  /** The pause between two tries. */
  readonly pauseMilliseconds?: number;
}

const mostTries = 3;

export function createAnchors({ write, onFailure, now, ...options }: AnchorsOptions): Anchors {
  const { pauseMilliseconds = 2000 } = options;
  const targets = Object.entries(options.targets) as [AnchorTarget, SendAnchor][];
  const counts = new Map(targets.map(([name]) => [name, { sent: 0, failed: 0 }]));
  /** What each target has already. */
  const kept = new Map<AnchorTarget, string>();

  async function sendWithRetry(send: SendAnchor, text: string, at: Date): Promise<void> {
    for (let tried = 1; ; tried += 1)
      try {
        await send(text, at);
        return;
      } catch (error) {
        // The next round retries, with newer heads.
        if (tried === mostTries) throw error;
        await sleep(pauseMilliseconds * tried, undefined, { ref: false });
      }
  }

  return {
    async send() {
      const at = new Date(now());
      const heads = await write(at).catch((cause: unknown) => {
        onFailure(cause, 'the heads of the logs could not be written');
        // No target received anything.
        for (const count of counts.values()) count.failed += 1;
        return undefined;
      });
      if (heads === undefined) return;
      await Promise.all(
        targets.map(async ([name, send]) => {
          if (kept.get(name) === heads.reached) return;
          const count = counts.get(name) ?? { sent: 0, failed: 0 };
          try {
            await sendWithRetry(send, heads.text, at);
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

/** Writes each text to a new file; the rename ensures that no reader finds it half written. */
export function createFolderAnchor(folder: string): SendAnchor {
  return async (text, at) => {
    const name = `heads-${at.toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}.json`;
    const partial = join(folder, `.${name}.partial`);
    await writeFile(partial, text, { flag: 'wx', flush: true });
    await rename(partial, join(folder, name));
  };
}

const limits = { wholeMilliseconds: 10_000, mostBytes: 16_384 };

/** At any address, because the operator chose it. The URL can hold a secret, so no message names it. */
export function createUrlAnchor(url: string, resolve: ResolveHost, stopping: AbortSignal): SendAnchor {
  const client = createHttpClient({ ...limits, addresses: anyAddress, resolve });
  return async (body) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body, signal: stopping, isStatusEnough: true };
    const { status } = await client.send(new URL(url), request).catch((error: Error) => {
      throw new Error(`No answer from \`logger.anchorUrl\`: ${error.message}`);
    });
    if (status < 200 || status > 299) throw new Error(`\`logger.anchorUrl\` answered ${status}.`);
  };
}
