// The actions on a user from a menu or a button, and the dialog that each opens.
import { ref } from 'vue';
import { describeError } from '../../calls/describe-error.ts';
import { useChange } from '../../calls/use-change.ts';
import { client } from '../../client.ts';
import { useTexts } from '../../language/language.ts';
import { may, me } from '../../session.ts';
import type { MenuAction } from '../../ui/action-menu.vue';
import { keepFocus } from '../../ui/keep-focus.ts';
import { saveFile } from '../../ui/save-file.ts';
import { showToast } from '../../ui/toasts.ts';
import { texts } from './texts.ts';
import type { User } from './user.ts';
import { actionsOf, type UserAction } from './user-actions.ts';

const icons = {
  edit: 'edit',
  role: 'roles',
  password: 'keys',
  mail: 'mail',
  invite: 'forward',
  enable: 'check',
  disable: 'lock',
  endSessions: 'leave',
  delete: 'trash',
  export: 'download',
  erase: 'trash',
} as const;

export interface UserMenuAction extends MenuAction {
  readonly action: UserAction;
}

export interface DoneToUser {
  readonly action: UserAction;
  readonly user: User;
}

export function useUserActions() {
  const t = useTexts(texts);
  const doing = ref<DoneToUser>();
  const enable = useChange({
    run: ({ id }: User) => client.setUserEnabled({ params: { id }, body: { enabled: true } }),
    changes: ['users', 'audit'],
    done: (_, { username }) => showToast(t.value.enabledToast(username)),
  });

  async function download({ id }: User): Promise<void> {
    const answer = await client.exportUser({ params: { id } });
    saveFile(`user-${id}.json`, await answer.blob());
  }

  async function run(action: UserAction, user: User): Promise<void> {
    const tell = (error: unknown) => showToast(describeError(error), 'bad');
    if (action === 'enable') await enable.act(user).catch(tell);
    else if (action === 'export') await download(user).catch(tell);
    else doing.value = { action, user };
  }

  return {
    doing,
    menuOf: (user: User): UserMenuAction[] =>
      actionsOf({ user, ownId: me.value?.userId, may }).map((action) => ({
        action,
        label: t.value.action[action],
        icon: icons[action],
        danger: ['disable', 'endSessions', 'delete', 'erase'].includes(action),
        run: () => void run(action, user),
      })),
    endDoing() {
      doing.value = undefined;
      keepFocus();
    },
  };
}
