// Lists the settings in force, each with the source of its value, for `portcullis config print`. Secrets are redacted.
import { gatherSettings, type SettingsSource } from './read-settings.ts';
import { allSettings, type Setting } from './schema.ts';

export interface TracedSetting {
  readonly key: string;
  readonly variable: string;
  readonly value: unknown;
  /** `default`, `program`, the name of the file, or the name of the variable. */
  readonly origin: string;
}

export function traceSettings(source: SettingsSource): TracedSetting[] {
  const { settings, origins } = gatherSettings(source);
  return allSettings.map((setting) => ({
    key: setting.key,
    variable: setting.variable,
    value: shownValue(setting, (settings as Values)[setting.section]?.[setting.name]),
    origin: origins.get(setting.key) ?? 'default',
  }));
}

type Values = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

const hidden = '***';

function shownValue({ schema }: Setting, value: unknown): unknown {
  if (schema.secret !== true || value === '') return value;
  return redactUrl(String(value)) ?? hidden;
}

/** Parameters of a Postgres URL that hold no secret. */
const openParameters = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'user', 'dbname', 'application_name'],
  ...['connect_timeout', 'target_session_attrs'],
];

/** Undefined when the text is not a Postgres URL; the caller then hides all of it. */
function redactUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A password that was not URL-encoded can end in any part.
  if (/[@#]/.test(url.pathname + url.search + url.hash)) return undefined;
  const credentials = url.password === '' ? url.username : `${url.username}:${hidden}`;
  const parameters = [...url.searchParams].map(
    ([name, value]) => `${name}=${openParameters.includes(name) ? value : hidden}`,
  );
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `${url.protocol}//${credentials === '' ? '' : `${credentials}@`}${url.host}${url.pathname}${query}`;
}
