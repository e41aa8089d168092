// Endpoint of a person's activity: login log and audit log in one timeline, with what the person did and what happened to the
// person.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { AuditItem } from './audit.ts';
import { LoginLogItem } from './login-logs.ts';

const Activity = Type.Object({
  id: Type.String({ description: 'Of the record in its log.' }),
  at: Type.String({ format: 'date-time' }),
  login: Type.Union([LoginLogItem, Type.Null()], {
    description: 'A login of the user, a refused one, or a logout.',
  }),
  change: Type.Union([AuditItem, Type.Null()], {
    description: 'An administrative change of the user or by the user; one of the two is null.',
  }),
});
/** A record of either log. */
export type Activity = Static<typeof Activity>;

export const listUserActivityEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/activity',
  access: 'permission',
  title: 'List the logins of a user and the changes of and by the user, newest first',
  params: IdParams,
  query: Type.Object(pageFields),
  reply: pageReply(Activity),
});

export const activityEndpoints: readonly Endpoint[] = [listUserActivityEndpoint];
