// The labels and formats of a user's fields, for the note about changes by another user.
import { useTexts } from '../../language/language.ts';
import { useDepartments } from '../../pickers/use-departments.ts';
import { useRoles } from '../../pickers/use-roles.ts';
import { texts } from './texts.ts';
import type { User } from './user.ts';

export function useUserFields(user: User) {
  const t = useTexts(texts);
  const { departments } = useDepartments();
  const { roles } = useRoles();

  const nameOf = (known: readonly { readonly id: number; readonly name: string }[], id: unknown) =>
    known.find((one) => one.id === id)?.name ?? t.value.unknown(String(id));
  const shown: Readonly<Record<string, (value: unknown) => string>> = {
    departmentId: (id) =>
      nameOf([{ id: user.departmentId, name: user.departmentName }, ...departments.value], id),
    roleId: (id) => nameOf([{ id: user.roleId, name: user.roleName }, ...roles.value], id),
    enabled: (isEnabled) => (isEnabled === true ? t.value.enabled : t.value.disabled),
  };
  return {
    labelOf(field: string): string {
      const { name, department, role, status } = t.value;
      const labels: Readonly<Record<string, string>> = { name, departmentId: department, roleId: role };
      return labels[field] ?? status;
    },
    textOf: (field: string, value: unknown) => shown[field]?.(value) ?? String(value),
  };
}
