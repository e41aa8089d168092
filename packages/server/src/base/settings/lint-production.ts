// Lint of the settings outside dev: combinations that would leave production open although each setting is valid, each with its
// remedy.
import { statSync } from 'node:fs';
import type { SettingsSource } from './read-settings.ts';
import { allSettings, type Settings } from './schema.ts';

/** OWASP: 7 MiB with five passes is the least memory; memory times passes is the same for all of OWASP's choices. */
const leastHashMemoryKibibytes = 7168;
const leastHashWorkKibibytes = 35_840;

export function lintProduction(settings: Settings, environment: SettingsSource['environment']): string[] {
  return [
    ...lintSecretFiles(environment),
    ...lintHashCost(settings.hash),
    ...lintDecision(settings.decision),
  ];
}

export function lintSecretFiles(environment: SettingsSource['environment']): string[] {
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
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & forOthers) !== 0;
}

/** A finding here does not refuse the start. */
export function lintSettingsFile(file: string | undefined, secretsInFile: readonly string[]): string[] {
  if (file === undefined || secretsInFile.length === 0 || !isReadableByOthers(file)) return [];
  const keys = secretsInFile.map((key) => `\`${key}\``).join(' and ');
  return [`Everybody on this machine may read ${keys} in ${file}. Run \`chmod 600 ${file}\`.`];
}

export function lintHashCost({ memoryKibibytes, passes }: Omit<Settings['hash'], 'concurrency'>): string[] {
  if (memoryKibibytes >= leastHashMemoryKibibytes && memoryKibibytes * passes >= leastHashWorkKibibytes)
    return [];
  return [
    `\`hash.memoryKibibytes\` (${memoryKibibytes}) with \`hash.passes\` (${passes}) makes passwords too cheap to guess. Leave them out, or use at least ${leastHashMemoryKibibytes} and a product of at least ${leastHashWorkKibibytes}.`,
  ];
}

const leastSecretLength = 32;
/** The hex text of 16 random bytes has fewer different characters once in 10^7 times. */
const leastDifferentCharacters = 8;

export function lintDecision({ secret, previousSecret }: Settings['decision']): string[] {
  const remedy = 'Make one with `openssl rand -hex 32`.';
  return Object.entries({ secret, previousSecret }).flatMap(([name, text]) => {
    if (text === '') return [];
    if (!/^[!-~]*$/.test(text))
      return [`\`decision.${name}\` has characters that no header can carry. ${remedy}`];
    if (text.length < leastSecretLength || new Set(text).size < leastDifferentCharacters)
      return [`\`decision.${name}\` can be guessed: it is short or repeats itself. ${remedy}`];
    return [];
  });
}
