// Texts that end a string, a statement or a comment in SQL, and the fields of requests that they are put into.
import { hash } from 'node:crypto';
import type { Request } from '../../rig/http-client.ts';

const quotes = ["'", '"', "''", "\\'", '$$', '`', '', '\u02bc', '%27', "');", '")', "'))"];
const tails = [
  ' or 1=1',
  ' or true--',
  ' or 1=1#',
  ' and 1=2 union select null--',
  ' union select username, password_hash from users--',
  '; drop table users--',
  '; update roles set data_scope=1--',
  "; insert into rules values (5,'*','/api/v1/*')--",
  ' and (select pg_sleep(5)) is null--',
  '||(select pg_sleep(5))||',
  ' and 1=cast((select version()) as int)--',
  '; copy users to program $$id$$--',
  ' or exists(select 1 from pg_user)--',
  ' order by 99--',
  ' limit 1 offset 1--',
  '/**/or/**/1=1',
  ' or 1=1 /*',
  '; select pg_terminate_backend(pid) from pg_stat_activity--',
  ' is not null',
  ' like $$%$$',
];
const heads = ['', '1', 'ada', '-1', 'K7WQP', '/api/v1/orders', '(select 1)'];

/** Another text for every number, without an end. */
export function injection(index: number): string {
  const head = heads[index % heads.length] ?? '';
  const quote = quotes[Math.floor(index / heads.length) % quotes.length] ?? '';
  const tail = tails[Math.floor(index / heads.length / quotes.length) % tails.length] ?? '';
  return `${head}${quote}${tail}${index >= heads.length * quotes.length * tails.length ? ` -- ${index}` : ''}`;
}

export const injectionCount = heads.length * quotes.length * tails.length;

/** Every text that a caller can send to an endpoint of ours; `encoded` is for the query. */
export const fields: Readonly<Record<string, (text: string, encoded: string) => Request>> = {
  'the username of a login': (text) => login({ username: text.slice(0, 64) }),
  'the password of a login': (text) => login({ username: hash('md5', text), password: text }),
  'the uuid of a login': (text) => login({ uuid: text.slice(0, 64), code: 'K7WQP' }),
  'the code of a login': (text) => login({ uuid: 'A'.repeat(22), code: text.slice(0, 16) }),
  'the method of a rule to add': (text) => rules({ add: [{ method: text.slice(0, 64), path: '/x' }] }),
  'the path of a rule to add': (text) => rules({ add: [{ method: 'GET', path: text }] }),
  'the method of a rule to remove': (text) => rules({ remove: [{ method: text.slice(0, 64), path: '/x' }] }),
  'the path of a rule to remove': (text) => rules({ remove: [{ method: 'GET', path: text }] }),
  'the place in a list of rules': (_, text) => ({ path: `/api/v1/roles/2/rules?after=${text}` }),
  'the place in a list of sessions': (_, text) => ({ path: `/api/v1/sessions?after=${text}` }),
  'the user of a list of sessions': (_, text) => ({ path: `/api/v1/sessions?userId=${text}` }),
  'the place in a list of keys': (_, text) => ({ path: `/api/v1/keys?after=${text}` }),
  'the length of a list of instances': (_, text) => ({ path: `/api/v1/instances?limit=${text}` }),
  'the role of a list of rules': (_, text) => ({ path: `/api/v1/roles/${text}/rules` }),
  'a session to end': (_, text) => ({ method: 'DELETE', path: `/api/v1/sessions/${text}` }),
  'a key to retire': (_, text) => ({ method: 'POST', path: `/api/v1/keys/${text}/retire` }),
  'a data scope': (text) => ({
    method: 'PUT',
    path: '/api/v1/roles/5/data-scope',
    body: { dataScope: text },
  }),
  'a user to enable': (text) => ({ method: 'PUT', path: '/api/v1/users/5/enabled', body: { enabled: text } }),
  'a role to give': (text) => ({ method: 'PUT', path: '/api/v1/users/5/role', body: { roleId: text } }),
  'a user agent': (text) => ({
    ...login({ username: hash('md5', text) }),
    headers: { 'user-agent': text.replace(/[^\x20-\x7e]/g, '?') },
  }),
};

/** Without a uuid it waits for a solved captcha: only so do the name and the password reach the store. */
function login(part: Record<string, string>): Request {
  return { method: 'POST', path: '/api/v1/login', body: { username: 'nobody', password: 'wrong', ...part } };
}

function rules(body: object): Request {
  return { method: 'POST', path: '/api/v1/roles/5/rules', body };
}
