// What would run production open although every single setting is valid, each with what to do. Asked outside dev.
import { statSync } from 'node:fs';
import type { SettingsSource } from './read-settings.ts';
import { allSettings, type Settings } from './schema.ts';

/** OWASP: 7 MiB with five passes is the least memory, and memory times passes is the same for all its choices. */
const leastHashMemoryKibibytes = 7168;
const leastHashWorkKibibytes = 35_840;

export function lintProduction(settings: Settings, environment: SettingsSource['environment']): string[] {
  return [...lintSecretFiles(environment), ...lintHashCost(settings.hash)];
}

function lintSecretFiles(environment: SettingsSource['environment']): string[] {
  return allSettings.flatMap(({ variable, schema }) => {
    const file = environment[`${variable}_FILE`];
    if (schema.secret !== true || file === undefined || !isReadableByOthers(file)) return [];
    return [
      `${variable}_FILE names ${file}, which everybody on this machine may read. Run \`chmod 600 ${file}\`, or mount the secret with mode 0400.`,
    ];
  });
}

function isReadableByOthers(file: string): boolean {
  const forOthers = 0o004;
  return (statSync(file).mode & forOthers) !== 0;
}

function lintHashCost({ memoryKibibytes, passes }: Settings['hash']): string[] {
  if (memoryKibibytes >= leastHashMemoryKibibytes && memoryKibibytes * passes >= leastHashWorkKibibytes)
    return [];
  return [
    `\`hash.memoryKibibytes\` (${memoryKibibytes}) with \`hash.passes\` (${passes}) is too cheap to guess. Leave them out, or take at least ${leastHashMemoryKibibytes} and a product of at least ${leastHashWorkKibibytes}.`,
  ];
}
