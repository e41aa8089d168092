// Threats T280 to T283, the chapter “Brute force and timing with a directory”.
import type { Section } from './threat.ts';

const throttle = 'packages/server/test/sign-in/login/throttle/throttle.test.ts';
const deadline = 'packages/server/test/sign-in/login/credentials/refusal-deadline.test.ts';
const wait = 'packages/server/test/sign-in/login/refusal-wait.test.ts';

export const directoryGuesses: Section = {
  title: 'Brute force and timing with a directory',
  page: 'directory-timing',
  threats: [
    {
      id: 'T280',
      attack: 'A signed-in user guesses passwords of the directory by linking one of its accounts.',
      defence:
        'A guess counts for the name, network and device like a login attempt, in the same counters. It also counts for the caller, in a separate counter that no right password resets.',
      heldBy: [throttle],
    },
    {
      id: 'T281',
      attack:
        'A right password or code of another kind, or of another person with the same name, resets the count of wrong guesses.',
      defence:
        'The right password of a directory name resets no count if the name can belong to another person here. A caller’s own passwords and own codes have separate counters. A password reset by mail keeps the count of a person with a second factor.',
      heldBy: [throttle],
    },
    {
      id: 'T282',
      attack:
        'An attacker learns from the time of a refusal which names have an account here, if a directory verifies the others.',
      defence:
        'If a directory is enabled, every refusal of a name and password waits for one deadline. It is half as long again as the longest of the latest refusals by a hash and by each directory, and 3 seconds until a directory is measured. A guess counts as wrong when its refusal is answered, so that attempts that wait for it show no time either.',
      heldBy: [deadline, wait],
      open: 'While the directory is unavailable, the response shows that the directory verifies the name. A refusal that takes longer than the deadline is answered later than others. Parallel logins are limited separately here and at the directory, so that many parallel attempts from one network or device show it by which of them are refused.',
    },
    {
      id: 'T283',
      attack: 'Large numbers of wrong passwords make the waiting refusals use up all login slots.',
      defence:
        'Before a refusal waits, it releases its slot, its slot at the directory and its permit to hash. It never waits longer than the time limit of a directory. It keeps only its guess, and only attempts at the same name, network or device wait for this: at a directory without a slot, here with their slot for at most 3 seconds.',
      heldBy: [deadline, wait],
    },
  ],
};
