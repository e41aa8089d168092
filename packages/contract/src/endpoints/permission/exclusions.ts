// Endpoint that shows the exclusion list and its uses. Only the settings change the list.
import { Type } from 'typebox';
import { accesses, defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { dataReply } from '../../reply.ts';

/** How far back uses are counted. */
export const exclusionDays = 30;

const count = Type.Integer({ minimum: 0 });

export const listExclusionsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/exclusions',
  access: 'permission',
  title: 'List the endpoints that skip the permission check, and how often each did',
  reply: dataReply(
    Type.Object({
      items: Type.Array(
        Type.Object({
          method: Type.String(),
          path: Type.String(),
          title: Type.String(),
          access: Type.Enum(accesses, {
            description: 'A public endpoint has no permission check to skip, so its uses stay 0.',
          }),
          uses: Type.Integer({
            minimum: 0,
            description: `Requests of the last ${exclusionDays} days that passed by the list alone, up to a minute ago. An instance that is killed loses its last minute.`,
          }),
          days: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), uses: count }), {
            description: 'The days on which there were any, in UTC, newest first.',
          }),
        }),
      ),
    }),
  ),
});

export const exclusionEndpoints: readonly Endpoint[] = [listExclusionsEndpoint];
