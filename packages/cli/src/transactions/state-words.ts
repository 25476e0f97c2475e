import type { RequestOutcome } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'

/** What a state means, in a few words. */
export const stateWords: Readonly<Record<JournalState, string>> = {
  signed: 'not sent yet',
  broadcast: 'waits for a block',
  mined: 'in a block, not confirmed',
  final: 'mined',
  reverted: 'mined and reverted',
  replaced: 'never mined, replaced',
  superseded: 'never mined, superseded',
  refused: 'declined',
}

/** What an outcome means. */
export const outcomeWords: Readonly<Record<RequestOutcome, string>> = {
  cancelled: 'done, an empty transfer was mined in its place',
  mined: 'too late, it was mined',
  superseded: 'a transaction of somebody else used its nonce up, so it is never mined',
  'other-wallet': 'the server has no key for its wallet; start it once with the key that signed it',
  'no-chain': 'the server does not know its chain',
  'not-proved': 'what was named did not use its nonce up, or is not settled',
}
