// The service as it would be without judging people again, for the control: people who changed since the plan was made are skipped, and
// so are people who could not be moved because the provider changed.
import { runCarelessly } from '../../attack/run-carelessly.ts';

const mappings = '/groups/mapping-changes.ts';

await runCarelessly([
  {
    file: mappings,
    from: 'const planned = planRoles(wanted, users, peopleOf(read, users));\n      const moved',
    to: `const planned = batch.filter(({ user }) =>
        users.some(
          ({ userId, roleId, departmentId }) =>
            userId === user.userId && roleId === user.roleId && departmentId === user.departmentId,
        ),
      );
      const moved`,
  },
  { file: mappings, from: 'await holdProviderEpoch(transaction, provider);', to: '' },
  {
    file: mappings,
    from: 'if (left.length === 0) return;',
    to: 'if (left.length === 0 || round > 0) return;',
  },
  { file: '/ldap/recheck.ts', from: "if (outcome === 'refused') left.push(link);", to: '' },
]);
