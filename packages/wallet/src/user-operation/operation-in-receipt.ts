import { isAddressEqual, parseEventLogs, type Hex, type Log, type TransactionReceipt } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { revertReason } from './revert-reason.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'

/**
 * What a receipt says of one operation in it, or `null` when it holds no such operation. The entry point ends every
 * operation of a bundle with an event and begins the first after `BeforeExecution`; the logs between the event before and
 * its own are those of its call, and no other log of the bundle is (EntryPoint 0.8, `handleOps`).
 */
export function operationInReceipt(
  { entryPoint, userOperationHash }: Pick<SignedUserOperation, 'entryPoint' | 'userOperationHash'>,
  receipt: Pick<TransactionReceipt, 'logs'>,
): OperationInReceipt | null {
  const own = receipt.logs.filter(({ address }) => isAddressEqual(address, entryPoint))
  const said = parseEventLogs({ abi: entryPoint08Abi, logs: own, strict: true })
  const isOwn = (hash: Hex) => hash.toLowerCase() === userOperationHash.toLowerCase()
  const end = said.find((log) => log.eventName === 'UserOperationEvent' && isOwn(log.args.userOpHash))
  if (end?.eventName !== 'UserOperationEvent') return null
  const begin = said.findLast(({ eventName, logIndex }) => borders.has(eventName) && logIndex < end.logIndex)
  const after = begin?.logIndex ?? -1
  const logs = receipt.logs.filter(({ logIndex }) => logIndex > after && logIndex < end.logIndex)
  const failed = said.find((log) => log.eventName === 'UserOperationRevertReason' && isOwn(log.args.userOpHash))
  const reason = failed?.eventName === 'UserOperationRevertReason' ? revertReason(failed.args.revertReason) : null
  return { success: end.args.success, logs, reason }
}

export type OperationInReceipt = {
  readonly success: boolean
  /** Of the operation's own call. */
  readonly logs: readonly Log[]
  readonly reason: string | null
}

const borders: ReadonlySet<string> = new Set(['BeforeExecution', 'UserOperationEvent'])
