// Error of a login attempt at a directory that received the password and did not answer. It counts as a failed attempt at the name:
// if only wrong passwords took longer than the time limit, brute force would not be counted otherwise.
import { AppError } from '@portcullis/contract';

export class UnansweredAttempt extends AppError {}
