import type { Sender } from '@svc/wallet/core'

/** How long a write waits for its block: for a minute, or hardly at all once the test says so. */
export type Patience = { isShort: boolean }

/** A sender that waits for blocks as long as the test lets it, whatever its caller asks. */
export function withPatience(patience: Patience, sender: Sender): Sender {
  return {
    ...sender,
    confirm: (entry, options) => sender.confirm(entry, { ...options, timeoutMs: patience.isShort ? 300 : 60_000 }),
  }
}

/** What an endpoint pool waits for one answer of a chain whose machine is busy. */
export const patientRpc = { timeoutMs: 60_000, slowTimeoutMs: 60_000, probePatienceMs: 60_000 }
