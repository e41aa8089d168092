// The interface of a kind of provider: OpenID Connect, OAuth 2, LDAP. Each kind is a folder here. A kind without its line in the
// composition root does not exist.
import type { ProviderFinding, ProviderKindName, ProviderSettings } from '@portcullis/contract';
import type { StoredProvider } from './provider-store.ts';

/** The person whom a provider has verified. */
export interface ProviderIdentity {
  /** Together with the provider, the key of the link. No other field is part of the key. */
  readonly subject: string;
  /** For display; it decides nothing. */
  readonly name: string;
  /** The provider's id of the session. */
  readonly session?: string | undefined;
  /** Undefined when the provider names none, or names them in a way that cannot be read. */
  readonly groups?: readonly string[] | undefined;
  /** Why the groups could not be read. */
  readonly groupsFault?: GroupsFault | undefined;
}

/** `groups_overage`: the provider left them out of the token because there are too many. */
export type GroupsFault = 'groups_unreadable' | 'groups_overage';

/** A logout at the provider: of one session, or of all sessions of a subject. */
export interface EndedAtProvider {
  /** The id of the logout token, which is accepted once. */
  readonly id: string;
  /** From this time the token is rejected for its age, so its id need not be stored any more. */
  readonly forgottenAt: Date;
  readonly subject: string | undefined;
  readonly session: string | undefined;
}

/** A callback of one purpose is rejected for the other. */
export type RedirectPurpose = 'login' | 'link';

/** A provider with its decrypted secret, for the duration of a request. */
export interface OpenProvider extends Omit<StoredProvider, 'sealedSecret'> {
  readonly secret: string | undefined;
}

/** Runs work that waits for a provider, within its concurrency limit. Requests that are known to come from the provider have a separate limit. */
export type WithinLimit = <T>(isKnown: boolean, work: () => Promise<T>) => Promise<T>;

export interface ProviderKind {
  readonly kind: ProviderKindName;
  /** Whether the settings are valid for this kind, and contain no address that would be refused. */
  accepts(settings: ProviderSettings): boolean;
  /** The settings that decide which person a subject is. If they changed, linked users would become other people. */
  identityOf(settings: ProviderSettings): string;
  /** The settings that decide where the secret is sent, and how the server there is authenticated. */
  addressOf(settings: ProviderSettings): string;
  /** The authorization URL, for kinds with a redirect. State and nonce are derived from the handle, which only the page has. */
  authorizationUrl?(provider: OpenProvider, handle: string, purpose: RedirectPurpose): Promise<string>;
  /** Verifies the callback. Throws `provider_refused` for an answer that is not valid, `provider_unavailable` when the provider is unavailable. */
  handleCallback?(
    provider: OpenProvider,
    handle: string,
    purpose: RedirectPurpose,
    answer: string,
  ): Promise<ProviderIdentity>;
  /** Verifies a logout token. Throws when it is not from the provider. */
  readLogout?(provider: OpenProvider, token: string, inSlot: WithinLimit): Promise<EndedAtProvider>;
  /** Checks whether people could sign in by the provider. A fault of the provider is a finding and never throws. */
  check(provider: OpenProvider): Promise<readonly ProviderFinding[]>;
}
