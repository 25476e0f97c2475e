import type { FaucetChainReport } from '../faucet/report-faucet.ts'

/** An amount of at most `decimals` decimals, rounded down: nobody is shown more than there is. */
export function shortAmount(amount: string, decimals = 4): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const kept = fraction.slice(0, decimals).replace(/0+$/, '')
  const grouped = wholeNumber(BigInt(whole))
  return kept === '' ? grouped : `${grouped}.${kept}`
}

export function wholeNumber(value: number | bigint): string {
  return value.toLocaleString('en-US')
}

/** `base-sepolia` is called Base Sepolia. */
export function chainTitle({ name }: Pick<FaucetChainReport, 'name'>): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_all, dash: string, letter: string) => {
    return `${dash === '' ? '' : ' '}${letter.toUpperCase()}`
  })
}

/** For example 21 Nov 2026, 19:48 UTC. */
export function dayAndTime(at: number): string {
  const date = new Date(at)
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return `${day}, ${timeOf(date)} UTC`
}

/** For example 21 Nov, 19:48 (UTC). */
export function recentTime(at: string): string {
  return `${shortDay(at)}, ${timeOf(new Date(at))}`
}

function timeOf(date: Date): string {
  return date.toISOString().slice(11, 16)
}

/** For example 21 Nov (UTC). */
export function shortDay(at: string): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

/** A hash or an address by its ends. */
export function brief(hex: string): string {
  return `${hex.slice(0, 10)}…${hex.slice(-8)}`
}
