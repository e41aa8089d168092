// Recheck of a directory: looks up every linked user who has a live session. Users who have left, are disabled or are in no
// group that gives a role have lost their sessions on every instance when the recheck returns, and their logins that were
// verified before are refused. An unavailable directory ends no session.
import { createHash } from 'node:crypto';
import { AppError, type LdapSettings } from '@portcullis/contract';
import { runEach } from '../../../base/jobs/run-each.ts';
import type { AccessWriter } from '../../../cluster/access-writer.ts';
import type { Store } from '../../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../../logs/audit/record-change.ts';
import type { CanManageCheck } from '../../../people/roles/can-manage/can-manage-check.ts';
import { findAccountOf } from '../../../people/users/user-store.ts';
import { callOf } from '../../mfa/login-caller.ts';
import { createMoveUser } from '../groups/apply-group-mapping.ts';
import { createGroupMap, type Mapping } from '../groups/map-groups.ts';
import { listMappings } from '../groups/mapping-store.ts';
import { recordIdOnce } from '../link-store.ts';
import { findProvider, type StoredProvider } from '../provider-store.ts';
import type { Directories } from './directories.ts';
import { type EnabledLink, endLinksOfNow, listLiveLinks, refuseLoginsUnderWay } from './recheck-store.ts';
import { listEnabledDirectories } from './source-store.ts';

interface RecheckOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  readonly directories: Pick<Directories, 'ask'>;
  readonly now: () => number;
}

export interface Rechecked {
  readonly people: number;
  readonly gone: number;
  readonly disabled: number;
  readonly unmapped: number;
  readonly moved: number;
}

type By = Pick<AuditedCall, 'ip' | 'requestId'>;
type Verdict = 'gone' | 'disabled' | 'unmapped' | 'moved' | 'stays';
type Counts = Record<Verdict, number>;

const linksInBatch = 500;
/** How often a person is looked up while the provider changes. */
const mostTries = 3;
const defaultMinutes = 5;
/** Changes that follow from the directory's answer run without a caller check: they may end the caller's own session. */
const service = { confirmedAt: 'unchecked' } as const;
/** The origin of a recheck that no call started, for the audit log. */
const backgroundOrigin = { ip: '127.0.0.1', requestId: 'recheck' };

export type Recheck = ReturnType<typeof createRecheck>;

export function createRecheck(options: RecheckOptions) {
  const { store, access, recordChange, canManage, directories, now } = options;
  const moveUser = createMoveUser({ recordChange });

  /** Compares each link with its entry. Without groups, no verdict is `unmapped` or `moved`. */
  async function judge(provider: StoredProvider, links: readonly EnabledLink[], withGroups: boolean) {
    if (links.length === 0) return [];
    const subjects = links.map(({ subject }) => subject);
    const found = await directories.ask(provider, ({ findAll }) => findAll(subjects, { withGroups }));
    const people = new Map(found.map((person) => [person.subject, person]));
    const map = createGroupMap(provider.kind, withGroups ? await listMappings(store, provider.id) : []);
    // The current roles: the directory may have answered slowly, and this may be another try.
    const current = new Map(
      (withGroups ? await listLiveLinks(store, provider.id) : []).map((now) => [now.id, now]),
    );
    return links.map((link) => {
      const person = people.get(link.subject);
      if (person === undefined) return { link, verdict: 'gone' } as const;
      if (person.state !== 'active') return { link, verdict: 'disabled' } as const;
      if (!withGroups) return { link, verdict: 'stays' } as const;
      // A person whose groups exceed a limit gets no role by a group and none by the star.
      const mapped = typeof person.groups === 'string' ? undefined : map(person.groups);
      if (mapped === undefined) return { link, verdict: 'unmapped' } as const;
      const { roleId, departmentId } = current.get(link.id) ?? link;
      const isHere = mapped.roleId === roleId && (mapped.departmentId ?? departmentId) === departmentId;
      return { link, mapped, verdict: isHere ? 'stays' : 'moved' } as const;
    });
  }

  type Judged = Awaited<ReturnType<typeof judge>>[number];

  async function endThose(providerId: number, judged: readonly Judged[], counts: Counts): Promise<void> {
    const out = judged.filter(({ verdict }) => ['gone', 'disabled', 'unmapped'].includes(verdict));
    for (let from = 0; from < out.length; from += linksInBatch) {
      const batch = out.slice(from, from + linksInBatch).map(({ link }) => link);
      await access.give(service, (transaction) => endLinksOfNow(transaction, providerId, batch));
    }
    for (const { verdict } of out) counts[verdict] += 1;
  }

  /** Ends the access of people who have left, and moves people by their groups. Returns the links to look up again. */
  async function settle(provider: StoredProvider, links: readonly EnabledLink[], counts: Counts, by: By) {
    // People who have left lose access before any group is read: the groups of other people cannot delay that.
    const known = await judge(provider, links, false);
    await endThose(provider.id, known, counts);
    if (provider.roleSource !== 'every_login') return [];
    const there = known.filter(({ verdict }) => verdict === 'stays').map(({ link }) => link);
    const judged = await judge(provider, there, true);
    await endThose(provider.id, judged, counts);
    const left: EnabledLink[] = [];
    for (const { link, verdict, mapped } of judged) {
      if (verdict !== 'moved') continue;
      const outcome = await move(provider, link.userId, mapped, by);
      if (outcome === 'moved') counts.moved += 1;
      if (outcome === 'refused') left.push(link);
    }
    return left;
  }

  async function move(provider: StoredProvider, userId: number, to: Mapping, by: By) {
    const account = (await findAccountOf(store, userId))?.account;
    if (account === undefined) return 'stays';
    try {
      const isMoved = await moveUser(access.give, callOf({ account, ...by }), { provider, userId, to });
      return isMoved ? 'moved' : 'stays';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The provider was changed, or another recheck started: the groups that were read may be outdated.
      if (error.kind === 'provider_refused') return 'refused';
      // The last administrator keeps the role, and a user who was deleted meanwhile has none.
      if (error.kind === 'conflict' || error.kind === 'record_not_found') return 'stays';
      throw error;
    }
  }

  async function run(id: number, by: By) {
    const links = await listLiveLinks(store, id);
    const counts: Counts = { gone: 0, disabled: 0, unmapped: 0, moved: 0, stays: 0 };
    let left: readonly EnabledLink[] = links;
    for (let tries = 0; left.length > 0; tries += 1) {
      if (tries === mostTries) throw new AppError('unavailable');
      left = await settle(await getDirectory(id), left, counts, by);
    }
    const revision = await access.takeAway(service, async () => []);
    const { stays: _stays, ...others } = counts;
    const rechecked: Rechecked = { people: links.length, ...others };
    return { revision, rechecked };
  }

  async function getDirectory(id: number): Promise<StoredProvider> {
    const provider = await findProvider(store, { id });
    if (provider === undefined) throw new AppError('record_not_found');
    if (provider.kind !== 'ldap' || !provider.enabled) throw new AppError('provider_unknown');
    return provider;
  }

  async function sweepOne(id: number): Promise<void> {
    const provider = await findProvider(store, { id });
    if (provider?.enabled !== true) return;
    const { recheckMinutes = defaultMinutes } = provider.settings as LdapSettings;
    const key = createHash('sha256').update(`recheck of provider ${id}`).digest();
    const until = new Date(now() + recheckMinutes * 60_000);
    const isDue = await store
      .transaction()
      .execute((transaction) => recordIdOnce(transaction, 'recheck', key, until));
    if (isDue) await run(id, backgroundOrigin).catch(ignoreUnavailable);
  }

  return {
    /** Rechecks one directory at once. Resolves when every instance enforces the result. */
    async now(call: AuditedCall, id: number): Promise<{ revision: number; rechecked: Rechecked }> {
      canManage.ofEverybody(call.caller);
      await getDirectory(id);
      // First, because a login that is under way has no session yet, so `run` would not look its person up.
      // With a caller check: a caller who has lost the right meanwhile cannot start a recheck.
      await access.give(call, async (transaction) => {
        await refuseLoginsUnderWay(transaction, id);
        return [];
      });
      const done = await run(id, { ip: call.ip, requestId: call.requestId });
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

    /** Rechecks the directories that are due, each on one instance. */
    async sweep(signal?: AbortSignal): Promise<void> {
      const directories = await listEnabledDirectories(store);
      await runEach(directories, sweepOne, 'Some directories were not rechecked.', signal);
    },
  };
}

/** A later sweep repeats the recheck. An unavailable directory was reported; a provider that changed at every try is no fault. */
function ignoreUnavailable(error: unknown): void {
  const isExpected =
    error instanceof AppError && ['provider_unavailable', 'unavailable'].includes(error.kind);
  if (!isExpected) throw error;
}
