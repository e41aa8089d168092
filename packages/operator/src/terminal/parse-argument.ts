// Parses option values that are not plain text: numbers, times and networks.
import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';

export function wholeNumber(most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value <= most) return value;
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? 'Use a whole number above 0.'
        : `Use a whole number from 1 to ${most}.`,
    );
  };
}

const unitMilliseconds = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A date, a time with its offset, or a duration before now: `2026-11-01`, `2026-11-01T08:00:00+08:00`, `24h`. */
export function parseMoment(text: string): string {
  const [, count, unit] = /^([0-9]{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined)
    return new Date(Date.now() - Number(count) * unitMilliseconds[unit as 'm' | 'h' | 'd']).toISOString();
  const isMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const moment = new Date(isMoment ? text : Number.NaN);
  if (Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError(
      'Use a date, a moment such as 2026-11-01T08:00:00Z, or 24h for a day ago.',
    );
  return moment.toISOString();
}

/** An address, or a network in CIDR notation. */
export function parseNetwork(text: string): string {
  const [address = '', bits = '0', ...others] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const isNetwork =
    isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && others.length === 0;
  if (isNetwork) return text;
  throw new InvalidArgumentError('Use an address, or a network such as 192.0.2.0/24.');
}
