// Loads the settings from one YAML file, the program and the environment (which wins), and reports each invalid key.
import { existsSync, readFileSync } from 'node:fs';
import { createAjv } from '@portcullis/gate';
import { parse } from 'yaml';
import { isRecord } from '../values/is-record.ts';
import { StartRefusal } from '../values/start-refusal.ts';
import { allSettings, type Setting, type Settings } from './schema.ts';
import { suggest } from './suggest.ts';

export interface SettingsSource {
  readonly file?: string | undefined;
  /** Sections and keys as in the file; they win over the file. */
  readonly values?: object | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface GatheredSettings {
  /** Where a value is invalid, its default is used. */
  readonly settings: Settings;
  readonly reasons: readonly string[];
  /** The source of each value by key; a default has no entry. */
  readonly origins: ReadonlyMap<string, string>;
  /** Keys of the secrets that the file itself contains. */
  readonly secretsInFile: readonly string[];
}

export function readSettings(source: SettingsSource): Settings {
  const { settings, reasons } = gatherSettings(source);
  if (reasons.length > 0) throw new StartRefusal(reasons);
  return settings;
}

/** Reads all settings and collects every problem instead of throwing. */
export function gatherSettings({ file, values: given, environment }: SettingsSource): GatheredSettings {
  const reasons: string[] = [];
  const values = defaults();
  const origins = new Map<string, string>();
  const document = file === undefined ? {} : readFile(file, reasons);
  for (const key of merge(values, document, reasons)) origins.set(key, file ?? '');
  if (given !== undefined)
    for (const key of merge(values, structuredClone(given), reasons)) origins.set(key, 'program');
  for (const setting of allSettings) {
    const text = environmentValue(setting, environment, reasons);
    if (text === undefined) continue;
    section(values, setting)[setting.name] = typed(setting, text);
    origins.set(setting.key, environment[fileVariable(setting)] ? fileVariable(setting) : setting.variable);
  }
  reasons.push(...misspeltVariables(environment));
  for (const { setting, reason } of listInvalid(values, origins)) {
    reasons.push(reason);
    section(values, setting)[setting.name] = structuredClone(setting.schema.default);
    origins.delete(setting.key);
  }
  return { settings: values as unknown as Settings, reasons, origins, secretsInFile: listSecrets(document) };
}

/** A URL counts as a secret only if it has a password. */
function listSecrets(document: unknown): string[] {
  return allSettings
    .filter(({ section, name, schema }) => {
      const content = entries(document).find(([key]) => key === section)?.[1];
      const text = String(entries(content).find(([key]) => key === name)?.[1] ?? '');
      return schema.secret === true && text !== '' && !(URL.canParse(text) && new URL(text).password === '');
    })
    .map(({ key }) => key);
}

type Values = Record<string, Record<string, unknown>>;

function defaults(): Values {
  const values: Values = {};
  for (const setting of allSettings)
    section(values, setting)[setting.name] = structuredClone(setting.schema.default);
  return values;
}

function section(values: Values, setting: Setting): Record<string, unknown> {
  values[setting.section] ??= {};
  return values[setting.section] ?? {};
}

function readFile(file: string, reasons: string[]): unknown {
  if (!existsSync(file)) {
    reasons.push(`The settings file ${file} does not exist. Create it, or remove --config.`);
    return {};
  }
  try {
    const document: unknown = parse(readFileSync(file, 'utf8')) ?? {};
    if (!isRecord(document))
      reasons.push(
        `The settings file ${file} contains no sections. Write \`section:\`, and its keys below it.`,
      );
    return document;
  } catch (cause) {
    const line = (cause as { linePos?: [{ line: number }] }).linePos?.[0].line;
    reasons.push(
      `The settings file ${file} is not valid YAML${line === undefined ? '' : ` (line ${line})`}. Correct it.`,
    );
    return {};
  }
}

/** Returns the keys that it found. */
function merge(values: Values, document: unknown, reasons: string[]): string[] {
  const found: string[] = [];
  const known = allSettings.map((setting) => setting.key);
  for (const [sectionName, content] of entries(document)) {
    const isEmpty = content === null && sectionName in values;
    if (!isEmpty && !isRecord(content)) reasons.push(unknownKey(sectionName, known));
    for (const [name, value] of entries(content)) {
      const setting = allSettings.find((candidate) => candidate.key === `${sectionName}.${name}`);
      if (setting === undefined) {
        reasons.push(unknownKey(`${sectionName}.${name}`, known));
        continue;
      }
      section(values, setting)[name] = value;
      found.push(setting.key);
    }
  }
  return found;
}

/** The variable that names the file of a secret. */
function fileVariable({ variable }: Setting): string {
  return `${variable}_FILE`;
}

function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function unknownKey(key: string, known: string[]): string {
  const suggestion = suggest(key, known);
  const help =
    suggestion === undefined
      ? 'docs/reference/configuration.md lists all settings.'
      : `Did you mean \`${suggestion}\`?`;
  return `There is no setting \`${key}\`. ${help}`;
}

function environmentValue(
  { variable, schema }: Setting,
  environment: SettingsSource['environment'],
  reasons: string[],
): string | undefined {
  const file = environment[`${variable}_FILE`];
  if (file === undefined) return environment[variable];
  if (schema.secret !== true) {
    reasons.push(`${variable}_FILE is not supported: only secrets can come from files. Set ${variable}.`);
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    reasons.push(`${variable}_FILE names ${file}, which cannot be read. Check the path and its permissions.`);
    return undefined;
  }
}

/** Text settings stay text; YAML parses the others. */
function typed({ schema }: Setting, text: string): unknown {
  if ('type' in schema && schema.type === 'string') return text;
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Other programs use the environment too, so only a near miss of one of our names counts as a misspelling. */
function misspeltVariables(environment: SettingsSource['environment']): string[] {
  const known = allSettings.flatMap(({ variable }) => [variable, `${variable}_FILE`]);
  return Object.keys(environment)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const suggestion = suggest(name, known);
      return suggestion === undefined
        ? []
        : [`The environment variable ${name} is not a setting. Did you mean ${suggestion}?`];
    });
}

/**
 * Validates only given values: to compile the rules of all settings takes a tenth of a start, and a test validates every default.
 */
function listInvalid(
  values: Values,
  given: ReadonlyMap<string, unknown>,
): { setting: Setting; reason: string }[] {
  const settings = allSettings.filter(({ key }) => given.has(key));
  const isValid = createAjv({ allErrors: true }).compile(schemaOf(settings));
  if (isValid(values)) return [];
  return (isValid.errors ?? []).flatMap(({ instancePath, keyword, params, message }) => {
    const setting = settings.find(({ section, name }) =>
      `${instancePath}/`.startsWith(`/${section}/${name}/`),
    );
    return setting === undefined
      ? []
      : [
          {
            setting,
            reason: reasonOf(
              setting,
              keyword === 'type' && params.type === 'array',
              keyword === 'pattern' ? 'has characters that are not allowed, or too many characters' : message,
            ),
          },
        ];
  });
}

function schemaOf(settings: readonly Setting[]) {
  const sections = Object.entries(Object.groupBy(settings, ({ section }) => section)).map(
    ([section, some = []]) => [
      section,
      { properties: Object.fromEntries(some.map(({ name, schema }) => [name, schema])) },
    ],
  );
  return { properties: Object.fromEntries(sections) };
}

function reasonOf({ key, name, variable }: Setting, isNoList: boolean, message = 'is invalid'): string {
  if (!isNoList) return `\`${key}\` (${variable}) ${message}.`;
  return `\`${key}\` (${variable}) is a list. Write \`${name}: [a, b]\` in the file, or ${variable}='[a, b]' in the environment, with brackets even for one entry.`;
}
