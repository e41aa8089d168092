// Looks again for whoever has a session by a directory. Who is gone, disabled or in no group that gives a role is out on
// every member when it returns; so is a login that was verified before. A directory that is away says nothing of anybody.
import { createHash } from 'node:crypto';
import { AppError, type LdapSettings } from '@portcullis/contract';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { ReachCheck } from '../../directory/reach/reach-check.ts';
import { findAccountOf } from '../../directory/users/user-store.ts';
import type { Store } from '../../store/store.ts';
import { createGroupMap } from '../groups/map-groups.ts';
import { listMappings } from '../groups/mapping-store.ts';
import type { SettleRole } from '../groups/settle-role.ts';
import { seeOnce } from '../link-store.ts';
import { findProvider, type StoredProvider } from '../provider-store.ts';
import type { Directories } from './directories.ts';
import { endLinksOfNow, type LiveLink, listLiveLinks, refuseLoginsUnderWay } from './recheck-store.ts';
import { listEnabledDirectories } from './source-store.ts';

interface RecheckOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly reach: Pick<ReachCheck, 'ofEverybody'>;
  readonly directories: Directories;
  readonly settleRole: SettleRole;
  readonly now: () => number;
}

export interface Rechecked {
  readonly people: number;
  readonly gone: number;
  readonly disabled: number;
  readonly unmapped: number;
  readonly moved: number;
}

const linksInBatch = 500;
const defaultMinutes = 5;
/** What follows from what the directory says asks nobody: the caller's own session may be among what ends. */
const service = { confirmedAt: 'unchecked' } as const;
const byItself = { ip: '127.0.0.1', requestId: 'recheck' };

export type Recheck = ReturnType<typeof createRecheck>;

export function createRecheck(options: RecheckOptions) {
  const { store, access, recordChange, reach, directories, settleRole, now } = options;

  async function judge(provider: StoredProvider, links: readonly LiveLink[]) {
    const isMapped = provider.roleSource === 'always';
    const subjects = links.map(({ subject }) => subject);
    const found = await directories.ask(provider, ({ findAll }) =>
      findAll(subjects, { withGroups: isMapped }),
    );
    const people = new Map(found.map((person) => [person.subject, person]));
    const map = createGroupMap(provider.kind, isMapped ? await listMappings(store, provider.id) : []);
    return links.map((link) => {
      const person = people.get(link.subject);
      if (person === undefined) return { link, verdict: 'gone' } as const;
      if (person.state !== 'active') return { link, verdict: 'disabled' } as const;
      if (!isMapped) return { link, verdict: 'stays' } as const;
      const mapped = map(person.groups);
      if (mapped === undefined) return { link, verdict: 'unmapped' } as const;
      const isHere =
        mapped.roleId === link.roleId && (mapped.departmentId ?? link.departmentId) === link.departmentId;
      return { link, groups: person.groups, verdict: isHere ? 'stays' : 'moved' } as const;
    });
  }

  async function run(provider: StoredProvider, by: { readonly ip: string; readonly requestId: string }) {
    const links = await listLiveLinks(store, provider.id);
    const judged = links.length === 0 ? [] : await judge(provider, links);
    const out = judged.filter(({ verdict }) => ['gone', 'disabled', 'unmapped'].includes(verdict));
    for (let from = 0; from < out.length; from += linksInBatch) {
      const batch = out.slice(from, from + linksInBatch).map(({ link }) => link);
      await access.give(service, (transaction) => endLinksOfNow(transaction, provider.id, batch));
    }
    for (const { link, groups, verdict } of judged) {
      if (verdict !== 'moved') continue;
      const account = await findAccountOf(store, link.userId);
      if (account !== undefined)
        await settleRole({ provider, groups, found: account, ...by }).catch(ignoreOther);
    }
    const revision = await access.takeAway(service, async () => []);
    const count = (asked: string) => judged.filter(({ verdict }) => verdict === asked).length;
    const rechecked: Rechecked = {
      people: links.length,
      gone: count('gone'),
      disabled: count('disabled'),
      unmapped: count('unmapped'),
      moved: count('moved'),
    };
    return { revision, rechecked };
  }

  async function getDirectory(id: number): Promise<StoredProvider> {
    const provider = await findProvider(store, { id });
    if (provider === undefined) throw new AppError('record_not_found');
    if (provider.kind !== 'ldap' || !provider.enabled) throw new AppError('provider_unknown');
    return provider;
  }

  return {
    /** Now, whoever asks. Resolves when it is in force. */
    async now(call: AuditedCall, id: number): Promise<{ revision: number; rechecked: Rechecked }> {
      reach.ofEverybody(call.caller);
      await getDirectory(id);
      // First: whoever has no session yet is not among those who are looked for.
      await store.transaction().execute((transaction) => refuseLoginsUnderWay(transaction, id));
      const done = await run(await getDirectory(id), { ip: call.ip, requestId: call.requestId });
      await access.give(service, async (transaction) => {
        const entry = {
          action: 'provider.recheck',
          target: `provider ${id}`,
          before: null,
          after: done.rechecked,
        };
        await recordChange(transaction, call, entry);
        return [];
      });
      return done;
    },

    /** Those whose time has come, each by one instance of all. */
    async sweep(): Promise<void> {
      for (const id of await listEnabledDirectories(store)) {
        const provider = await findProvider(store, { id });
        if (provider?.enabled !== true) continue;
        const { recheckMinutes = defaultMinutes } = provider.settings as LdapSettings;
        const key = createHash('sha256').update(`recheck of provider ${id}`).digest();
        const until = new Date(now() + recheckMinutes * 60_000);
        const isDue = await store
          .transaction()
          .execute((transaction) => seeOnce(transaction, 'recheck', key, until));
        if (isDue) await run(provider, byItself).catch(ignoreAway);
      }
    },
  };
}

/** The directory was changed meanwhile: whoever did that, or looks again, moves them. */
function ignoreOther(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== 'provider_refused') throw error;
}

/** It was reported, and is asked again when its time comes. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof AppError) || error.kind !== 'provider_away') throw error;
}
