/** How long any call may take. What takes something away waits for every instance, which is a matter of seconds. */
export const callLimitSeconds = 30;
