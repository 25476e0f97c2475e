import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { registryOf } from './identity-registries.ts'
import type { IntentCall, IntentDeposit } from '@svc/amm'
import { depositReads, type DepositReads } from './deposit-pool.ts'
import type { Policy } from '../policy/policy.ts'
import { type CalldataReading, readCalldata, registrySurfaces } from './read-calldata.ts'
import type { Surface } from './call-recipients.ts'

/**
 * The contracts of a chain that a transaction may touch, by lower-case address: what each may be called with, and who
 * may be approved. They come from the chain's row and from the operator's lists, never from a caller.
 */
export function knownContracts(chain: Chain, policy: Policy): KnownContracts {
  const { v2, v3, v4, universalRouter } = chain.amm
  const surfaces = new Map<string, Surface | 'listed'>()
  const listed = (list: Readonly<Record<string, readonly Address[]>>) => list[chain.id] ?? []
  const selectors = new Map<string, ReadonlySet<Hex>>()
  for (const entry of policy.contracts[chain.id] ?? []) {
    const address = (typeof entry === 'string' ? entry : entry.address).toLowerCase()
    surfaces.set(address, 'listed')
    if (typeof entry !== 'string') {
      selectors.set(address, new Set([...(selectors.get(address) ?? []), ...entry.selectors]))
    }
  }
  const twammHooks = policy.twammHooks[chain.id] ?? []
  for (const { hook } of twammHooks) surfaces.set(hook.toLowerCase(), 'twammHook')
  const vaults = listed(policy.vaults)
  for (const vault of vaults) surfaces.set(vault.toLowerCase(), 'vault')
  const amm: readonly (readonly [Address | undefined, Surface])[] = [
    [v2?.router, 'v2Router'],
    [v3?.positionManager, 'v3PositionManager'],
    [v3?.swapRouter02, 'v3SwapRouter02'],
    [v4?.positionManager, 'v4PositionManager'],
    [universalRouter?.address, 'universalRouter'],
  ]
  const registry = registryOf(chain)
  const own: typeof amm = [
    ...amm,
    [chain.wrappedNative.address, 'wrappedNative'],
    [chain.rewardDistributor, 'rewardDistributor'],
    [chain.permit2, 'permit2'],
    [chain.crossChainSettler, 'crossChainSettler'],
    ...(registry === null ? [] : [[registry.address, registrySurfaces[registry.form]] as const]),
  ]
  for (const [address, surface] of own) if (address !== undefined) surfaces.set(address.toLowerCase(), surface)
  const spenders: readonly (readonly [Address, string])[] = [
    ...amm.flatMap(([address, surface]) => (address === undefined ? [] : [[address, surface] as const])),
    [chain.permit2, 'permit2'],
    ...(chain.crossChainSettler === undefined
      ? []
      : [[chain.crossChainSettler, 'the settler of cross-chain orders'] as const]),
    ...twammHooks.map(({ hook }) => [hook, 'a TWAMM hook of the policy'] as const),
    ...vaults.map((vault) => [vault, 'a vault of the policy'] as const),
    ...listed(policy.spenders).map((address) => [address, 'listed by the policy'] as const),
  ]
  return {
    surfaces,
    selectors,
    spenders: new Map(spenders.map(([address, what]) => [address.toLowerCase(), what])),
    twammPools: new Set(twammHooks.flatMap(({ pools }) => pools)),
    recipients: lowerCase(listed(policy.recipients)),
    tokens: lowerCase([...chain.tokens.map(({ address }) => address), ...listed(policy.allowlist.tokens), ...vaults]),
    positionManagers: lowerCase([v3?.positionManager, v4?.positionManager].flatMap((address) => address ?? [])),
    readCall: createReader(chain),
    depositReads: (manager, deposit) => depositReads(chain, manager, deposit),
  }
}

export type KnownContracts = {
  /** `listed`: named by the operator, its calldata is not read. */
  readonly surfaces: ReadonlyMap<string, Surface | 'listed'>
  /** The only functions of listed contracts that may be called, where the operator names them. */
  readonly selectors: ReadonlyMap<string, ReadonlySet<Hex>>
  /** Each with what it is, for people. */
  readonly spenders: ReadonlyMap<string, string>
  /** Beside the wallet itself. */
  readonly recipients: ReadonlySet<string>
  /** Those in which orders may be placed that are sold over time; a pool's id tells its hook. */
  readonly twammPools: ReadonlySet<string>
  /** The chain's own list and the operator's, and the shares of vaults that the operator names. */
  readonly tokens: ReadonlySet<string>
  readonly positionManagers: ReadonlySet<string>
  /** What {@link readCalldata} reads. A run of the pipeline asks for each of its calls several times, and decoding costs hashes. */
  readonly readCall: (surface: Surface, call: Pick<IntentCall, 'to' | 'data'>) => CalldataReading | null
  /** What shows a declared deposit as the chain has it; `null` where its key names no pool. */
  readonly depositReads: (manager: Address, deposit: IntentDeposit) => DepositReads | null
}

/** Keeps the last few readings by what was read, so that another call never gets them. */
function createReader(chain: Chain): KnownContracts['readCall'] {
  const readings = new Map<string, CalldataReading | null>()
  return (surface, { to, data }) => {
    const key = `${surface} ${to} ${data}`
    const known = readings.get(key)
    if (known !== undefined) return known
    const reading = readCalldata(surface, to, data, chain.wrappedNative.address, {
      v3: chain.amm.v3?.positionManager,
      v4: chain.amm.v4?.positionManager,
    })
    if (readings.size >= mostReadings) readings.clear()
    readings.set(key, reading)
    return reading
  }
}

const mostReadings = 16

function lowerCase(addresses: readonly Address[]): ReadonlySet<string> {
  return new Set(addresses.map((address) => address.toLowerCase()))
}
