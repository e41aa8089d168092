// Reads the anchors (exported heads of the logs) that `log verify --anchor` names: a file, a folder of files, or a URL.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, lintAnchorUrl } from '@portcullis/server/base/settings/config.ts';
import {
  type KeptHeads,
  mergeKeptHeads,
  parseKeptHeads,
} from '@portcullis/server/logs/evidence/kept-heads.ts';
import { countOf } from '../../terminal/count-of.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { readFile } from '../../terminal/read-file.ts';

type Settings = Pick<Config, 'chainKeys' | 'devKeys'>;

const answerMilliseconds = 30_000;
const mostBytes = 64 * 1024 * 1024;

/** All anchors merged into one; undefined if the command names none. */
export async function readAnchors(
  places: readonly string[],
  deployment: string,
  settings: Settings,
): Promise<KeptHeads | undefined> {
  let kept: KeptHeads | undefined;
  for (const place of places) {
    let [read, strange] = [0, 0];
    // One file at a time: a folder can hold the files of years.
    for await (const text of readTexts(place, settings)) {
      const heads = parseKeptHeads(settings.chainKeys, text);
      if (heads === undefined) {
        strange += 1;
        continue;
      }
      if (heads.deployment !== deployment) throw unusable(place, 'was kept of the logs of another database');
      kept = mergeKeptHeads(kept === undefined ? [heads] : [kept, heads]);
      read += 1;
    }
    if (read === 0) throw unusable(place, 'is not what Portcullis wrote under these master keys');
    if (strange > 0)
      process.stderr.write(
        `Left out ${countOf(strange, 'file')} of ${place} that neither master key signed.\n`,
      );
  }
  return kept;
}

async function* readTexts(place: string, { devKeys }: Settings): AsyncGenerator<string> {
  if (/^https?:\/\//i.test(place)) {
    if (lintAnchorUrl({ anchorUrl: place }, devKeys).length > 0)
      throw new CommandFailure('An anchor is fetched over HTTPS only.', exitCodes.usage);
    yield await fetchText(place);
    return;
  }
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
    yield readFile(place);
    return;
  }
  const files = readdirSync(place).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  for (const name of files.sort()) yield readFile(join(place, name));
}

async function fetchText(url: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(answerMilliseconds);
    const response = await fetch(url, { redirect: 'error', signal });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new Error('its answer is too long');
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CommandFailure(
      `The anchor cannot be fetched: ${String((cause as Error | undefined)?.message ?? message)}. Try again, or name a file.`,
      exitCodes.unavailable,
    );
  }
}

function unusable(place: string, what: string): CommandFailure {
  return new CommandFailure(`${place} ${what}.`, exitCodes.configuration);
}
