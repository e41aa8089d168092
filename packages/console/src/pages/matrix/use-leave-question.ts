// Asks before a draft is lost: the browser asks when the page closes, a dialog asks when another page opens.
import { onMounted, onUnmounted, ref } from 'vue';
import { onBeforeRouteLeave } from 'vue-router';
import { isSignedIn } from '../../session.ts';

export function useLeaveQuestion(hasDraft: () => boolean) {
  const isAsking = ref(false);
  let answer: (leaves: boolean) => void = () => {};

  onBeforeRouteLeave(() => {
    // After a sign-out, the draft is restored at the next sign-in.
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
