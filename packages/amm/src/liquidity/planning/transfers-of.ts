import { ToolError } from '../../tool-error.ts'
import { type Address, isAddressEqual, type Log, parseEventLogs } from 'viem'
import type { Settled } from '../../intent.ts'
import { erc20Abi } from '../../abis/tokens.ts'

/** The ERC-20 transfers of one token in the transaction that carries the result. */
export function transfersOf(settled: Settled, token: Address): Transfers {
  const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: logsOf(settled, token) })
  const sum = (matches: (transfer: { from: Address; to: Address }) => boolean) =>
    events.reduce((total, { args }) => (matches(args) ? total + args.value : total), 0n)
  return {
    between: (from, to) => sum((transfer) => isAddressEqual(transfer.from, from) && isAddressEqual(transfer.to, to)),
    into: (account) => sum((transfer) => isAddressEqual(transfer.to, account)),
    outOf: (account) => sum((transfer) => isAddressEqual(transfer.from, account)),
    payerOf: (account) => events.find(({ args }) => isAddressEqual(args.to, account))?.args.from ?? null,
  }
}

/** Sums in the token's smallest units. */
export type Transfers = {
  between(from: Address, to: Address): bigint
  into(account: Address): bigint
  outOf(account: Address): bigint
  /** Who paid `account` first; `null` when nobody did. */
  payerOf(account: Address): Address | null
}

/** The logs that one contract left in the transaction that carries the result. */
export function logsOf(settled: Settled, emitter: Address): Log[] {
  return settled.main.logs.filter((log) => isAddressEqual(log.address, emitter))
}

/** The one log a mined call must have left. Throws `INTERNAL` when the receipt holds none: the contract is not what it says. */
export function requireEvent<Event>(events: readonly Event[], name: string): Event {
  const event = events[0]
  if (event !== undefined) return event
  throw new ToolError('INTERNAL', `The transaction was mined, but its receipt holds no ${name} log.`)
}
