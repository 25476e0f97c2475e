import { type Hex, isAddressEqual, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { formatLog } from 'viem/utils'
import type { BundledChain } from './bundling.ts'
import { connect } from '../chain/chain-client.ts'

/**
 * What `eth_getUserOperationReceipt` answers (ERC-7769) for an operation in a transaction, in wire form: its own part of the
 * logs, what it cost, and whether its call succeeded. `null` until the transaction is mined, or when it holds no such
 * operation.
 */
export async function userOperationReceipt({ rpcUrl, entryPoint }: BundledChain, hash: Hex, transactionHash: Hex) {
  const receipt = await connect(rpcUrl).request({ method: 'eth_getTransactionReceipt', params: [transactionHash] })
  if (receipt === null) return null
  const said = eventsOf(receipt.logs.filter(({ address }) => isAddressEqual(address, entryPoint)))
  const event = said.find((each) => each.eventName === 'UserOperationEvent' && each.args.userOpHash === hash)
  if (event?.eventName !== 'UserOperationEvent') return null
  const borders = said.filter(({ eventName }) => eventName === 'BeforeExecution' || eventName === 'UserOperationEvent')
  const from = borders.map(({ logIndex }) => logIndex).findLast((logIndex) => logIndex < event.logIndex) ?? -1
  const reverted = said.find((each) => each.eventName === 'UserOperationRevertReason' && each.args.userOpHash === hash)
  const { sender, nonce, paymaster, actualGasCost, actualGasUsed, success } = event.args
  return {
    userOpHash: hash,
    entryPoint,
    sender,
    nonce: numberToHex(nonce),
    paymaster,
    actualGasCost: numberToHex(actualGasCost),
    actualGasUsed: numberToHex(actualGasUsed),
    success,
    ...(reverted?.eventName === 'UserOperationRevertReason' && { reason: reverted.args.revertReason }),
    logs: receipt.logs.filter(({ logIndex }) => isBetween(Number(logIndex), from, event.logIndex)),
    receipt,
  }
}

function eventsOf(logs: readonly RpcLog[]) {
  return parseEventLogs({ abi: entryPoint08Abi, logs: logs.map((log) => formatLog(log)) }).filter(
    (log): log is typeof log & { readonly logIndex: number } => log.logIndex !== null,
  )
}

function isBetween(index: number, after: number, upTo: number): boolean {
  return index > after && index <= upTo
}
