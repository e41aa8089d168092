// Asks before a draft is lost: by the browser where the page is closed, by a dialog of ours where another page is opened.
import { onMounted, onUnmounted, ref } from 'vue';
import { onBeforeRouteLeave } from 'vue-router';
import { isSignedIn } from '../../session.ts';

export function useLeaveQuestion(hasDraft: () => boolean) {
  const isAsking = ref(false);
  let answer: (leaves: boolean) => void = () => {};

  onBeforeRouteLeave(() => {
    // Who is signed out finds it again after signing in.
    if (!hasDraft() || !isSignedIn.value) return true;
    isAsking.value = true;
    return new Promise<boolean>((resolve) => {
      answer = resolve;
    });
  });

  function warn(event: BeforeUnloadEvent): void {
    if (hasDraft()) event.preventDefault();
  }
  onMounted(() => addEventListener('beforeunload', warn));
  onUnmounted(() => removeEventListener('beforeunload', warn));

  return {
    isAsking,
    settle(leaves: boolean): void {
      isAsking.value = false;
      answer(leaves);
    },
  };
}
