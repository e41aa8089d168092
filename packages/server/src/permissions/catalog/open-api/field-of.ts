// Reads an own property of an untrusted value: a name from a document can be `constructor`.
import { isRecord } from '../../../base/values/is-record.ts';

export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
