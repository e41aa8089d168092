// The documentation site: navigation in four kinds, and links that leave docs/ lead to the repository.
import { relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { chineseKinds, chineseNavigation, kinds, navigation } from './navigation.ts';
import { slugOf } from './slug.ts';

const docs = resolve(import.meta.dirname, '..');
const repository = 'https://github.com/portcullis/portcullis';

export default defineConfig({
  title: 'Portcullis',
  description: 'Login, permission check and login log for administration back ends.',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // A dead link is an error; these are addresses of a service that the reader has started.
  ignoreDeadLinks: 'localhostLinks',
  useWebFonts: false,
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude: ['node_modules/**'],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  locales: {
    root: { label: 'English', lang: 'en' },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      themeConfig: {
        nav: navOf(chineseNavigation),
        sidebar: sidebarOf(chineseKinds),
        outline: { level: [2, 3], label: '本页' },
        docFooter: { prev: '上一页', next: '下一页' },
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        darkModeSwitchLabel: '主题',
        lightModeSwitchTitle: '切换到浅色',
        darkModeSwitchTitle: '切换到深色',
        langMenuLabel: '语言',
        skipToContentLabel: '跳到正文',
      },
    },
  },
  // The esbuild of this Vite does not know the target that our tsconfig.json names.
  vite: { esbuild: { tsconfigRaw: '{}' } },
  themeConfig: {
    search: {
      provider: 'local',
      options: { locales: { zh: { translations: { button: { buttonText: '搜索', buttonAriaLabel: '搜索' } } } } },
    },
    outline: [2, 3],
    nav: navOf(navigation),
    sidebar: sidebarOf(kinds),
    // Not every page is there in both languages: the switch leads to the first page of the other.
    i18nRouting: false,
    socialLinks: [{ icon: 'github', link: repository }],
  },
  markdown: {
    anchor: { slugify: slugOf },
    headers: { slugify: slugOf },
    config(md) {
      // Before vitepress looks at the links, so that it does not take files outside docs/ for dead pages.
      md.core.ruler.push('links-to-repository', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet('href');
          if (token.type === 'link_open' && href !== null) token.attrSet('href', linkFrom(env.path, href));
        }
      });
    },
  },
});

function navOf(pages: typeof navigation) {
  return pages.map(([text, link]) => ({ text, link, activeMatch: `^/${folderOf(link)}(/|$)` }));
}

function sidebarOf(all: typeof kinds) {
  return all.map(([text, pages]) => ({ text, items: pages.map(([text, link]) => ({ text, link })) }));
}

function folderOf(link: string): string {
  return /^\/((?:zh\/)?[^/]+)/.exec(link)?.[1] ?? '';
}

/** What lies outside docs/, and what is no page, is read in the repository. */
function linkFrom(page: string, href: string): string {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = relative(docs, resolve(page, '..', path));
  const isPage = !target.startsWith('..') && /(?:\.md|\/)$/.test(path);
  if (isPage) return href;
  const file = relative(resolve(docs, '..'), resolve(docs, target));
  return `${repository}/blob/main/${file}${anchor === undefined ? '' : `#${anchor}`}`;
}
