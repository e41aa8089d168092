import { isRoleKey } from '@portcullis/contract';
import { expect, it } from 'vitest';
import { isAdminLookAlike, readsLikeAdmin } from '../../../src/people/roles/admin-look-alike.ts';

const lookAlikes =
  'admin adm1n a-d-m-i-n admin- admin_1 admin2 ad_min admln adrnin aclmin administrator adm1n1strator admins root r00t ro0t superuser super_user super-admin sysadm1n admin-001';

it.each(lookAlikes.split(' '))('%s reads like admin', (key) => {
  expect(isRoleKey(key)).toBe(true);
  expect(isAdminLookAlike(key)).toBe(true);
});

it.each(
  'editor order-admin admin-of-orders auditor clerk guest administration roots rooter dominic user'.split(
    ' ',
  ),
)('%s does not', (key) => {
  expect(isAdminLookAlike(key)).toBe(false);
});

it.each([
  'Admin',
  'ADMIN',
  'A d m i n',
  'аdmin',
  'ΑDΜΙΝ',
  'ÄDMIN',
  'Ａｄｍｉｎ',
  'Administrator',
  'Super Admin',
  'Root',
])('the name %s reads like admin', (name) => {
  expect(readsLikeAdmin(name)).toBe(true);
});

it.each([
  'Editor',
  'Order admin',
  'Administration',
  '订单管理员',
  '订单 admin',
  'Админка',
  'Диспетчер',
  '编辑',
])('the name %s does not', (name) => {
  expect(readsLikeAdmin(name)).toBe(false);
});
