// The pages in their groups, from which the side bar, the paths and the titles are made. Pages import this
// file, so it imports no page.
import { defineTexts } from '../language/language.ts';
import type { IconName } from '../ui/app-icon.vue';

export const pageTitles = defineTexts({
  en: {
    overview: 'Overview',
    matrix: 'Access matrix',
    explain: 'Explain',
    endpoints: 'Endpoints',
    requests: 'Access requests',
    users: 'Users',
    roles: 'Roles',
    departments: 'Departments',
    sessions: 'Sessions',
    log: 'Login log',
    audit: 'Audit log',
    keys: 'Signing keys',
    providers: 'Providers',
    webhooks: 'Webhooks',
    mails: 'Mail',
    start: 'Quick start',
  },
  zh: {
    overview: '总览',
    matrix: '权限矩阵',
    explain: '权限诊断',
    endpoints: '接口',
    requests: '权限申请',
    users: '用户',
    roles: '角色',
    departments: '部门',
    sessions: '在线会话',
    log: '登录日志',
    audit: '审计日志',
    keys: '签名密钥',
    providers: '身份提供方',
    webhooks: 'Webhook',
    mails: '邮件',
    start: '快速上手',
  },
});
export type PageName = keyof typeof pageTitles.en;

export const groupTitles = defineTexts({
  en: { access: 'Access', people: 'People', evidence: 'Evidence', system: 'System' },
  zh: { access: '访问控制', people: '人员', evidence: '记录', system: '系统' },
});
export type GroupName = keyof typeof groupTitles.en;

export interface NavigationPage {
  readonly name: PageName;
  readonly path: string;
  readonly icon: IconName;
  /** The first call of the page; the page is hidden if the role has no rule for it. */
  readonly needs: readonly [method: string, path: string] | undefined;
}

interface NavigationGroup {
  readonly name: GroupName | undefined;
  readonly pages: readonly NavigationPage[];
}

// biome-ignore format: One row a page.
export const navigation: readonly NavigationGroup[] = [
  { name: undefined, pages: [
    { name: 'overview', path: '/', icon: 'overview', needs: undefined },
  ] },
  { name: 'access', pages: [
    { name: 'matrix', path: '/matrix', icon: 'matrix', needs: ['GET', '/api/v1/matrix'] },
    { name: 'explain', path: '/explain', icon: 'explain', needs: ['GET', '/api/v1/explain'] },
    { name: 'endpoints', path: '/endpoints', icon: 'endpoints', needs: ['GET', '/api/v1/matrix'] },
    { name: 'requests', path: '/requests', icon: 'lock', needs: undefined },
  ] },
  { name: 'people', pages: [
    { name: 'users', path: '/users', icon: 'users', needs: ['GET', '/api/v1/users'] },
    { name: 'roles', path: '/roles', icon: 'roles', needs: ['GET', '/api/v1/roles'] },
    { name: 'departments', path: '/departments', icon: 'departments', needs: ['GET', '/api/v1/departments'] },
    { name: 'sessions', path: '/sessions', icon: 'sessions', needs: ['GET', '/api/v1/sessions'] },
  ] },
  { name: 'evidence', pages: [
    { name: 'log', path: '/login-log', icon: 'log', needs: ['GET', '/api/v1/login-logs'] },
    { name: 'audit', path: '/audit', icon: 'audit', needs: ['GET', '/api/v1/audit'] },
  ] },
  { name: 'system', pages: [
    { name: 'keys', path: '/keys', icon: 'keys', needs: ['GET', '/api/v1/keys'] },
    { name: 'providers', path: '/providers', icon: 'lock', needs: ['GET', '/api/v1/providers'] },
    { name: 'webhooks', path: '/webhooks', icon: 'webhooks', needs: ['GET', '/api/v1/webhooks'] },
    { name: 'mails', path: '/mails', icon: 'mail', needs: ['GET', '/api/v1/mails'] },
    { name: 'start', path: '/quick-start', icon: 'start', needs: undefined },
  ] },
];
