// LDAP bind: opens a connection to a directory and binds it as the reader of the settings or as the person who logs in. Every
// error of the connection or of the library becomes a `DirectoryUnavailable`, and every connection is closed.
import type { LdapSettings } from '@portcullis/contract';
import { ResultCodeError } from 'ldapts';
import type { Connect } from '../../../../base/outbound/checked-connection.ts';
import { DirectoryUnavailable } from './directory-unavailable.ts';
import { createTrust, openWire, type Wire } from './wire.ts';

interface BindOptions {
  readonly settings: LdapSettings;
  readonly readerPassword: string;
  readonly connect: Connect;
  readonly connectMilliseconds: number;
}

interface Limits {
  readonly signal: AbortSignal;
  readonly mostBytes: number;
}

/** Result codes of a bind that reject its name or password: constraint, inappropriate, invalid credentials, access, unwilling, no such object. */
const refusedBind = new Set([19, 32, 48, 49, 50, 53]);
/** Busy, unavailable: the directory returns these for any password. */
const overloaded = new Set([51, 52]);
const referral = 10;

export function createBind({ settings, readerPassword, connect, connectMilliseconds }: BindOptions) {
  const secureContext = createTrust(settings.ca);
  const open = (limits: Limits) =>
    openWire(settings, { ...limits, connectMilliseconds, connect, secureContext });

  async function withWire<T>(limits: Limits, work: (wire: Wire) => Promise<T>): Promise<T> {
    let wire: Wire | undefined;
    try {
      wire = await open(limits);
      return await work(wire);
    } catch (error) {
      throw error instanceof DirectoryUnavailable && error.passwordSent
        ? error
        : (wire?.givenUp ?? unavailableOf(error));
    } finally {
      wire?.close();
    }
  }

  return {
    /** Binds as the reader, and runs the work on that connection. */
    async asReader<T>(limits: Limits, work: (wire: Wire) => Promise<T>): Promise<T> {
      // A bind without a password is anonymous (RFC 4513, 5.1.2): the directory answers success and checks nothing.
      if (readerPassword === '') throw new DirectoryUnavailable('reader_refused');
      return await withWire(limits, async (wire) => {
        await wire.bind(settings.bindDn, readerPassword).catch((error: unknown) => {
          throw isRefused(error) ? new DirectoryUnavailable('reader_refused', { cause: error }) : error;
        });
        return await work(wire);
      });
    },

    /** Binds as this entry, on a separate connection. */
    async isPasswordOf(limits: Limits, dn: string, password: string): Promise<boolean> {
      return await withWire(limits, async (wire) => {
        try {
          await wire.bind(dn, password);
          return true;
        } catch (error) {
          if (wire.givenUp === undefined && isRefused(error)) return false;
          // The same answer to any password says nothing about this one: it does not count as an attempt.
          if (error instanceof ResultCodeError && overloaded.has(error.code)) throw error;
          const { reason } = wire.givenUp ?? unavailableOf(error);
          throw new DirectoryUnavailable(reason, { cause: error, passwordSent: true });
        }
      });
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof ResultCodeError && refusedBind.has(error.code);
}

function unavailableOf(error: unknown): DirectoryUnavailable {
  if (error instanceof DirectoryUnavailable) return error;
  if (!(error instanceof ResultCodeError)) return new DirectoryUnavailable('unreachable', { cause: error });
  return new DirectoryUnavailable(error.code === referral ? 'referral' : 'busy', { cause: error });
}
