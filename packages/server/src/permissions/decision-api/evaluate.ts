// Access evaluation of AuthZEN: decides whether a token, user or role can call a route. It denies everything unknown, with
// the reason in the context. If the data is unavailable, it makes no decision.
import { type Caller, isRoleKey } from '@portcullis/contract';
import { ReceivedRequest } from '@portcullis/gate';
import type { Decide } from './decide.ts';
import type { Evaluation } from './parse-evaluation.ts';
import { refusalKindOf } from './refusal.ts';
import { type FindUserRole, isUserId } from './resolve-scope.ts';

export interface EvaluateOptions {
  /** Decides about a request with a token: all checks. */
  readonly decide: Decide;
  /** Decides about a caller who is named without a token: all checks except those of the token. */
  readonly decideNamed: Decide;
  readonly findUserRole: FindUserRole;
  readonly isRoleEnabled: (roleKey: string) => Promise<boolean>;
}

export interface Decision {
  readonly decision: boolean;
  readonly context?: { readonly reason: string } | { readonly error: { status: number; message: string } };
}
export type Evaluate = (evaluation: Evaluation) => Promise<Decision>;

/** Creates the evaluation for one request. It loads each user and role once, however many evaluations name them. */
export function createEvaluate(options: EvaluateOptions): Evaluate {
  const { decide, decideNamed } = options;
  const subjects = new Map<string, Promise<Named | undefined>>();

  function subjectOf(type: 'user' | 'role', id: string): Promise<Named | undefined> {
    const key = `${type} ${id}`;
    const found = subjects.get(key) ?? findNamed(options, type, id);
    subjects.set(key, found);
    return found;
  }

  return async ({ subject: { type, id }, action, resource }) => {
    if (resource.type !== 'route') return deny('resource_type_unknown');
    // A route has no query.
    if (resource.id.includes('?')) return deny('route_not_found');
    if (type === 'token')
      return await verdictOf(decide, targetOf(action.name, resource.id, ['Authorization', `Bearer ${id}`]));
    if (type !== 'user' && type !== 'role') return deny('subject_type_unknown');
    const named = await subjectOf(type, id);
    if (named === undefined) return deny('subject_unknown');
    const target = targetOf(action.name, resource.id, []);
    target.caller = { ...emptyCaller, ...named };
    return await verdictOf(decideNamed, target);
  };
}

type Named = Pick<Caller, 'roleKey' | 'passwordDue'>;

/** The checks of a named caller read only the role key and `passwordDue`; the other fields have no effect. */
const emptyCaller: Caller = {
  userId: 0,
  username: '',
  roleId: 0,
  roleKey: '',
  dataScope: '5',
  jti: '',
  expiresAt: 0,
};

async function findNamed(
  { findUserRole, isRoleEnabled }: EvaluateOptions,
  type: 'user' | 'role',
  id: string,
): Promise<Named | undefined> {
  if (type === 'role')
    return isRoleKey(id) && (await isRoleEnabled(id)) === true ? { roleKey: id } : undefined;
  const user = isUserId(id) ? await findUserRole(Number(id)) : undefined;
  if (user === undefined) return undefined;
  return { roleKey: user.roleKey, ...(user.passwordDue === undefined ? {} : { passwordDue: true }) };
}

function targetOf(method: string, path: string, rawHeaders: readonly string[]): ReceivedRequest {
  return new ReceivedRequest(method, path, { rawHeaders, headers: {} });
}

function verdictOf(decide: Decide, target: ReceivedRequest): Promise<Decision> {
  const { promise, resolve, reject } = Promise.withResolvers<Decision>();
  decide(target, (error) => {
    if (error === undefined) return resolve({ decision: true });
    const kind = refusalKindOf(error);
    if (kind === 'unavailable') reject(error);
    else resolve(deny(kind));
  });
  return promise;
}

function deny(reason: string): Decision {
  return { decision: false, context: { reason } };
}
