import { type Address, getAddress } from 'viem'

/** Tokens whose change differs from the simulated one by more than a hundredth of it. */
export function simulationDrift(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
): readonly Drift[] {
  const tokens = [...new Set([...simulated.keys(), ...real.keys()])]
  return tokens.flatMap((token) => {
    const [expected, actual] = [simulated.get(token) ?? 0n, real.get(token) ?? 0n]
    const difference = expected > actual ? expected - actual : actual - expected
    const tolerated = (expected < 0n ? -expected : expected) / 100n
    return difference > tolerated ? [{ token: getAddress(token), simulated: expected, real: actual }] : []
  })
}

export type Drift = { readonly token: Address; readonly simulated: bigint; readonly real: bigint }
