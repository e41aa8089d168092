// What go-admin's own front end asks for from the login to the menu, with what it reads of each answer. Its requests were
// read in go-admin-ui 3.1.0; nothing of its code is here.
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../../../../../test/conformance/expect-refusal.ts';
import { captchaAnswer, solveCaptcha } from '../../../../../test/rig/captcha.ts';
import { present } from '../../../../../test/rig/carriers.ts';
import type { Answer, Request } from '../../../../../test/rig/http-client.ts';
import { password } from '../../../../../test/rig/seed.ts';
import { useService } from '../../../../../test/rig/use-service.ts';

const appConfig = { path: '/api/v1/app-config' };
const menuRole = { path: '/api/v1/menurole' };
const setPassword = (oldPassword: string, newPassword: string): Request => ({
  method: 'PUT',
  path: '/api/v1/user/pwd/set',
  body: { oldPassword, newPassword },
});
const orders = { path: '/api/v1/orders' };
const as = (token: string, request: Request) => present(token, 'header', request);

interface Profile {
  readonly roles: readonly string[];
  readonly name: string;
  readonly avatar: string;
  readonly introduction: string;
  readonly permissions: readonly string[];
}

interface Menu {
  readonly path: string;
  readonly component: string;
  readonly visible: string;
  readonly menuName: string;
  readonly title: string;
  readonly icon: string;
  readonly noCache: boolean;
  readonly children: readonly Menu[];
}

/** Of the PNG in a data URL. */
function sizeOf({ body }: Answer): number[] {
  const png = Buffer.from(String(body.data).replace('data:image/png;base64,', ''), 'base64');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('go-admin’s own front end', () => {
  const service = useService({ mode: 'prod', settings: { APPLICATION_COMPATIBILITY: 'go-admin' } });

  beforeAll(async () => {
    const { database } = service();
    const menus = [
      [2, 0, 'M', 'Admin', '系统管理', '/admin', 'Layout', '', '0'],
      [
        3,
        2,
        'C',
        'SysUserManage',
        '用户管理',
        '/admin/sys-user',
        '/admin/sys-user/index',
        'admin:sysUser:list',
        '0',
      ],
      [43, 3, 'F', '', '新增管理员', '', '', 'admin:sysUser:add', '0'],
      [46, 3, 'F', '', '删除管理员', '', '', 'admin:sysUser:remove', '0'],
      [59, 2, 'C', 'SysDictData', '字典数据', '/admin/dict/data/:dictId', '/admin/dict/data', '', '1'],
      [60, 0, 'M', 'Tools', '开发工具', '/dev-tools', 'Layout', '', '0'],
    ];
    for (const menu of menus)
      await database.query(
        `insert into go_admin_menus (id, parent_id, kind, name, title, path, component, permission, visible, icon, no_cache, sort)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'user', false, $1)`,
        menu,
      );
    await database.query(
      `insert into go_admin_role_menus select roles.id, menu from roles, unnest(array[3, 43]) menu where role_key = 'clerk'`,
    );
    await database.query(`insert into go_admin_config values ('sys_app_name', '管理系统')`);
  });

  const send = async (request: Request) => {
    const answer = await service().send(request);
    expect(answer.status).toBe(200);
    return answer;
  };
  /** As its page does: the captcha first, and every field of its form. */
  async function logIn(username: string, secret = password): Promise<string> {
    const captcha = await send({ path: '/api/v1/captcha' });
    expect(captcha.body).toMatchObject({
      code: 200,
      data: expect.stringMatching(/^data:image\/png;base64,/),
    });
    const uuid = String(captcha.body.id);
    await solveCaptcha(service().database, uuid);
    const body = { username, password: secret, code: captchaAnswer, uuid };
    const answer = await send({ method: 'POST', path: '/api/v1/login', body });
    expect(answer.body).toMatchObject({ code: 200, token: expect.any(String) });
    return String(answer.body.token);
  }

  it('refuses the menus without a valid token', async () => {
    await expectRefusal(service(), menuRole, 'token_missing');
    const token = await logIn('carl');
    expect((await send(as(token, { method: 'POST', path: '/api/v1/logout' }))).body.code).toBe(200);
    await expectRefusal(service(), as(token, menuRole), 'token_revoked');
    await expectRefusal(
      service(),
      as(token, setPassword(password, 'lamp orbit velvet ninety')),
      'token_revoked',
    );
  });

  it('answers a missing permission with code 403, which keeps the session, and changes nothing else', async () => {
    const { body, headers } = await send(as(await service().tokenOf('gina'), orders));
    expect(body).toStrictEqual({ code: 403, msg: expect.stringMatching(/\S/) });
    expect(headers['x-auth-reason']).toBe('permission_denied');
    await expectRefusal(service(), orders, 'token_missing');
    await expectRefusal(service(), as('no.such-token', orders), 'token_malformed');
  });

  it('a wrong login is shown and not taken for a session that has ended', async () => {
    const body = { username: 'carl', password: 'wrong', ...(await service().solvedCaptcha()) };
    expect((await service().postLogin(body)).body).toStrictEqual({ code: 400, msg: expect.any(String) });
  });

  it('the login page gets its name and a captcha of the shape that it shows', async () => {
    expect((await send(appConfig)).body).toMatchObject({
      code: 200,
      data: { sys_app_name: '管理系统', sys_app_logo: '' },
    });
    const [width = 0, height = 0] = sizeOf(await send({ path: '/api/v1/captcha' }));
    // The box is 102 by 40, and the picture covers it.
    expect(Math.max(102 / width, 40 / height) * width).toBeLessThan(103);
  });

  it('from the login to the menu, a role gets its pages and its buttons', async () => {
    const token = await logIn('carl');
    const info = (await send(as(token, { path: '/api/v1/getinfo' }))).body;
    const profile = info.data as Profile;
    expect(info.code).toBe(200);
    expect(profile.roles).toEqual(['clerk']);
    expect([profile.name, typeof profile.avatar, typeof profile.introduction]).toEqual([
      'Carl',
      'string',
      'string',
    ]);
    const names = profile.permissions.filter((name) => name.startsWith('admin:'));
    expect(names).toEqual(['admin:sysUser:add', 'admin:sysUser:list']);
    expect(profile.permissions).toContain('GET /api/v1/orders');
    expect(profile.permissions).not.toContain('*:*:*');

    const { code, data } = (await send(as(token, menuRole))).body;
    expect(code).toBe(200);
    const [admin, ...others] = data as Menu[];
    expect(others).toEqual([]);
    expect(admin).toMatchObject({
      path: '/admin',
      component: 'Layout',
      visible: '0',
      menuName: 'Admin',
      title: '系统管理',
      icon: 'user',
      noCache: false,
    });
    expect(admin?.children.map(({ path, component, children }) => ({ path, component, children }))).toEqual([
      { path: '/admin/sys-user', component: '/admin/sys-user/index', children: [] },
    ]);
  });

  it('the page of one’s own finds the role by its number, and the department', async () => {
    const { code, data } = (await send(as(await logIn('carl'), { path: '/api/v1/user/profile' }))).body;
    expect(code).toBe(200);
    const { user, roles } = data as {
      user: { roleIds: number[]; dept: { deptName: string } };
      roles: { roleId: number; roleName: string }[];
    };
    expect(user.dept.deptName).toBe('Head office');
    expect(roles.find(({ roleId }) => roleId === user.roleIds[0])?.roleName).toBe('clerk');
  });

  it('an administrator gets every menu, hidden pages too, and every button', async () => {
    const token = await logIn('ada');
    const { data } = (await send(as(token, { path: '/api/v1/getinfo' }))).body;
    expect((data as Profile).permissions).toEqual(['*:*:*']);
    const menus = (await send(as(token, menuRole))).body.data as Menu[];
    expect(menus.map(({ title }) => title)).toEqual(['系统管理', '开发工具']);
    expect(menus[0]?.children.map(({ visible }) => visible)).toEqual(['0', '1']);
  });

  it('shows a user with a due password the page for it, and no other', async () => {
    const { database } = service();
    await database.query(`update users set password_due = true where username = 'bela'`);
    const token = await logIn('bela');
    for (const path of ['/api/v1/getinfo', '/api/v1/menurole', '/api/v1/user/profile'])
      expect((await send(as(token, { path }))).body.code).toBe(200);
    expect((await send(as(token, orders))).body.code).toBe(403);
    const next = 'lamp orbit velvet ni';
    expect((await send(as(token, setPassword('a wrong one', next)))).body.code).toBe(400);
    expect((await send(as(token, setPassword(password, next)))).body.code).toBe(200);
    await expectRefusal(service(), as(token, menuRole), 'token_revoked');
    await logIn('bela', next);
  });

  it('the OpenAPI document has what the setting adds', async () => {
    const { text } = await service().send(
      as(await service().tokenOf('ada'), { path: '/api/v1/openapi.json' }),
    );
    expect(text).toContain('/api/v1/menurole');
  });
});
