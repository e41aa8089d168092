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
      `${variable}_FILE names ${file}, which every user of this host can read. Run \`chmod 600 ${file}\`, or mount the secret with mode 0400.`,
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
  return [`Every user of this host can read ${keys} in ${file}. Run \`chmod 600 ${file}\`.`];
}

export function lintHashCost({ memoryKibibytes, passes }: Omit<Settings['hash'], 'concurrency'>): string[] {
  if (memoryKibibytes >= leastHashMemoryKibibytes && memoryKibibytes * passes >= leastHashWorkKibibytes)
    return [];
  return [
    `\`hash.memoryKibibytes\` (${memoryKibibytes}) with \`hash.passes\` (${passes}) makes password hashes too easy to crack. Remove both settings, or set at least ${leastHashMemoryKibibytes} and a product of at least ${leastHashWorkKibibytes}.`,
  ];
}

const leastSecretLength = 32;
/** The hex text of 16 random bytes has fewer different characters once in 10^7 times. */
const leastDifferentCharacters = 8;

export function lintDecision({ secret, previousSecret }: Settings['decision']): string[] {
  const remedy = 'Create one with `openssl rand -hex 32`.';
  return Object.entries({ secret, previousSecret }).flatMap(([name, text]) => {
    if (text === '') return [];
    if (!/^[!-~]*$/.test(text))
      return [`\`decision.${name}\` contains characters that an HTTP header cannot contain. ${remedy}`];
    if (text.length < leastSecretLength || new Set(text).size < leastDifferentCharacters)
      return [`\`decision.${name}\` is easy to guess: it is too short or repeats characters. ${remedy}`];
    return [];
  });
}
