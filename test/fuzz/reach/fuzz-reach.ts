// Random companies and random changes: the product's check against the reference, in memory.
import { AppError, type Caller } from '@portcullis/contract';
import {
  type CanManageCheck,
  createCanManageCheck,
} from '../../../packages/server/src/people/roles/can-manage/can-manage-check.ts';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from '../fuzzer.ts';
import { Random } from '../random.ts';
import { type Change, type Company, type Person, randomChange, randomCompany } from './company.ts';
import { callsInMemory, roleKeyOf, storeInMemory } from './company-store.ts';
import { referenceMayChange } from './reference.ts';

export const fuzzReach: Fuzzer = {
  title: 'permissions to change rows, against a reference that reads every row',
  defaultCases: 20_000,
  smallCases: 6000,
  run,
};

const changesPerCompany = 25;

async function run({ cases, seed, progress }: FuzzRun): Promise<FuzzResult> {
  const failures: string[] = [];
  let allowed = 0;
  let done = 0;
  for (let world = 0; done < cases && failures.length < mostFailures; world++) {
    const random = new Random(seed + world);
    const company = randomCompany(random);
    const check = createCanManageCheck(callsInMemory(company), storeInMemory);
    const people = [...company.people.values()];
    for (let count = 0; count < changesPerCompany && done < cases; count++, done++) {
      const caller = random.pick(people);
      const change = randomChange(random, company);
      const expected = referenceMayChange(company, caller, change);
      if (expected) allowed += 1;
      if ((await mayChange(check, company, caller, change)) === expected) continue;
      const shown = JSON.stringify({ caller, change, company }, (_, value) =>
        value instanceof Map ? [...value] : value,
      );
      failures.push(
        `the check says ${!expected}, the reference ${expected}: ${shown}\n  again: npm run fuzz -- reach --seed ${seed + world} --cases ${count + 1}`,
      );
    }
    progress(done);
  }
  const share = Math.round((100 * allowed) / done);
  return { passed: done - failures.length, failures, remarks: [`${share} % of the changes were allowed`] };
}

async function mayChange(check: CanManageCheck, company: Company, caller: Person, change: Change) {
  try {
    await ask(check, company, caller, change);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'exceeds_own_permissions') return false;
    throw error;
  }
}

async function ask(check: CanManageCheck, company: Company, person: Person, change: Change): Promise<void> {
  const transaction = company as never;
  const role = company.roles.get(person.roleId);
  const caller: Pick<Caller, 'userId' | 'roleId' | 'roleKey' | 'dataScope'> = {
    userId: person.id,
    roleId: person.roleId,
    roleKey: roleKeyOf(person.roleId),
    dataScope: role?.dataScope ?? '5',
  };
  const stateOf = (id: number) => company.people.get(id) ?? person;
  switch (change.kind) {
    case 'role created':
      return await check.ofNewRole(transaction, caller, change);
    case 'scope changed':
      return await check.ofRole(transaction, caller, change.roleId, { scope: change });
    case 'role touched':
      return await check.ofRole(transaction, caller, change.roleId);
    case 'rules changed': {
      const rules = [...change.add, ...change.remove].map((path) => ({ method: 'GET', path }));
      return await check.ofRole(transaction, caller, change.roleId, { rules });
    }
    case 'person created':
      return await check.ofUser(transaction, caller, undefined, [change]);
    case 'role given': {
      const before = stateOf(change.personId);
      return await check.ofUser(transaction, caller, before.id, [
        before,
        { ...before, roleId: change.roleId },
      ]);
    }
    case 'person moved': {
      const before = stateOf(change.personId);
      const after = { ...before, departmentId: change.departmentId };
      return await check.ofUser(transaction, caller, before.id, [before, after]);
    }
    case 'person touched':
      return await check.ofUser(transaction, caller, change.personId, [stateOf(change.personId)]);
    case 'department moved': {
      const { departmentId: id, parentId: to } = change;
      return await check.ofMove(transaction, caller, { id, from: company.departments.get(id) ?? null, to });
    }
    case 'department renamed':
      return await check.ofDepartment(transaction, caller, change.departmentId);
    case 'department deleted':
      return await check.ofDeletion(transaction, caller, change.departmentId);
  }
}
