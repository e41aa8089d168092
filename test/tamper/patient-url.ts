// Transactions that are looked at in this process for as long as it takes: a machine may stand still in the middle of one.

export function patientUrl(text: string): string {
  const url = new URL(text);
  url.searchParams.set('idle_in_transaction_session_timeout', '600000');
  return url.href;
}
