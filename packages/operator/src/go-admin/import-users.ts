// Imports users page by page with their password hashes, so no user needs a new password. If two users of go-admin have
// the same name here, neither is imported.
import { usernamePattern } from '@portcullis/contract';
import { canonicalUsername } from '@portcullis/server/base/values/canonical-username.ts';
import { publishedPasswordHashes } from '@portcullis/server/people/passwords/published-passwords.ts';
import { isBcryptHash } from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';
import type { FindingKind } from './finding-kinds.ts';
import type { DepartmentIds } from './import-departments.ts';
import type { ImportedRoles } from './import-roles.ts';
import {
  deleteOwnUsers,
  hasDeletedUsers,
  type ImportedUser,
  insertUsers,
  listDeletedNames,
  listOwnNames,
} from './import-store.ts';
import { createTally, type ImportWork, isDisplayName, type Tally } from './import-work.ts';
import type { SourceRow } from './source.ts';
import { isDeleted, readTable } from './source-tables.ts';

interface Candidate extends ImportedUser {
  readonly what: string;
  /** The differences from go-admin; reported only if the user is imported. */
  readonly changed: readonly (readonly [kind: FindingKind, reason?: string])[];
}

interface Places {
  readonly departments: DepartmentIds;
  readonly roles: ImportedRoles;
}

export interface ImportedUsers {
  readonly tally: Tally;
  readonly firstId: number | null;
  readonly lastId: number | null;
}

export async function importUsers(work: ImportWork, places: Places): Promise<ImportedUsers> {
  const { transaction, findings } = work;
  const tally = createTally();
  const twice = new Set<string>();
  const ids = { firstId: Number.POSITIVE_INFINITY, lastId: 0 };
  const mayBeDeleted = await hasDeletedUsers(transaction);

  for await (const page of await readTable(work.source, 'sys_user')) {
    const there = page.filter((row) => !isDeleted(row));
    tally.read += page.length;
    tally.deleted += page.length - there.length;
    const candidates = there.flatMap((row) => candidateOf(row, places, findings.add));
    await insert(mayBeDeleted ? await withoutDeleted(candidates) : candidates);
    work.onProgress(`${tally.read.toLocaleString('en')} users`);
  }
  for (const username of await deleteOwnUsers(transaction, [...twice])) {
    findings.add('user_name_twice', username);
    tally.imported -= 1;
  }
  tally.leftOut = findings.countLeftOut('users');
  const hasAny = tally.imported > 0;
  return { tally, firstId: hasAny ? ids.firstId : null, lastId: hasAny ? ids.lastId : null };

  async function insert(candidates: readonly Candidate[]): Promise<void> {
    const rows = await insertUsers(transaction, candidates);
    for (const { id } of rows) {
      ids.firstId = Math.min(ids.firstId, id);
      ids.lastId = Math.max(ids.lastId, id);
    }
    const inserted = new Set(rows.map(({ canonicalUsername: name }) => name));
    tally.imported += inserted.size;
    // Of two users of one name in this page, the first was inserted.
    const taken = candidates.filter((candidate) => {
      const isInserted = inserted.delete(candidate.canonicalUsername);
      if (isInserted)
        for (const [kind, reason] of candidate.changed) findings.add(kind, candidate.what, reason);
      return !isInserted;
    });
    if (taken.length > 0) await judgeTaken(taken);
  }

  async function judgeTaken(taken: readonly Candidate[]): Promise<void> {
    const names = taken.map(({ canonicalUsername: name }) => name);
    const own = new Set(await listOwnNames(transaction, names));
    for (const { canonicalUsername: name, what } of taken)
      if (own.has(name)) {
        twice.add(name);
        findings.add('user_name_twice', what);
      } else tally.thereAlready += 1;
  }

  async function withoutDeleted(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const names = candidates.map(({ canonicalUsername: name }) => name);
    const deleted = new Set(await listDeletedNames(transaction, names));
    return candidates.filter(({ canonicalUsername: name, what }) => {
      if (deleted.has(name)) findings.add('user_deleted_here', what);
      return !deleted.has(name);
    });
  }
}

const usernameShape = new RegExp(usernamePattern, 'u');

/** Empty if the user is left out. */
function candidateOf(
  row: SourceRow,
  { departments, roles }: Places,
  leaveOut: (kind: FindingKind, what: string, reason?: string) => void,
): Candidate[] {
  const given = row.username ?? '';
  const what = `${row.user_id} ${given}`;
  const username = given.normalize('NFKC');
  const role = roles.byId.get(row.role_id ?? '');
  const departmentId = departments.get(row.dept_id ?? '');
  const passwordHash = row.password ?? '';
  if (!usernameShape.test(username)) leaveOut('user_name_unfit', what);
  else if (role === undefined) leaveOut('user_role_missing', what, `Its role is ${row.role_id}.`);
  else if (departmentId === undefined)
    leaveOut('user_department_missing', what, `Its department is ${row.dept_id}.`);
  else if (!isBcryptHash(passwordHash)) leaveOut('user_hash_unfit', what);
  else {
    const status = roles.readStatus(row.status ?? '');
    const name = row.nick_name ?? '';
    const changed: [FindingKind, string?][] = [];
    if (!isDisplayName(name)) changed.push(['user_name_replaced']);
    if (status === 'unknown') changed.push(['user_status_unknown', `It is "${row.status}".`]);
    const isPublished = publishedPasswordHashes.includes(passwordHash);
    if (isPublished) changed.push(['user_published_password']);
    const hasDisabledAdmin = role.roleKey === 'admin' && !role.enabled;
    if (hasDisabledAdmin) changed.push(['user_admin_disabled']);
    return [
      {
        username,
        canonicalUsername: canonicalUsername(username),
        name: isDisplayName(name) ? name : username,
        departmentId,
        roleId: role.id,
        passwordHash,
        enabled: status === 'enabled' && !isPublished && !hasDisabledAdmin,
        what,
        changed,
      },
    ];
  }
  return [];
}
