// `portcullis keys`
import type { Command } from 'commander';
import { resealKeys } from '../identity/keys/reseal-keys.ts';
import { withStore } from './with-store.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('The signing keys.');
  keys
    .command('reseal')
    .description(
      'Seal the signing keys with `auth.masterKey`, opened with `auth.previousMasterKey` where needed.',
    )
    .action(() =>
      withStore(program, async (store, { sealingKeys }) => {
        const { resealed, left } = await resealKeys(store, sealingKeys);
        process.stdout.write(`Sealed ${resealed} keys with the master key.\n`);
        for (const kid of left) process.stdout.write(`Left ${kid}, which neither master key opens.\n`);
      }),
    );
}
