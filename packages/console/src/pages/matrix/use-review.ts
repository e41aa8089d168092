// A draft on its way into force, role by role: compared first, then applied on the revision that was looked at.
import { ref } from 'vue';
import { describeError, kindOf } from '../../calls/describe-error.ts';
import { client } from '../../client.ts';
import type { RoleChanges } from './draft.ts';
import type { RuleComparison } from './read-comparison.ts';

export interface ReviewItem extends RoleChanges {
  status: 'waiting' | 'applying' | 'done' | 'failed';
  isComparing: boolean;
  comparison: RuleComparison | undefined;
  /** Somebody else changed the role's rules meanwhile. */
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

  /** One role after the other; a refusal does not hold up the others. Resolves to whether all are applied. */
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

  /** What is under way ends by itself; nothing is begun after it. */
  function stop(): void {
    isStopped = true;
  }

  return { items, isApplying, begin, apply, stop };
}

function bodyOf({ add, remove }: RoleChanges) {
  return { add: [...add], remove: [...remove] };
}
