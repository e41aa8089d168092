// Translates a casbin rule of go-admin into our grammar. The result allows the same calls or fewer, never more.
import { type CasbinRow, importCasbinRows, type Rule } from '@portcullis/policy';

export type Translation =
  | { readonly rule: Rule; readonly narrowed: readonly string[] }
  | { readonly reason: string };

export function translateRule(row: CasbinRow): Translation {
  const { v1, v2 } = row;
  // casbin compares methods case-sensitively, and requests have upper-case methods: such a rule never allowed anything.
  if (v2 && v2 !== v2.toUpperCase())
    return {
      reason: `The method "${v2}" is not in upper case, so the rule allows nothing in go-admin either.`,
    };
  const { rules, rejected, narrowed } = importCasbinRows([
    { ...row, ...(v1 ? { v1: withPlainNames(v1) } : {}) },
  ]);
  const [rule] = rules;
  if (rule === undefined) return { reason: rejected[0]?.reason ?? 'It is not a rule.' };
  return { rule, narrowed: narrowed.map(({ reason }) => reason) };
}

/** `keyMatch2` ignores the name of a parameter that is a whole segment: `/:user-id` equals `/:user_id`. */
function withPlainNames(path: string): string {
  return path.replace(/(?<=\/):([\p{L}\p{N}_-]+)(?=\/|$)/gu, (_, name: string) => {
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_');
    return /^[0-9]/.test(plain) ? `:_${plain}` : `:${plain}`;
  });
}
