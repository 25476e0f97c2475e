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
