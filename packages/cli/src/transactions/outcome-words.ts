import type { RequestOutcome } from '@svc/store'

/** What an outcome means. */
export const outcomeWords: Readonly<Record<RequestOutcome, string>> = {
  cancelled: 'done, an empty transfer was mined in its place',
  mined: 'too late, it was mined',
  superseded: 'a transaction of somebody else used its nonce up, so it is never mined',
  'other-wallet': 'the server has no key for its wallet; start it once with the key that signed it',
  'no-chain': 'the server does not know its chain',
  'not-proved': 'what was named did not use its nonce up, or is not settled',
}
