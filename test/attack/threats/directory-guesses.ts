// T280 to T283: guesses and times where a directory verifies passwords beside this service.
import type { Section } from './threat.ts';

const throttle = 'packages/server/test/sign-in/login/throttle/throttle.test.ts';
const deadline = 'packages/server/test/sign-in/login/credentials/refusal-deadline.test.ts';
const wait = 'packages/server/test/sign-in/login/refusal-wait.test.ts';

export const directoryGuesses: Section = {
  title: 'Guesses and times with a directory',
  threats: [
    {
      id: 'T280',
      attack: 'A signed-in user guesses passwords of the directory by linking an account of it',
      defence:
        'A guess counts for the guessed name, network and device as an attempt to log in does, in the same counters, and for the caller in another counter, which no right password resets',
      heldBy: [throttle],
    },
    {
      id: 'T281',
      attack:
        'Resetting the count of wrong guesses by a right password or code of another kind, or of another person of the same name',
      defence:
        'The right password of a name of the directory resets no count while the name may be another person’s here. Own passwords and own codes have counters apart. A password reset by mail keeps the count of a person with a second factor',
      heldBy: [throttle],
    },
    {
      id: 'T282',
      attack:
        'Finding out which names have an account here by the time of a refusal, where a directory verifies others',
      defence:
        'Where a directory is enabled, every refusal of a name and password waits for one deadline. It is half as long again as the longest of the latest refusals by a hash and by each directory, and 3 seconds until a directory is measured. A guess counts as wrong when its refusal is answered, so that attempts that wait for it tell no time either',
      heldBy: [deadline, wait],
      open: 'The answer tells that a name is verified by the directory while the directory is away. A refusal that takes longer than the deadline is answered later than others. Logins that run at once are limited here and at the directory apart, so that many attempts at once from one network or device tell it by which of them are refused.',
    },
    {
      id: 'T283',
      attack: 'Wrong passwords in numbers, so that the refusals that wait take all the places of logins',
      defence:
        'A refusal waits when its slot, its place at the directory and its permit to hash are given back, and never longer than the time limit of a directory. It keeps its guess alone, for which only attempts at the same name, network or device wait: at a directory without a place, here with their slot for 3 seconds at most',
      heldBy: [deadline, wait],
    },
  ],
};
