// The actions of users on their own account, for the name menu and for the commands of the search.
import { type ComputedRef, computed } from 'vue';
import { useRouter } from 'vue-router';
import { defineTexts, language, setLanguage, useTexts } from '../language/language.ts';
import { may, me } from '../session.ts';
import { setTheme, theme } from '../theme.ts';
import type { MenuAction } from '../ui/action-menu.vue';
import { useSignOut } from './use-sign-out.ts';

const texts = defineTexts({
  en: {
    sessions: 'My sessions',
    endSessions: 'End my sessions',
    signInMethods: 'Sign-in methods',
    password: 'Change password',
    otherLanguage: '中文',
    light: 'Light theme',
    dark: 'Dark theme',
    shortcuts: 'Keyboard shortcuts',
    signOut: 'Sign out',
  },
  zh: {
    sessions: '我的会话',
    endSessions: '结束我的全部会话',
    signInMethods: '登录方式',
    password: '修改密码',
    otherLanguage: 'English',
    light: '浅色主题',
    dark: '深色主题',
    shortcuts: '键盘快捷键',
    signOut: '退出登录',
  },
});

export type Overlay = 'search' | 'shortcuts' | 'end-sessions';

export function useOwnActions(open: (overlay: Overlay) => void): ComputedRef<MenuAction[]> {
  const t = useTexts(texts);
  const router = useRouter();
  const { signOut } = useSignOut();
  return computed(() => {
    const userId = me.value?.userId;
    const isLight = theme.value === 'light';
    const actions: (MenuAction | false)[] = [
      may('GET', '/api/v1/sessions') && {
        label: t.value.sessions,
        icon: 'sessions',
        run: () => void router.push({ path: '/sessions', query: { userId } }),
      },
      may('DELETE', `/api/v1/users/${userId}/sessions`) && {
        label: t.value.endSessions,
        icon: 'trash',
        run: () => open('end-sessions'),
      },
      {
        label: t.value.signInMethods,
        icon: 'keys',
        run: () => void router.push({ name: 'sign-in-methods' }),
      },
      { label: t.value.password, icon: 'lock', run: () => void router.push({ name: 'password' }) },
      // Named in the other language, so that its readers can read it.
      {
        label: t.value.otherLanguage,
        icon: 'language',
        lang: language.value === 'en' ? 'zh-CN' : 'en',
        run: () => setLanguage(language.value === 'en' ? 'zh' : 'en'),
      },
      {
        label: isLight ? t.value.dark : t.value.light,
        icon: isLight ? 'moon' : 'sun',
        run: () => setTheme(isLight ? 'dark' : 'light'),
      },
      { label: t.value.shortcuts, icon: 'keyboard', run: () => open('shortcuts') },
      { label: t.value.signOut, icon: 'leave', run: () => void signOut() },
    ];
    return actions.filter((action) => action !== false);
  });
}
