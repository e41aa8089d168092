import { createRoot } from 'react-dom/client';
import { SignIn } from './SignIn.tsx';

const place = document.getElementById('app');
if (place !== null) createRoot(place).render(<SignIn />);
