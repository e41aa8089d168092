// Reviews and applies a draft, role by role: it compares first, then applies the changes to the compared revision.
import { ref } from 'vue';
import { describeError, kindOf } from '../../calls/describe-error.ts';
import { client } from '../../client.ts';
import type { RoleChanges } from './draft.ts';
import type { RuleComparison } from './read-comparison.ts';

export interface ReviewItem extends RoleChanges {
  status: 'waiting' | 'applying' | 'done' | 'failed';
  isComparing: boolean;
  comparison: RuleComparison | undefined;
  /** Another user has changed the role's rules in the meantime. */
  isConflict: boolean;
  problem: string;
}

const comparedAtOnce = 3;

export function newReviewItem(change: RoleChanges): ReviewItem {
  return {
    ...change,
    status: 'waiting',
    isComparing: true,
    comparison: undefined,
    isConflict: false,
    problem: '',
  };
}

export function useReview(onApplied: (roleId: number) => void) {
  const items = ref<ReviewItem[]>([]);
  const isApplying = ref(false);
  let isStopped = false;

  async function begin(changes: readonly RoleChanges[]): Promise<void> {
    items.value = changes.map(newReviewItem);
    const queue = [...items.value];
    const work = async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await compare(item);
    };
    await Promise.all(Array.from({ length: comparedAtOnce }, work));
  }

  async function compare(item: ReviewItem): Promise<void> {
    try {
      const { data } = await client.compareRules({ params: { id: item.role.id }, body: bodyOf(item) });
      item.comparison = data;
      item.isConflict = data.revision > item.role.revision;
    } catch (error) {
      item.problem = describeError(error);
    } finally {
      item.isComparing = false;
    }
  }

  /** Applies the roles sequentially; a refusal does not stop the others. Resolves to whether all were applied. */
  async function apply(): Promise<boolean> {
    isApplying.value = true;
    isStopped = false;
    for (const item of items.value) if (item.status !== 'done' && !isStopped) await applyTo(item);
    isApplying.value = false;
    return items.value.every(({ status }) => status === 'done');
  }

  async function applyTo(item: ReviewItem): Promise<void> {
    const { id, revision } = item.role;
    item.status = 'applying';
    item.problem = '';
    try {
      await client.changeRules({ params: { id }, body: { ...bodyOf(item), ifRevision: revision } });
      item.status = 'done';
      onApplied(id);
    } catch (error) {
      item.status = 'failed';
      item.isConflict = kindOf(error) === 'conflict';
      item.problem = item.isConflict ? '' : describeError(error);
    }
  }

  /** The current call finishes; no further one starts. */
  function stop(): void {
    isStopped = true;
  }

  return { items, isApplying, begin, apply, stop };
}

function bodyOf({ add, remove }: RoleChanges) {
  return { add: [...add], remove: [...remove] };
}
