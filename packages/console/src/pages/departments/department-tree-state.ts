// The shared state of the tree: the open departments and the focused row.
import type { InjectionKey, Ref } from 'vue';

/** A row by its level and its department. The row that loads more has no department. */
export interface TreePlace {
  readonly parentId: number;
  readonly id: number | undefined;
}

export interface DepartmentTreeState {
  readonly active: Ref<TreePlace | undefined>;
  isOpen(id: number): boolean;
  setOpen(id: number, isOpen: boolean): void;
}

export const departmentTreeKey: InjectionKey<DepartmentTreeState> = Symbol('department tree');
