// The filter of the matrix in the address: `q`, `service`, `role` (repeatable) and `diff`.
import type { LocationQuery } from 'vue-router';

export interface MatrixFilter {
  readonly text: string;
  readonly service: string;
  /** Empty for all roles. */
  readonly roleKeys: readonly string[];
  readonly onlyDifferences: boolean;
}

export function readFilter({ q, service, role, diff }: LocationQuery): MatrixFilter {
  return {
    text: textOf(q),
    service: textOf(service),
    roleKeys: [role].flat().filter((key): key is string => typeof key === 'string' && key !== ''),
    onlyDifferences: diff === '1',
  };
}

export function writeFilter({ text, service, roleKeys, onlyDifferences }: MatrixFilter) {
  return {
    ...(text === '' ? {} : { q: text }),
    ...(service === '' ? {} : { service }),
    ...(roleKeys.length === 0 ? {} : { role: [...roleKeys] }),
    ...(onlyDifferences ? { diff: '1' } : {}),
  };
}

function textOf(value: LocationQuery[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}
