// A password was sent to a directory that did not say whether it is right. It counts as a wrong guess of the name: where only
// wrong passwords take longer than the time limit, guessing would be free otherwise.
import { AppError } from '@portcullis/contract';

export class UnansweredAttempt extends AppError {}
