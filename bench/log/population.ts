// The test population: users, addresses, user agents and outcomes of a company's logins, with mistyped names and
// guessed passwords, as skewed as in practice. Both the rows of the service and the rows of SQL use it.

export interface Weighted<Value> {
  readonly value: Value;
  /** The share in 100,000. */
  readonly weight: number;
}

export const userCount = 20_000;
export const addressCount = 50_000;
export const officeAddressCount = 25_000;
/** From 40.0.0.0 to 199.255.255.255. */
export const firstSpreadAddress = 40 * 2 ** 24;
export const spreadAddresses = 160 * 2 ** 24;
export const spreadFactor = 2_654_435_761;
/** In 100,000 attempts: usernames that do not exist. */
export const unknownNames = 4000;
/** Attackers try lists of names. */
export const unknownNameCount = 2000;

export const reasons: readonly Weighted<string>[] = [
  { value: 'ok', weight: 70_000 },
  { value: 'logout', weight: 14_000 },
  { value: 'credentials_wrong', weight: 10_000 },
  { value: 'captcha_wrong', weight: 4000 },
  { value: 'throttled', weight: 1500 },
  { value: 'params_invalid', weight: 460 },
  { value: 'user_disabled', weight: 35 },
  { value: 'role_disabled', weight: 4 },
  { value: 'unavailable', weight: 1 },
];

export interface Agent {
  readonly userAgent: string;
  readonly browser: string;
  readonly os: string;
  readonly platform: string;
}

const windows = { os: 'Windows', platform: 'desktop' };
const macos = { os: 'macOS', platform: 'desktop' };
const android = { os: 'Android', platform: 'mobile' };
const ios = { os: 'iOS', platform: 'mobile' };
const linux = { os: 'Linux', platform: 'desktop' };
const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

export const agents: readonly Weighted<Agent>[] = [
  {
    value: {
      ...windows,
      browser: 'Chrome',
      userAgent: agent(`Windows NT 10.0; Win64; x64`, 'Chrome/141.0.0.0'),
    },
    weight: 48_000,
  },
  {
    value: {
      ...windows,
      browser: 'Microsoft Edge',
      userAgent: agent('Windows NT 10.0; Win64; x64', 'Edg/141.0.0.0'),
    },
    weight: 18_000,
  },
  {
    value: {
      ...macos,
      browser: 'Safari',
      userAgent: agent('Macintosh; Intel Mac OS X 10_15_7', 'Version/18.6 Safari'),
    },
    weight: 12_000,
  },
  {
    value: {
      ...android,
      browser: 'Chrome',
      userAgent: agent('Linux; Android 15; Pixel 9', 'Chrome/141.0.0.0 Mobile'),
    },
    weight: 11_000,
  },
  {
    value: {
      ...ios,
      browser: 'Safari',
      userAgent: agent('iPhone; CPU iPhone OS 18_6 like Mac OS X', 'Mobile/15E148'),
    },
    weight: 8000,
  },
  {
    value: {
      ...linux,
      browser: 'Firefox',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko Firefox/143.0',
    },
    weight: 2900,
  },
  {
    value: { ...windows, browser: 'Opera', userAgent: agent('Windows NT 10.0; Win64; x64', 'OPR/122.0.0.0') },
    weight: 98,
  },
  {
    value: {
      os: 'Chrome OS',
      platform: 'desktop',
      browser: 'Vivaldi',
      userAgent: agent('X11; CrOS x86_64', 'Vivaldi/7.6'),
    },
    weight: 2,
  },
];

export const countries: readonly Weighted<string>[] = [
  { value: 'DE', weight: 62_000 },
  { value: 'AT', weight: 14_000 },
  { value: 'CH', weight: 9000 },
  { value: 'PL', weight: 6000 },
  { value: 'FR', weight: 4000 },
  { value: 'US', weight: 3000 },
  { value: 'CN', weight: 1500 },
  { value: 'BR', weight: 450 },
  { value: 'IS', weight: 48 },
  { value: 'TV', weight: 2 },
];

/** Half of the addresses belong to an office; the others are spread over public networks. */
export function addressOf(index: number): string {
  if (index < officeAddressCount) return `10.20.${index >> 8}.${index & 255}`;
  const spread = firstSpreadAddress + ((Math.imul(index, spreadFactor) >>> 0) % spreadAddresses);
  return [24, 16, 8, 0].map((shift) => (spread >>> shift) & 255).join('.');
}

/** The value at a point between 0 and 1. */
export function pick<Value>(choices: readonly Weighted<Value>[], point: number): Value {
  let left = point * 100_000;
  for (const { value, weight } of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  throw new Error('The weights do not make 100,000.');
}

function agent(system: string, product: string): string {
  return `Mozilla/5.0 (${system}) ${webkit} ${product}/537.36`;
}
