// The actions on a role in the matrix.
import { useRouter } from 'vue-router';
import { useTexts } from '../../language/language.ts';
import { may } from '../../session.ts';
import { linkTo } from '../../shell/object-pages.ts';
import type { MenuAction } from '../../ui/action-menu.vue';
import { isAdmin } from './cell-state.ts';
import type { MatrixRole } from './load-matrix.ts';
import { texts } from './texts.ts';

interface RoleActionsOptions {
  readonly openHistory: (role: MatrixRole) => void;
  readonly showOnly: (role: MatrixRole) => void;
}

export function useRoleActions({ openHistory, showOnly }: RoleActionsOptions) {
  const t = useTexts(texts);
  const router = useRouter();
  return (role: MatrixRole): MenuAction[] => {
    const { id, roleKey } = role;
    const actions: MenuAction[] = [{ label: t.value.onlyThis, icon: 'search', run: () => showOnly(role) }];
    if (may('GET', `/api/v1/roles/${id}`))
      actions.push({ label: t.value.openRole, icon: 'roles', run: () => void router.push(linkTo.role(id)) });
    if (!isAdmin(role) && may('GET', `/api/v1/roles/${id}/rules/history`))
      actions.push({ label: t.value.history, icon: 'history', run: () => openHistory(role) });
    if (may('GET', '/api/v1/explain'))
      actions.push({
        label: t.value.explain,
        icon: 'explain',
        run: () => void router.push({ name: 'explain', query: { roleKey } }),
      });
    return actions;
  };
}
