// Whether the window is too narrow for a grid.
import { onMounted, onUnmounted, ref } from 'vue';

export function useNarrow() {
  const media = matchMedia('(max-width: 639px)');
  const isNarrow = ref(media.matches);
  const follow = () => {
    isNarrow.value = media.matches;
  };
  onMounted(() => media.addEventListener('change', follow));
  onUnmounted(() => media.removeEventListener('change', follow));
  return isNarrow;
}
