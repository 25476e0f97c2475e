import { hexToString, isAddressEqual, isHex, size, zeroAddress } from 'viem'
import { dynamicFeeFlag } from '@svc/amm/liquidity'
import { printable } from '@svc/runtime'

/**
 * One argument of a call for a person: numbers in the smallest units the contract takes, deadlines as times, and what
 * the AMM's contracts take to stand for something else with what it stands for (constants of v4-periphery's and the
 * universal router's `ActionConstants`). `functionName` as `router-parts.ts` calls it, else the contract's own.
 */
export function argumentText(functionName: string, argument: string, value: unknown): string {
  const meaning = meaningOf(functionName, argument, value)
  const text = valueText(argument, value)
  return meaning === null ? text : `${text}, ${meaning}`
}

function meaningOf(functionName: string, argument: string, value: unknown): string | null {
  if (typeof value === 'bigint') {
    if (argument === 'amountDelta') return value === 0n ? 'which settles what it earned' : 'which ends the order'
    if (argument === 'amountRequested' && value === 0n) return 'which stands for all that is owed'
    if (argument === 'minHopPriceX36' && value === 0n) return 'no bound'
    if (value === 0n && takesDebt.has(`${functionName} ${argument}`)) return 'which stands for everything owed'
    if (value === wholeBalance && takesBalance.has(`${functionName} ${argument}`)) {
      return 'which stands for all that the contract holds'
    }
    if (functionName === 'decrease liquidity' && argument === 'liquidity' && value === 0n) return 'fees alone'
    return null
  }
  if (argument === 'metadataValue' && isHex(value)) return `which says ${printable(hexToString(value), longestText)}`
  if (typeof value === 'string' && value.startsWith(jsonUri)) {
    const held = Buffer.from(value.slice(jsonUri.length), 'base64').toString()
    return `which holds ${printable(held, longestFile)}`
  }
  if (argument === 'fee' && value === dynamicFeeFlag) return 'the hook decides it'
  if (!isHex(value) || value.length !== zeroAddress.length) return null
  if (isRecipient.test(argument)) return aliases[value.toLowerCase()] ?? null
  if (!isAddressEqual(value, zeroAddress)) return null
  if (/^(?:currency(?:0|1|In|Out)?|intermediateCurrency)$/.test(argument)) return 'the native currency'
  return argument === 'hooks' ? 'none' : null
}

/** Amounts of which 0 means the whole open debt or credit of the caller. */
const takesDebt: ReadonlySet<string> = new Set([
  'settle amount',
  'take amount',
  'swap exact in, one pool amountIn',
  'swap exact in amountIn',
])

/** Amounts of which 2^255 means the contract's whole balance. */
const takesBalance: ReadonlySet<string> = new Set([
  'settle amount',
  'wrap amount',
  'unwrap amount',
  'wrap native amount',
  'v3 swap exact in amountIn',
  'v2 swap exact in amountIn',
])
const wholeBalance = 1n << 255n

const isRecipient = /^(?:recipient|to)$/
const aliases: Readonly<Record<string, string>> = {
  '0x0000000000000000000000000000000000000001': 'which stands for the caller',
  '0x0000000000000000000000000000000000000002': 'which stands for the contract itself',
}

function valueText(name: string, value: unknown): string {
  if ((name === 'deadline' || name === 'expiration') && typeof value === 'bigint' && value < endOfTimes) {
    return new Date(Number(value) * 1_000).toISOString()
  }
  if (name === 'proofs' && Array.isArray(value)) return `${value.length}, not shown`
  if (Array.isArray(value)) return `[${value.map((item) => valueText('', item)).join(', ')}]`
  if (isHex(value) && value.length > longestBytes) return `${value.slice(0, longestBytes)}... (${size(value)} bytes)`
  if (typeof value === 'string') return isHex(value) ? value : printable(value, longestText)
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([member, its]) => `${member} ${argumentText('', member, its)}`)
    return `{${members.join('; ')}}`
  }
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value)
}

/** How a file of an agent stands in its own URI. */
const jsonUri = 'data:application/json;base64,'

const longestBytes = 66
const longestText = 200
const longestFile = 1_000
/** Seconds that still fit a date. */
const endOfTimes = 1n << 40n
