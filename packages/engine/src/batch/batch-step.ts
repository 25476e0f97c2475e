import type { JournalEntry } from '@svc/wallet/core'
import { type Address, decodeFunctionData, encodeFunctionData, isAddressEqual, type Log, parseTransaction } from 'viem'
import { batchDelegate } from '../calldata/contracts.gen.ts'
import type { Step } from '../context/step.ts'

/**
 * One transaction of the wallet to itself that makes several calls in order, of which all happen or none: the wallet runs the
 * code of a batch delegate (EIP-7702). To whoever is called it is the wallet itself that calls.
 */
export function batchStep(wallet: Address, delegate: Address, calls: readonly Step[]): Step {
  const data = encodeFunctionData({
    abi: batchDelegate.abi,
    functionName: 'execute',
    args: [calls.map(({ to, valueWei, data: input }) => ({ to, value: valueWei, data: input }))],
  })
  return {
    kind: 'call',
    label: `${calls.length} calls as one`,
    to: wallet,
    data,
    valueWei: 0n,
    batch: { delegate, calls },
  }
}

/** The calls that a transaction makes by itself: those of a batch, else its own. */
export function callsOf(step: Step): readonly Step[] {
  return step.batch?.calls ?? [step]
}

/** What transactions send along of native currency, the calls of batches included. */
export function sentWei(steps: readonly Step[]): bigint {
  return steps.flatMap(callsOf).reduce((sum, { valueWei }) => sum + valueWei, 0n)
}

/** The same of a signed transaction, by its bytes. */
export function sentBySigned({ from, rawTransaction }: Pick<JournalEntry, 'from' | 'rawTransaction'>): bigint {
  const { to, value = 0n, data } = parseTransaction(rawTransaction)
  if (to === undefined || to === null || data === undefined || !isAddressEqual(to, from)) return value
  try {
    const [calls] = decodeFunctionData({ abi: batchDelegate.abi, data }).args ?? []
    if (!Array.isArray(calls)) return value
    return calls.reduce((sum: bigint, call) => sum + (typeof call.value === 'bigint' ? call.value : 0n), value)
  } catch {
    return value
  }
}

/**
 * The logs of a mined batch by the calls that made them: the delegate writes a log of its own after each. Nobody else can write
 * one at the wallet's address. What an endpoint keeps back is missing here, too.
 */
export function logsByCall(wallet: Address, calls: readonly Step[], logs: readonly Log[]): readonly (readonly Log[])[] {
  const parts: Log[][] = calls.map(() => [])
  let index = 0
  for (const log of logs) {
    if (isAddressEqual(log.address, wallet) && log.topics[0] === callMade) index += 1
    else parts[index]?.push(log)
  }
  return parts
}

/** Topic of `CallMade(uint256)`. */
const callMade = '0x16de51d02ba4069e95f2b898f8b138e6b402568419968780721b1f8c586be4e6'
