import { expect, it } from 'vitest';
import { duplicateRole } from '../../../src/pages/role/duplicate-role.ts';

type Client = Parameters<typeof duplicateRole>[0];
const body = { roleKey: 'copy', name: 'Copy', dataScope: '3' } as const;
const rules = [
  { method: 'GET', path: '/a' },
  { method: 'get', path: '/(.*)' },
];

/** Notes what it is asked, and refuses what it is told to. */
function standIn(refused: readonly string[] = []) {
  const asked: string[] = [];
  const answer = (name: string, data: unknown) => async (request: object) => {
    asked.push(`${name} ${JSON.stringify(request)}`);
    if (refused.includes(name)) throw new Error(name);
    return { data };
  };
  const client = {
    createRole: answer('create', { id: 7 }),
    changeRules: answer('change', null),
    deleteRole: answer('delete', null),
  } as unknown as Client;
  return { asked, client };
}

it('deletes the new role when its rules are refused, and reports the refusal', async () => {
  const { asked, client } = standIn(['change']);
  await expect(duplicateRole(client, body, rules)).rejects.toThrow('change');
  expect(asked.at(-1)).toBe('delete {"params":{"id":7}}');
});

it('returns the new role and the refusal of its rules when it cannot be deleted', async () => {
  const { client } = standIn(['change', 'delete']);
  expect(await duplicateRole(client, body, rules)).toEqual({ id: 7, refusal: new Error('change') });
});

it('a role gets the rules that are in force, and as many in one call as it takes', async () => {
  const { asked, client } = standIn();
  expect(await duplicateRole(client, body, rules)).toEqual({ id: 7 });
  expect(asked).toEqual([
    `create ${JSON.stringify({ body })}`,
    'change {"params":{"id":7},"body":{"add":[{"method":"GET","path":"/a"}]}}',
  ]);
  const many = standIn();
  const most = Array.from({ length: 2001 }, (_, n) => ({ method: 'GET', path: `/a${n}` }));
  await duplicateRole(many.client, body, most);
  expect(many.asked.length).toBe(4);
});
