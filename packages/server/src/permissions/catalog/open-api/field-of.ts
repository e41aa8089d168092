// A field of a part of a document. Own fields only: a document can be asked for `constructor`, too.
import { isRecord } from '../../../base/values/is-record.ts';

export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
