// What every level of the tree shares: which departments are open, and which row the keyboard is on.
import type { InjectionKey, Ref } from 'vue';

/** A row by its level and, but for the one that shows more, its department. */
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
