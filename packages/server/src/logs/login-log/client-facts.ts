// Derives browser, operating system, platform and country from the user agent and the IP address. Each value is from a closed
// set: the values are filters, and a client must not be able to invent some.
import { createBoundedMap } from '@portcullis/gate';
import { BROWSER_MAP, getParser, OS_MAP, PLATFORMS_MAP } from 'bowser';
import type { CountryResponse, Reader } from 'maxmind';
import { StartRefusal } from '../../base/values/start-refusal.ts';
import type { ClientFacts } from './login-record.ts';

export type DescribeClient = (attempt: {
  readonly ip: string;
  readonly userAgent: string | undefined;
}) => ClientFacts;

interface ClientFactsOptions {
  /** A file in the format of MaxMind; '' for none. */
  readonly geoipFile: string;
  readonly monotonic: () => number;
}

type AgentFacts = Omit<ClientFacts, 'location'>;

/** The longer an agent, the longer its parsing takes; longer ones are rare. */
const maxAgentLength = 256;
const rememberedAgents = 1000;
/** A new agent costs about 40 µs, and 160 µs when it was made to be slow: a flood costs at most 3 % of a processor. */
const newAgentsPerSecond = 200;
const nothingKnown: AgentFacts = { browser: undefined, os: undefined, platform: undefined };

/** Bowser names an unknown browser by the text of the agent. */
const browsers = new Set<string>([...Object.values(BROWSER_MAP), 'Miui', 'Opera Touch']);
const systems = new Set<string>(Object.values(OS_MAP));
const platforms = new Set<string>(Object.values(PLATFORMS_MAP));

export async function createClientFacts({
  geoipFile,
  monotonic,
}: ClientFactsOptions): Promise<DescribeClient> {
  const describeAgent = createAgentFacts(monotonic);
  const findCountry = geoipFile === '' ? () => undefined : await openCountries(geoipFile);
  return ({ ip, userAgent }) => ({ ...describeAgent(userAgent), location: findCountry(ip) });
}

function createAgentFacts(monotonic: () => number): (userAgent: string | undefined) => AgentFacts {
  /** The agents that were seen last are at the end. */
  const remembered = createBoundedMap<string, AgentFacts>(rememberedAgents);
  let second = 0;
  let newAgents = 0;

  function mayParse(): boolean {
    const current = Math.floor(monotonic() / 1000);
    if (current !== second) [second, newAgents] = [current, 0];
    newAgents += 1;
    return newAgents <= newAgentsPerSecond;
  }

  return (userAgent) => {
    if (userAgent === undefined || userAgent === '') return nothingKnown;
    const known = remembered.get(userAgent);
    if (known === undefined && !mayParse()) return nothingKnown;
    const facts = known ?? parseAgent(userAgent.slice(0, maxAgentLength));
    if (userAgent.length <= maxAgentLength) remembered.set(userAgent, facts);
    return facts;
  };
}

function parseAgent(userAgent: string): AgentFacts {
  const parser = getParser(userAgent, true);
  return {
    browser: oneOf(browsers, parser.getBrowserName()),
    os: oneOf(systems, parser.getOSName()),
    platform: oneOf(platforms, parser.getPlatformType()),
  };
}

function oneOf(names: ReadonlySet<string>, name: string | undefined): string | undefined {
  return name !== undefined && names.has(name) ? name : undefined;
}

async function openCountries(file: string): Promise<(ip: string) => string | undefined> {
  const { open } = await import('maxmind');
  const reader: Reader<CountryResponse> = await open<CountryResponse>(file).catch((error: unknown) => {
    const { code } = error as { code?: string };
    const problem =
      code === undefined ? 'which is not in the format of MaxMind' : `which cannot be read (${code})`;
    throw new StartRefusal([
      `\`logger.geoipFile\` (LOGGER_GEOIP_FILE) names ${file}, ${problem}. Set the path of a GeoIP database of countries (.mmdb), or remove the setting.`,
    ]);
  });
  return (ip) => {
    try {
      return countryOf(reader.get(ip));
    } catch {
      // A file that is damaged in the middle must not prevent logins.
      return undefined;
    }
  };
}

/** The databases of MaxMind and DB-IP nest the code; those of ip-location-db do not. */
function countryOf(
  entry: (CountryResponse & { readonly country_code?: unknown }) | null,
): string | undefined {
  const code: unknown = entry?.country?.iso_code ?? entry?.country_code;
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : undefined;
}
