// Counts what held. A case that fails leaves a picture of what its pages showed at that moment.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from './world.ts';

/** Gives how many things it saw hold. */
export type Case = () => Promise<number>;

export interface Tally {
  count(): { readonly passed: number; readonly failed: number };
  /** Whether it held. */
  judge(title: string, run: Case, world?: World): Promise<boolean>;
}

export function createTally(): Tally {
  let passed = 0;
  let failed = 0;
  return {
    count: () => ({ passed, failed }),
    async judge(title, run, world) {
      const startedAt = performance.now();
      try {
        const count = await run();
        passed += count;
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        console.log(`ok     ${title} (${count}, ${seconds} s)`);
        return true;
      } catch (error) {
        failed += 1;
        console.error(`FAILED ${title}: ${error instanceof Error ? error.message : String(error)}`);
        for (const file of await takePictures(world?.browser, failed)) console.error(`       ${file}`);
        for (const context of world?.browser.contexts() ?? []) await context.close();
        return false;
      }
    },
  };
}

async function takePictures(browser: World['browser'] | undefined, number: number): Promise<string[]> {
  const folder = join(tmpdir(), 'portcullis-browser');
  mkdirSync(folder, { recursive: true });
  const pages = browser?.contexts().flatMap((context) => context.pages()) ?? [];
  const files: string[] = [];
  for (const [index, page] of pages.entries()) {
    const path = join(folder, `failed-${number}-${index + 1}.png`);
    const taken = await page.screenshot({ path, timeout: 5000 }).catch(() => undefined);
    if (taken !== undefined) files.push(path);
  }
  return files;
}
