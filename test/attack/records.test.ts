// docs/explanation/security.md: records that people take for others, or change without knowing of each other. Each attack is
// beside a call that differs in one thing and succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { useService } from '../rig/use-service.ts';
import { type Bank, openBank } from './delegation/branch-office.ts';

const service = useService({ mode: 'prod' });
let bank: Bank;
let auditorId = 0;
beforeAll(async () => {
  bank = await openBank(service());
  const body = { roleKey: 'inspector', name: 'Inspector', dataScope: '1' };
  auditorId = Number(((await bank.send('admin', 'POST', '/roles', body)).body.data as { id: number }).id);
});
const auditor = () => `/roles/${auditorId}`;
const scope = (dataScope: string) => ({ dataScope });

describe('T115 a name that looks like another', () => {
  const lookAlikes = [
    '\u0430da',
    'ad\u0430',
    'a\u0501a',
    'ada\u3164',
    'ada\u200b',
    'ada\u115f',
    '\u0251da\u03b1',
  ];
  const place = () => ({ departmentId: bank.departments.branch, roleId: bank.roleIds.teller });

  it('is rejected for a user, and a visibly different one accepted', async () => {
    for (const username of lookAlikes)
      expect(
        await bank.call('admin', 'POST', '/users', { username, name: 'Ada', ...place() }),
        JSON.stringify(username),
      ).toBe(400);
    for (const username of ['ada-2', '阿达', 'ada阿达', 'ада'])
      expect(await bank.call('admin', 'POST', '/users', { username, name: '阿达 Ada', ...place() })).toBe(
        200,
      );
  });

  it('is rejected for a role, new or renamed, and an ordinary one accepted', async () => {
    const names = ['admin', 'Admin', 'АDMIN', 'ADM\u0406N', 'Adm\u3164in', 'Administrator', 'Aud\u0456tor'];
    for (const [index, name] of names.entries()) {
      const body = { roleKey: `look-${index}`, name, dataScope: '5' };
      expect(await bank.call('admin', 'POST', '/roles', body), JSON.stringify(name)).toBe(400);
      expect(await bank.call('admin', 'PUT', auditor(), { name }), JSON.stringify(name)).toBe(400);
    }
    expect(await bank.call('admin', 'PUT', auditor(), { name: '审计 Auditor' })).toBe(200);
  });
});

describe('T116 a form that was opened before a role was narrowed', () => {
  const read = async () =>
    (await bank.send('admin', 'GET', auditor())).body.data as { revision: number; dataScope: string };

  it('does not widen it again, in a hundred races with who narrows it, and does nothing but rename it', async () => {
    for (let round = 0; round < 100; round += 1) {
      await bank.call('admin', 'PUT', auditor(), scope('1'));
      const { revision: ifRevision, dataScope } = await read();
      const [narrowed, renamed] = await Promise.all([
        bank.call('admin', 'PUT', auditor(), { ...scope('5'), ifRevision }),
        bank.call('admin', 'PUT', auditor(), { name: `Auditor ${round}`, dataScope, ifRevision }),
      ]);
      // One of the two was first, and the other learns of it.
      expect([narrowed, renamed].toSorted()).toEqual([200, 409]);
      expect((await read()).dataScope).toBe(narrowed === 200 ? '5' : '1');
    }
    await bank.call('admin', 'PUT', auditor(), scope('5'));
    expect(await bank.call('admin', 'PUT', auditor(), { name: 'Auditor' })).toBe(200);
    expect((await read()).dataScope).toBe('5');
  });
});
