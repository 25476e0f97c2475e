import type { WalletErrorRow } from './wallet-error-table.ts'

/** The codes that results carry without anything being thrown, with their meaning and what to do about it. */
export const walletResultTable = {
  REGISTRATION_PENDING: row(
    'The registration is out, and its end is not known yet.',
    'Call registerAgent again with the token as resume.',
  ),
  REGISTRATION_DEFERRED: row(
    'The wallet lacks native currency for the registration; nothing is out.',
    'Send what fund names, and call registerAgent again with the token as resume.',
  ),
  UPDATE_PENDING: row(
    'A transaction of the update is out, and its end is not known yet.',
    'Call updateAgent again with the token as resume.',
  ),
  UPDATE_DEFERRED: row(
    'The wallet lacks native currency for what is left of the update.',
    'Send what fund names, and call updateAgent again with the token as resume.',
  ),
  USER_OPERATION_PENDING: row(
    'The operation is out and not mined yet.',
    'Call sendUserOp again with the operation as resume: the same one is offered and cannot run twice.',
  ),
  IDENTITY_SDK_FAILED: row(
    'In attempts: the identity SDK could not be loaded, or failed before anything was sent.',
    'Nothing; the registry was called directly. The reason says what is wrong with the SDK.',
  ),
  FAUCET_ALREADY_CLAIMED: row(
    'In attempts: the faucet paid this wallet earlier.',
    'Send native currency to the wallet yourself.',
  ),
  FAUCET_FAILED: row(
    'In attempts: the faucet gave nothing; the reason says why, with the code of the faucet where it names one.',
    'Send native currency to the wallet yourself.',
  ),
} as const satisfies Record<string, WalletErrorRow>

/** The closed union of the codes in results. */
export type WalletResultCode = keyof typeof walletResultTable

function row(meaning: string, suggestion: string): WalletErrorRow {
  return { meaning, suggestion }
}
