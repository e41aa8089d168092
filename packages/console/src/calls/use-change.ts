// A change: busy while it is made, its refusal kept for the form that asked, and what it concerns asked for again.
import { useMutation, useQueryClient } from '@tanstack/vue-query';
import { computed, ref, shallowRef } from 'vue';
import { describeError } from './describe-error.ts';

interface ChangeOptions<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** What is asked for again: the first part of their keys, like `users`. */
  readonly changes: readonly string[];
  readonly done?: (result: Result, input: Input) => void;
}

/**
 * @example const disable = useChange({ run: (id: number) => client.setUserEnabled({ params: { id }, body: { enabled: false } }), changes: ['users'] });
 * // in the template: <AppButton :busy="disable.isBusy" @click="disable.start(user.id)">
 */
export function useChange<Input = void, Result = unknown>({
  run,
  changes,
  done,
}: ChangeOptions<Input, Result>) {
  const queries = useQueryClient();
  // The library would tell of the end a moment later than the call itself.
  const isBusy = ref(false);
  const error = shallowRef<unknown>(null);
  const mutation = useMutation({
    mutationFn: run,
    async onSuccess(result, input) {
      await Promise.all(changes.map((first) => queries.invalidateQueries({ queryKey: [first] })));
      done?.(result, input);
    },
  });

  async function act(input: Input): Promise<void> {
    isBusy.value = true;
    error.value = null;
    try {
      await mutation.mutateAsync(input);
    } catch (refusal) {
      error.value = refusal;
      throw refusal;
    } finally {
      isBusy.value = false;
    }
  }

  return {
    /** Rejects with the refusal: for a ConfirmDialog, which shows it. */
    act,
    /** Resolves to whether it was made; where it was not, `problem` says why. */
    start: (input: Input) =>
      act(input).then(
        () => true,
        () => false,
      ),
    forget() {
      error.value = null;
    },
    isBusy,
    error,
    problem: computed(() => (error.value === null ? '' : describeError(error.value))),
  };
}
