// Parses and validates an evaluation (AuthZEN 1.0, 5 and 6). It ignores unknown fields, as the specification requires.
import { isRecord } from '../../base/values/is-record.ts';
import type { JsonObject } from './read-json.ts';
import { ServiceError } from './service-error.ts';

export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string };
  readonly action: { readonly name: string };
  readonly resource: { readonly type: string; readonly id: string };
}

export function parseEvaluation(value: unknown): Evaluation {
  if (!isRecord(value)) throw new ServiceError(400, 'An evaluation is not a JSON object.');
  const subject = entityOf(value, 'subject');
  const action = entityOf(value, 'action');
  const resource = entityOf(value, 'resource');
  if (value.context !== undefined && !isRecord(value.context))
    throw new ServiceError(400, '`context` is not a JSON object.');
  return {
    subject: { type: textOf(subject, 'subject', 'type'), id: textOf(subject, 'subject', 'id') },
    action: { name: textOf(action, 'action', 'name') },
    resource: { type: textOf(resource, 'resource', 'type'), id: textOf(resource, 'resource', 'id') },
  };
}

function entityOf(evaluation: JsonObject, name: string): JsonObject {
  const entity = evaluation[name];
  if (entity === undefined) throw new ServiceError(400, `\`${name}\` is missing.`);
  if (!isRecord(entity)) throw new ServiceError(400, `\`${name}\` is not a JSON object.`);
  if (entity.properties !== undefined && !isRecord(entity.properties))
    throw new ServiceError(400, `\`${name}.properties\` is not a JSON object.`);
  return entity;
}

function textOf(entity: JsonObject, name: string, key: string): string {
  const text = entity[key];
  if (text === undefined) throw new ServiceError(400, `\`${name}.${key}\` is missing.`);
  if (typeof text !== 'string') throw new ServiceError(400, `\`${name}.${key}\` is not a string.`);
  return text;
}
