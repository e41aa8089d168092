// Access requests (just-in-time access): create, withdraw and decide, each in one transaction. An approval
// changes temporary rules through rule-changes.ts, and only the checks there decide about the caller's right to grant.
import {
  AppError,
  type Call,
  type createAccessRequestEndpoint,
  type decideAccessRequestEndpoint,
  type HttpMethod,
  type withdrawAccessRequestEndpoint,
} from '@portcullis/contract';
import type { AccessChange, AccessWriter } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { checkRevision } from '../../people/check-revision.ts';
import { lockUser } from '../../people/users/user-access-store.ts';
import {
  isUserInScope,
  type ListDepartments,
  resolveUserScope,
  type UserScope,
} from '../../people/users/user-scope.ts';
import { type CanGrantRules, createRuleChanges } from '../rules/rule-changes.ts';
import { lockRole } from '../rules/rule-store.ts';
import {
  findRequester,
  hasRuleAsLong,
  isRoleEnabled,
  lockRequest,
  type RequestedRule,
  saveRequest,
  storeDecision,
  withdrawRequest,
} from './access-request-store.ts';
import { findRoute, type RouteSources } from './known-route.ts';

export interface AccessRequestOptions extends CanGrantRules, RouteSources {
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly listDepartments: ListDepartments;
  /** Whether a role can make the call, or all calls of the path: `now` by all rules, `forGood` by rules without an end. */
  readonly may: Readonly<
    Record<'now' | 'forGood', (roleKey: string, asked: RequestedRule) => Promise<boolean>>
  >;
}

type DecisionCall = Call<typeof decideAccessRequestEndpoint>;
type Locked = NonNullable<Awaited<ReturnType<typeof lockRequest>>>;

export function createAccessRequestChanges(options: AccessRequestOptions) {
  const { access, recordChange, listDepartments, may } = options;
  const ruleChanges = createRuleChanges(options);

  /** A caller cannot answer their own request, or a request of a person outside their data scope. */
  async function lockAsker(
    transaction: StoreTransaction,
    { caller, params }: DecisionCall,
    scope: UserScope,
  ) {
    const askerId = await findRequester(transaction, params.id);
    if (askerId === undefined || askerId === caller.userId) throw new AppError('record_not_found');
    const asker = await lockUser(transaction, askerId);
    if (!isUserInScope(scope, asker)) throw new AppError('record_not_found');
    return asker;
  }

  /** Lock order: first the user, as every change of a user does, then the request. The same order avoids deadlocks. */
  async function lockOpen(transaction: StoreTransaction, call: DecisionCall, scope: UserScope) {
    const asker = await lockAsker(transaction, call, scope);
    const request = await lockRequest(transaction, call.params.id);
    if (request === undefined) throw new AppError('record_not_found');
    if (request.state !== 'open') throw new AppError('already_decided');
    const { reason, seconds, revision } = request;
    checkRevision(call.body.ifRevision, { revision, current: { reason, seconds } });
    return { asker, request };
  }

  const deny =
    (call: DecisionCall, scope: UserScope): AccessChange =>
    async (transaction) => {
      const { asker, request } = await lockOpen(transaction, call, scope);
      const note = noteOf(call);
      const by = call.caller.username;
      await storeDecision(transaction, request.id, {
        state: 'denied',
        by,
        note,
        approvedPath: null,
        endsAt: null,
      });
      await record(transaction, call, 'access_request.deny', asker.id, { ...named(request), note });
      return [];
    };

  /** Checks that the grant would help the asker's current role. The role can have changed since the request. */
  async function checkHelps(
    transaction: StoreTransaction,
    { roleId, enabled }: { readonly roleId: number; readonly enabled: boolean },
    rule: Timed,
  ): Promise<void> {
    const role = await lockRole(transaction, roleId);
    if (!enabled || !(await isRoleEnabled(transaction, roleId))) throw new AppError('requester_disabled');
    // An existing rule gets the new end, so refuse a grant that would shorten it.
    const isAllowed =
      role.roleKey === 'admin' ||
      (await may.forGood(role.roleKey, rule)) ||
      (await hasRuleAsLong(transaction, roleId, rule));
    if (isAllowed) throw new AppError('already_allowed');
  }

  const approve =
    (call: DecisionCall, seconds: number, scope: UserScope): AccessChange =>
    async (transaction) => {
      const { asker, request } = await lockOpen(transaction, call, scope);
      if (seconds > request.seconds) throw new AppError('params_invalid');
      const path = call.body.path === 'pattern' ? request.pattern : request.path;
      const rule = { method: request.method, path, seconds };
      await checkHelps(transaction, asker, rule);
      const { caller, requestId, ip } = call;
      const changes = await ruleChanges.changeTemporary(
        { caller, requestId, ip, params: { id: asker.roleId } },
        { set: [rule], remove: [] },
      )(transaction);
      const note = noteOf(call);
      await storeDecision(transaction, request.id, {
        state: 'approved',
        by: caller.username,
        note,
        approvedPath: path,
        endsAt: endOf(changes),
      });
      const approved = { approvedPath: path, approvedSeconds: seconds, roleId: asker.roleId };
      await record(transaction, call, 'access_request.approve', asker.id, {
        ...named(request),
        ...approved,
        note,
      });
      return changes;
    };

  async function record(
    transaction: StoreTransaction,
    call: AuditedCall,
    action: string,
    userId: number,
    after: object,
  ): Promise<void> {
    await recordChange(transaction, call, { action, target: `user ${userId}`, before: null, after });
  }

  return {
    async create(call: Call<typeof createAccessRequestEndpoint>): Promise<number> {
      const { userId, roleKey } = call.caller;
      const { reason, seconds, ...asked } = call.body;
      const route = await findRoute(options, asked);
      if (route === undefined) throw new AppError('route_unknown');
      if (!route.needsRule || roleKey === 'admin' || (await may.now(roleKey, route)))
        throw new AppError('already_allowed');
      let id = 0;
      await access.give(call, async (transaction) => {
        await lockUser(transaction, userId);
        const saved = await saveRequest(transaction, userId, { ...route, reason: reason.trim(), seconds });
        id = saved.id;
        const after = named({ id, ...route, reason: reason.trim(), seconds });
        if (saved.isChanged) await record(transaction, call, 'access_request.create', userId, after);
        return [];
      });
      return id;
    },

    withdraw: (call: Call<typeof withdrawAccessRequestEndpoint>) =>
      access.give(call, async (transaction) => {
        const { userId } = call.caller;
        await lockUser(transaction, userId);
        const request = await withdrawRequest(transaction, userId, call.params.id);
        await record(transaction, call, 'access_request.withdraw', userId, named(request));
        return [];
      }),

    /** A grant waits for every instance, so that the asker can use the access when the call returns. */
    async decide(call: DecisionCall): Promise<number> {
      const scope = await resolveUserScope(call.caller, listDepartments);
      if (call.body.decision === 'deny') return await access.give(call, deny(call, scope));
      const { seconds } = call.body;
      if (seconds === undefined) throw new AppError('params_invalid');
      return await access.takeAway(call, approve(call, seconds, scope));
    },
  };
}

type Timed = RequestedRule & { readonly seconds: number };

function noteOf({ body: { note = '' } }: DecisionCall): string | null {
  return note.trim() === '' ? null : note.trim();
}

function endOf(changes: Awaited<ReturnType<AccessChange>>): number | null {
  const set = changes.find((change) => change.kind === 'temporary_rule_set');
  return set?.kind === 'temporary_rule_set' ? set.endsAt : null;
}

/** The fields of a request in an audit record. */
function named({ id, method, path, reason, seconds }: Pick<Locked, 'id' | 'reason' | 'seconds'> & NamedCall) {
  return { request: id, method, path, reason, seconds };
}
interface NamedCall {
  readonly method: HttpMethod;
  readonly path: string;
}
