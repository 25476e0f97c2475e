import { zeroAddress } from 'viem'
import { expectedTokens } from './policy-verdict.ts'
import type { Reserved } from './reserve-spend.ts'
import { trustedWorth } from './spend-value.ts'

/**
 * Opens the breaker when a call left the wallet poorer than its simulation said by more than the policy's percentage of
 * what the call moved: then either the chain or the simulation is not what it seems. A token that the intent does not
 * name, no list names and the simulation did not move is logged alone: anybody's contract can announce that it left.
 */
export async function holdAgainstSimulation(road: Reserved, real: ReadonlyMap<string, bigint>): Promise<void> {
  const { engine, call, chain, intent, known, simulation, priced } = road
  const { isListed, isNamed } = expectedTokens(intent, chain, known)
  const { expected, strange } = partByToken(real, (token) => {
    return token === zeroAddress || isNamed(token) || isListed(token) || simulation.deltas.has(token)
  })
  if (strange.length > 0) engine.log.warn('tx.strange-tokens', { requestId: call.requestId, tokens: strange })
  const cap = engine.policy.breaker.maxSimulationDriftPct
  const worth: Worth = (token, amount) => trustedWorth(token, amount, priced)
  if (lossPct(simulation.deltas, expected, worth) <= cap) return
  const cause = `request ${call.requestId} on ${chain.name} ended more than ${cap} % worse than simulated`
  if (await engine.breaker.trip(cause)) await engine.switches.look()
}

/** What moved of tokens that are expected, and the tokens that are not. */
export function partByToken(
  real: ReadonlyMap<string, bigint>,
  isExpected: (token: string) => boolean,
): { readonly expected: ReadonlyMap<string, bigint>; readonly strange: readonly string[] } {
  const strange = [...real.keys()].filter((token) => !isExpected(token))
  return { expected: new Map([...real].filter(([token]) => !strange.includes(token))), strange }
}

/**
 * By how much less a wallet came out than simulated, in whole percent of the larger side of what the simulation moved,
 * all in US dollars: what one token lost another may have gained, as when a price moves through a position. A token
 * without a trusted price counts as nothing: whoever made it decides what it does. So does a loss below one dollar.
 */
export function lossPct(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
  worth: Worth,
): number {
  let [lost, out, into] = [0n, 0n, 0n]
  for (const token of new Set([...simulated.keys(), ...real.keys()])) {
    const expected = simulated.get(token) ?? 0n
    const missing = expected - (real.get(token) ?? 0n)
    const missingUsdMicros = worth(token, magnitude(missing))
    if (missingUsdMicros === null) continue
    lost += missing < 0n ? -missingUsdMicros : missingUsdMicros
    const expectedUsdMicros = worth(token, magnitude(expected)) ?? 0n
    if (expected < 0n) out += expectedUsdMicros
    else into += expectedUsdMicros
  }
  return lost < dustUsdMicros ? 0 : percentOf(lost, out > into ? out : into)
}

/** Millionths of a US dollar of an amount, or `null` without a trusted price. */
export type Worth = (token: string, amount: bigint) => bigint | null

const dustUsdMicros = 1_000_000n

function percentOf(part: bigint, whole: bigint): number {
  if (part <= 0n) return 0
  return whole === 0n ? Infinity : Number((part * 100n) / whole)
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
