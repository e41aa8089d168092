// A mutation: busy while its call runs, keeps a refusal for the form, and refetches the data that it affects. If the
// user leaves the page before the call ends, a toast shows the result.
import { useMutation, useQueryClient } from '@tanstack/vue-query';
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { defineTexts, useTexts } from '../language/language.ts';
import { showToast } from '../ui/toasts.ts';
import { describeError } from './describe-error.ts';

const texts = defineTexts({
  en: {
    left: 'You stopped waiting. It may still be done: a note will say so.',
    doneLate: 'What you stopped waiting for was done after all.',
    notDone: (why: string) => `What you stopped waiting for was not confirmed. ${why}`,
  },
  zh: {
    left: '已停止等待。操作仍可能完成，结果将另行提示。',
    doneLate: '您停止等待的操作已经完成。',
    notDone: (why) => `您停止等待的操作未得到确认。${why}`,
  },
});

interface ChangeOptions<Input, Result> {
  readonly run: (input: Input) => Promise<Result>;
  /** The queries to refetch: the first part of their keys, like `users`. */
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
  const t = useTexts(texts);
  const queries = useQueryClient();
  let isLeft = false;
  // The library would report the end of the call a tick later than the call itself.
  const isBusy = ref(false);
  const error = shallowRef<unknown>(null);
  const mutation = useMutation({
    mutationFn: run,
    async onSuccess(result, input) {
      await Promise.all(changes.map((first) => queries.invalidateQueries({ queryKey: [first] })));
      isBusy.value = false;
      if (isLeft) showToast(t.value.doneLate);
      else done?.(result, input);
    },
    onError(refusal) {
      if (isLeft) showToast(t.value.notDone(describeError(refusal)), 'bad');
    },
  });
  onScopeDispose(() => {
    if (!isBusy.value) return;
    isLeft = true;
    showToast(t.value.left, 'bad');
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
    /** Resolves to whether the change was made. If not, `problem` holds the reason. */
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
