// A company that changes at random, over HTTP: who of it may make each change is asked of the reference first. The company
// goes on with what was changed.
import type { Answer } from '../../rig/http-client.ts';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from '../fuzzer.ts';
import { Random } from '../random.ts';
import {
  adminId,
  type Change,
  type Company,
  changed,
  type Person,
  pickKey,
  randomChange,
  randomCompany,
} from './company.ts';
import {
  caretaker,
  createDelegationWorld,
  type DelegationWorld,
  NotDecided,
  ruleOf,
} from './delegation-world.ts';
import { referenceMayChange, sees } from './reference.ts';

export const fuzzDelegation: Fuzzer = {
  title: 'permissions to change rows over HTTP, against a reference that reads every row',
  defaultCases: 150,
  smallCases: 80,
  run,
};

type Outcome = 'made' | 'refused' | 'conflict';
/** After so many changes a new company and a new service. */
const changesPerCompany = 2000;
/** A machine that stands still makes statements run out; a service that is always away is a failure. */
const mostGivenUp = 10;
const password = 'lamp orbit velvet ninety';

async function run({ cases, seed, progress }: FuzzRun): Promise<FuzzResult> {
  const failures: string[] = [];
  const counts = new Map<string, number>();
  let done = 0;
  let givenUp = 0;
  for (let company = 0; done < cases && failures.length < mostFailures; company++) {
    const limit = Math.min(changesPerCompany, cases - done);
    const running = runCompany(seed + company, limit, (failure, outcome) => {
      if (failure !== undefined) failures.push(`${failure}\n  in the company of seed ${seed + company}`);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      done += 1;
      progress(done);
      return failures.length < mostFailures;
    });
    await running.catch((error: unknown) => {
      givenUp += 1;
      if (!(error instanceof NotDecided) || givenUp > mostGivenUp) throw error;
    });
  }
  const remark = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const remarks = [remark, ...(givenUp === 0 ? [] : [`${givenUp} companies were given up after a 503`])];
  return { passed: done - failures.length, failures, remarks };
}

async function runCompany(
  seed: number,
  limit: number,
  report: (failure: string | undefined, outcome: Outcome) => boolean,
): Promise<void> {
  const random = new Random(seed);
  let company = randomCompany(random);
  const world = await createDelegationWorld(company);
  try {
    for (let count = 0; count < limit; count++) {
      const { caller, change, request } = randomRequest(random, company);
      const expected = expectOutcome(company, caller, change, request);
      const answer = await world.call(company, caller, request.method, request.path, request.body);
      const actual = outcomeOf(answer);
      // What is within reach may still be refused for another reason: a role with holders is not deleted.
      const isRight =
        actual === expected || (expected === 'made' && actual === 'conflict' && request.mayConflict);
      const shown = JSON.stringify({ caller, change, request, company }, (_, value) =>
        value instanceof Map ? [...value] : value,
      );
      const failure = isRight ? undefined : `${expected} expected, ${answer.text}: ${shown}`;
      if (!report(failure, expected)) return;
      if (actual !== 'made') continue;
      company = await goOn(random, world, company, change, answer);
      if (onlyGives(change)) await settle(world, company);
    }
  } finally {
    await world.stop();
  }
}

interface ChangeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly mayConflict?: boolean;
  /** No caller does it to themselves. */
  readonly ofOthers?: boolean;
}

function randomRequest(random: Random, company: Company) {
  const caller = random.once(6) ? caretaker : random.pick([...company.people.values()]);
  for (;;) {
    const change = withoutStandstill(company, randomChange(random, company));
    const request = requestOf(random, company, change);
    if (request !== undefined) return { caller, change, request };
  }
}

/** A department that is moved to its own parent is renamed. */
function withoutStandstill(company: Company, change: Change): Change {
  if (change.kind !== 'department moved') return change;
  const { departmentId, parentId } = change;
  return company.departments.get(departmentId) === parentId
    ? { kind: 'department renamed', departmentId }
    : change;
}

function requestOf(random: Random, company: Company, change: Change): ChangeRequest | undefined {
  const name = `Name ${random.below(1_000_000)}`;
  switch (change.kind) {
    case 'role created': {
      const { dataScope, departmentIds } = change;
      const body = { roleKey: `made-${random.below(1e9)}`, name, dataScope, departmentIds };
      return { method: 'POST', path: '/roles', body };
    }
    case 'scope changed': {
      const { dataScope, departmentIds } = change;
      return {
        method: 'PUT',
        path: `/roles/${change.roleId}/data-scope`,
        body: { dataScope, departmentIds },
      };
    }
    case 'role touched': {
      const path = `/roles/${change.roleId}`;
      const isHeld = [...company.people.values()].some(({ roleId }) => roleId === change.roleId);
      if (isHeld && random.once(3)) return { method: 'DELETE', path, mayConflict: true };
      if (random.once(2)) return { method: 'PUT', path: `${path}/enabled`, body: { enabled: false } };
      const { dataScope = '5', departmentIds = [] } = company.roles.get(change.roleId) ?? {};
      return { method: 'PUT', path, body: { name, dataScope, departmentIds } };
    }
    case 'rules changed': {
      const { roleId, add, remove } = change;
      const body = { add: add.map(ruleOf), remove: remove.map(ruleOf) };
      return add.length + remove.length === 0
        ? undefined
        : { method: 'POST', path: `/roles/${roleId}/rules`, body };
    }
    case 'person created': {
      const { roleId, departmentId } = change;
      const body = { username: `made${random.below(1e9)}`, name, roleId, departmentId, password };
      return random.once(4) ? { method: 'POST', path: '/users', body } : undefined;
    }
    case 'role given': {
      const { personId, roleId } = change;
      return { method: 'PUT', path: `/users/${personId}/role`, body: { roleId }, ofOthers: true };
    }
    case 'person moved': {
      const { personId, departmentId } = change;
      return { method: 'PUT', path: `/users/${personId}`, body: { name, departmentId } };
    }
    case 'person touched':
      return touchOf(random, company, `/users/${change.personId}`, change.personId, name);
    case 'department moved': {
      const { departmentId, parentId } = change;
      return { method: 'PUT', path: `/departments/${departmentId}`, body: { name, parentId } };
    }
    case 'department renamed': {
      const parentId = company.departments.get(change.departmentId) ?? null;
      return { method: 'PUT', path: `/departments/${change.departmentId}`, body: { name, parentId } };
    }
    case 'department deleted':
      return { method: 'DELETE', path: `/departments/${change.departmentId}`, mayConflict: true };
  }
}

function touchOf(random: Random, company: Company, path: string, id: number, name: string): ChangeRequest {
  const departmentId = company.people.get(id)?.departmentId;
  if (random.once(10)) return { method: 'PUT', path: `${path}/password`, body: { password }, ofOthers: true };
  return random.pick<ChangeRequest>([
    { method: 'PUT', path, body: { name, departmentId } },
    { method: 'PUT', path: `${path}/enabled`, body: { enabled: false }, ofOthers: true },
    { method: 'PUT', path: `${path}/enabled`, body: { enabled: true } },
    { method: 'DELETE', path: `${path}/sessions` },
  ]);
}

function expectOutcome(company: Company, caller: Person, change: Change, request: ChangeRequest): Outcome {
  const { kind } = change;
  // No caller changes the role `admin`.
  if ('roleId' in change && change.roleId === adminId && /^(scope|role touched|rules)/.test(kind))
    return 'conflict';
  if ('personId' in change && caller.roleId !== adminId) {
    const person = company.people.get(change.personId);
    if (person === undefined) throw new Error('There is no such person.');
    const { id: ownerId, departmentId } = person;
    if (!sees(company, caller, { departmentId, ownerId })) return 'refused';
    const place = {
      departmentId: kind === 'person moved' ? change.departmentId : departmentId,
      ownerId: null,
    };
    if (place.departmentId !== departmentId && !sees(company, caller, place)) return 'refused';
  }
  if (!referenceMayChange(company, caller, change)) return 'refused';
  const isSelf = 'personId' in change && change.personId === caller.id;
  return isSelf && request.ofOthers === true ? 'conflict' : 'made';
}

/** A refusal by the permission check is a fault of this test: every role can make these calls. */
function outcomeOf({ body, text }: Answer): Outcome {
  if (body.code === 200) return 'made';
  if (body.code === 409) return 'conflict';
  const isBeyond = body.code === 401 && /^This needs more permissions/.test(String(body.msg));
  if (isBeyond || body.code === 404) return 'refused';
  throw new Error(`Not an outcome of a change: ${text}`);
}

/** Also by what the caretaker does after it. */
function onlyGives(change: Change): boolean {
  return change.kind === 'role touched' || (change.kind === 'rules changed' && change.remove.length === 0);
}

/** What only gives does not wait for the instance, so that a caller could be judged by the past: what takes away waits for all. */
async function settle(world: DelegationWorld, company: Company): Promise<void> {
  const [, { id, dataScope, departmentIds } = { id: 0 }] = [...company.roles.values()];
  const body = { dataScope, departmentIds };
  const { body: answer } = await world.call(company, caretaker, 'PUT', `/roles/${id}/data-scope`, body);
  if (answer.code !== 200) throw new Error(`Cannot settle: ${JSON.stringify(answer)}`);
}

/** What was made for the test alone, or locks a person out, is undone by the caretaker. */
async function goOn(
  random: Random,
  world: DelegationWorld,
  company: Company,
  change: Change,
  { body, request }: Answer,
): Promise<Company> {
  const undo = async (method: string, path: string, content?: object) => {
    const answer = await world.call(company, caretaker, method, path, content);
    if (answer.body.code !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body.data as { id: number };
  };
  const { id } = (body.data ?? {}) as { id?: number };
  const isDisabled = (request.body as { enabled?: boolean } | undefined)?.enabled === false;
  if (change.kind === 'role created') await undo('DELETE', `/roles/${id}`);
  if (change.kind === 'person created') await undo('DELETE', `/users/${id}`);
  if (isDisabled && change.kind === 'role touched')
    await undo('PUT', `/roles/${change.roleId}/enabled`, { enabled: true });
  if (isDisabled && change.kind === 'person touched')
    await undo('PUT', `/users/${change.personId}/enabled`, { enabled: true });
  if (change.kind !== 'department deleted') return changed(company, change);

  const departments = new Map(company.departments);
  departments.delete(change.departmentId);
  const parentId = pickKey(random, departments);
  const made = await undo('POST', '/departments', { name: 'Made', parentId });
  const isLeft = (departmentId: number) => departmentId !== change.departmentId;
  return {
    ...company,
    departments: departments.set(made.id, parentId),
    roles: new Map(
      [...company.roles].map(([roleId, role]) => [
        roleId,
        { ...role, departmentIds: role.departmentIds.filter(isLeft) },
      ]),
    ),
  };
}
