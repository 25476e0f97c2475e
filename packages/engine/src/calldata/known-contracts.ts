import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { registryOf } from './calldata-forms.ts'
import type { IntentCall, IntentDeposit, Intent } from '@svc/amm'
import { depositReads, type DepositReads, type CalledDeposit } from './pool-identity.ts'
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

/**
 * What the calls of an intent touch of the AMM: routers and position managers, which must keep nothing, and positions,
 * which must be the wallet's; and the deposits they make, as declared. Contracts that the operator lists, TWAMM hooks, vaults, settlers of cross-chain
 * orders and wrapped native currency are there to keep things.
 */
export function calledContracts(intent: Intent, known: KnownContracts): CalledContracts {
  const contracts = new Map<string, Address>()
  const positions = new Map<string, CalledContracts['positions'][number]>()
  const payees = new Map<string, Address>()
  const deposits: CalledDeposit[] = []
  let removesLiquidity = false
  for (const call of intent.calls) {
    const { to } = call
    const surface = known.surfaces.get(to.toLowerCase())
    if (surface === undefined || surface === 'listed' || keeping.has(surface)) continue
    contracts.set(to.toLowerCase(), to)
    const reading = known.readCall(surface, call)
    for (const id of reading?.positionIds ?? []) positions.set(`${to.toLowerCase()} ${id}`, { contract: to, id })
    for (const manager of reading?.nested?.managers ?? []) contracts.set(manager.toLowerCase(), manager)
    for (const one of reading?.nested?.positions ?? []) positions.set(`${one.contract.toLowerCase()} ${one.id}`, one)
    for (const payee of reading?.recipients ?? []) {
      if (known.recipients.has(payee.toLowerCase())) payees.set(payee.toLowerCase(), payee)
    }
    removesLiquidity ||= reading?.removesLiquidity === true
    for (const _made of reading?.deposits ?? []) {
      // In the order of the calls, or the policy refuses the intent.
      const declared = intent.deposits?.[deposits.length]
      if (declared !== undefined) deposits.push({ call, declared, reads: known.depositReads(to, declared) })
    }
  }
  return {
    contracts: [...contracts.values()],
    positions: [...positions.values()],
    payees: [...payees.values()],
    removesLiquidity,
    deposits,
  }
}

const keeping: ReadonlySet<Surface> = new Set(['wrappedNative', 'twammHook', 'vault', 'permit2', 'crossChainSettler'])

export type CalledContracts = {
  readonly contracts: readonly Address[]
  readonly positions: readonly { readonly contract: Address; readonly id: bigint }[]
  /** Whom the calldata pays beside the wallet, of those the operator lists. */
  readonly payees: readonly Address[]
  readonly removesLiquidity: boolean
  readonly deposits: readonly CalledDeposit[]
}
