import { createApp } from 'vue';
import SignIn from './SignIn.vue';

createApp(SignIn).mount('#app');
