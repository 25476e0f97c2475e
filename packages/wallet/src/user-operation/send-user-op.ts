import { isHex } from 'viem'
import { openChain } from '../open-chain.ts'
import { option, type ChecksOf, requireOptions, requireWallet } from '../require-options.ts'
import { only } from '../shape.ts'
import { WalletError } from '../wallet-error.ts'
import { openOperation, type OperatingWallet } from './open-bundler.ts'
import { runUserOperation } from './run-user-operation.ts'
import type { SignedUserOperation, UserOperationRecord } from './signed-user-operation.ts'
import type { SendUserOpOptions, UserOperationResult } from './user-operation-result.ts'

/**
 * Sends one call as an ERC-4337 user operation (EntryPoint 0.8) whose gas an ERC-7677 paymaster pays. The account is the
 * wallet's own address: the first operation delegates it by EIP-7702 to Simple7702Account, or to the implementation that
 * `allowDelegationTo` names, which is announced as the step `delegate` and lasts until it is revoked.
 *
 * Resolves to `pending` when the operation is out and its end is not known yet: give `operation` back as `resume`, or
 * give a `record`, and the same operation is gone on with; it cannot run twice. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `DELEGATION_NOT_ALLOWED`, `PAYMASTER_REFUSED`, `BUNDLER_UNAVAILABLE`,
 * `USER_OPERATION_REVERTED`, `ABORTED` while nothing is signed, and what the signer throws.
 */
export async function sendUserOp(wallet: OperatingWallet, options: SendUserOpOptions): Promise<UserOperationResult> {
  requireWallet(wallet)
  requireOptions(options, checks, { needed: ['target', 'data'] })
  const { target, data, paymaster: paymasterUrl, record = memoryRecord(options.resume ?? null) } = options
  const open = openChain(wallet, options)
  const context = await openOperation(wallet, open, { ...options, ...(paymasterUrl && { paymasterUrl }) })
  const outcome = await runUserOperation(context, [{ target, data }], record)
  const { status, userOperationHash } = outcome
  if (status === 'mined') return { status, userOperationHash, txHash: outcome.txHash, logs: outcome.logs }
  if (status === 'pending') {
    const { operation, declined } = outcome
    return { status, code: 'USER_OPERATION_PENDING', userOperationHash, operation, declined }
  }
  const { txHash, reason } = outcome
  const said = reason === null ? '' : `: ${reason}`
  throw new WalletError('USER_OPERATION_REVERTED', `The operation was mined and its call reverted${said}.`, {
    details: { txHash, userOperationHash, reason },
  })
}

const checks: ChecksOf<SendUserOpOptions> = {
  target: option.address,
  data: only('bytes as hex', (value) => isHex(value)),
  paymaster: option.url,
  paymasterContext: option.record,
  bundlerUrl: option.url,
  chainId: option.chainId,
  chains: option.chains,
  allowDelegationTo: option.address,
  record: option.having('load', 'save'),
  resume: option.record,
  timeoutMs: option.durationMs,
  resendAfterMs: option.durationMs,
  requestTimeoutMs: option.durationMs,
  signal: option.signal,
  env: option.record,
  onProgress: option.function,
}

function memoryRecord(first: SignedUserOperation | null): UserOperationRecord {
  let kept = first
  return {
    load: async () => kept,
    save: async (operation) => {
      kept = operation
    },
  }
}
