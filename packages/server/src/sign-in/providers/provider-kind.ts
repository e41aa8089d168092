// The seam for kinds of providers: OpenID, OAuth, a directory. A kind is a folder here; without its line in the
// composition there is none of it.
import type { ProviderFinding, ProviderKindName, ProviderSettings } from '@portcullis/contract';
import type { StoredProvider } from './provider-store.ts';

/** Whom a provider vouches for. */
export interface ProviderIdentity {
  /** With the provider, the key of the link; nothing else is. */
  readonly subject: string;
  /** For people to recognise; it decides nothing. */
  readonly name: string;
  /** What the provider calls the session. */
  readonly session?: string | undefined;
  /** Undefined where the provider names none at all, or names them in a way that cannot be read. */
  readonly groups?: readonly string[] | undefined;
  /** Why the groups that were to be read could not be. */
  readonly groupsFault?: GroupsFault | undefined;
}

/** `groups_overage`: the provider left them out of the token because there are too many. */
export type GroupsFault = 'groups_unreadable' | 'groups_overage';

/** One session there, or all of a subject. */
export interface EndedAtProvider {
  /** Good once. */
  readonly id: string;
  /** When it would be refused for its age, so that its id need not be remembered. */
  readonly forgottenAt: Date;
  readonly subject: string | undefined;
  readonly session: string | undefined;
}

/** What is asked for one is no answer for the other. */
export type RedirectPurpose = 'login' | 'link';

/** A provider with its secret opened, for as long as it is asked something. */
export interface OpenProvider extends Omit<StoredProvider, 'sealedSecret'> {
  readonly secret: string | undefined;
}

/** Does work that waits for a provider in one of its slots. Work that the provider is known to have sent has separate slots. */
export type WithinLimit = <T>(isKnown: boolean, work: () => Promise<T>) => Promise<T>;

export interface ProviderKind {
  readonly kind: ProviderKindName;
  /** Whether the settings are of this kind, and name nothing that is never asked. */
  accepts(settings: ProviderSettings): boolean;
  /** What says whose a subject is. Another one would make others of the people who are linked. */
  identityOf(settings: ProviderSettings): string;
  /** Where the secret is sent, and what proves that it is the right server there. */
  addressOf(settings: ProviderSettings): string;
  /** Where a browser goes, of a kind that people go to. State and nonce are made of the handle, which only the page has. */
  authorizationUrl?(provider: OpenProvider, handle: string, purpose: RedirectPurpose): Promise<string>;
  /** What the answer is worth. Throws `provider_refused` where it is none to what was asked, `provider_away` where nobody can tell. */
  handleCallback?(
    provider: OpenProvider,
    handle: string,
    purpose: RedirectPurpose,
    answer: string,
  ): Promise<ProviderIdentity>;
  /** What a provider says has ended. Throws where it is not the provider that says so. */
  readLogout?(provider: OpenProvider, token: string, inSlot: WithinLimit): Promise<EndedAtProvider>;
  /** Asks the provider whether people could sign in by it. It never throws for what the provider does. */
  check(provider: OpenProvider): Promise<readonly ProviderFinding[]>;
}
