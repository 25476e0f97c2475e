import type { Chain } from '@svc/wallet/core'
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  hexToBytes,
  isHex,
  size,
} from 'viem'
import {
  settlerCallAbi,
  erc20Abi,
  permit2Abi,
  permit2NonceAbi,
  rewardDistributorAbi,
  twammOrderAbi,
  vaultCallAbi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
  wrappedNativeAbi,
} from '@svc/amm/abis'
import { positionPermitAbi } from '@svc/amm/liquidity'
import { registryOf } from './calldata-forms.ts'
import { registrySurfaces, surfaceAbi } from './read-calldata.ts'
import {
  argumentText,
  argumentTokens,
  type NamedPart,
  routerCommands,
  type RouterVersion,
  v4Actions,
  v4Unlock,
} from './argument-text.ts'

/**
 * Takes a transaction apart for a person: which contract, which functions with which arguments, those inside multicalls,
 * v4 actions and router commands by themselves, in order. Numbers stay in the smallest units the contract takes, deadlines
 * become times. What is not known to the last part is left whole, never guessed; whether it may be signed at all is decided
 * elsewhere (`read-calldata.ts`).
 */
export function describeCalldata(
  chain: Chain,
  { to, data, isToken = false, named = null }: DescribedTransaction,
): DescribedCalldata {
  const unlisted = isToken ? strangeToken : named === null ? undefined : namedContracts[named]
  const contract = contractsOf(chain).get(to.toLowerCase()) ?? unlisted
  if (contract === undefined) return { contract: null, calls: [] }
  const place = {
    ...contract,
    token: contract.isToken ? to : null,
    wrappedNative: chain.wrappedNative.address,
    version: chain.amm.universalRouter?.version ?? null,
  }
  return { contract: contract.name, calls: size(data) === 0 ? [] : readFunction(place, data, 0) }
}

/** Gives our own name for the wallet and a contract of the chain's row; `null` for any other text. */
export function contractNames(chain: Chain, wallet: Address): ContractNames {
  const contracts = contractsOf(chain)
  const nameOf = (address: string) =>
    address === wallet.toLowerCase() ? 'the wallet itself' : (contracts.get(address)?.name ?? null)
  return (text) => (text.length === addressLength ? nameOf(text.toLowerCase()) : null)
}

export type ContractNames = (text: string) => string | null

const addressLength = 42

export type DescribedTransaction = {
  readonly to: Address
  readonly data: Hex
  /**
   * Whether it is known from elsewhere that the contract is a token, such as from an allowance that the server itself asks for: then a
   * token that the chain does not list is read, too.
   */
  readonly isToken?: boolean
  /** As what the policy names the contract. */
  readonly named?: 'twammHook' | 'vault' | null
}

export type DescribedCalldata = {
  /** Our own name for the contract; `null` where the chain's row does not hold it. */
  readonly contract: string | null
  /** Empty where nothing is called or the contract is not known. */
  readonly calls: readonly DescribedCall[]
}

export type DescribedCall = {
  readonly function: string
  readonly arguments: Readonly<Record<string, string>>
  /** Of which token an argument is an amount, where the call itself says so. */
  readonly tokens: Readonly<Record<string, Address>>
}

/** The contract that is called: itself a token, or not. */
type Place = NamedContract & {
  readonly token: Address | null
  readonly wrappedNative: Address
  readonly version: RouterVersion | null
}

const deepestNesting = 3

function readFunction(contract: Place, data: Hex, depth: number): readonly DescribedCall[] {
  if (depth > deepestNesting) return [unread(data)]
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: contract.abi, data })
    const inner = innerCalls(contract, functionName, args, depth)
    if (inner !== null) return inner
    const { inputs } = functionNamed(contract.abi, functionName, args.length)
    return [callOf(functionName, readArguments(inputs, args), contract)]
  } catch {
    return [unread(data)]
  }
}

function functionNamed(abi: Abi, name: string, inputs: number): AbiFunction {
  const fits = (item: Abi[number]): item is AbiFunction =>
    item.type === 'function' && item.name === name && item.inputs.length === inputs
  const found = abi.find(fits)
  if (found === undefined) throw new TypeError('no such function')
  return found
}

/** `null` where a function carries no calls. */
function innerCalls(
  contract: Place,
  name: string,
  args: readonly unknown[],
  depth: number,
): readonly DescribedCall[] | null {
  if (name === 'multicall') return args.flatMap(hexList).flatMap((call) => readFunction(contract, call, depth + 1))
  if (name === 'modifyLiquidities') return readActions(requireHex(args[0]), contract)
  if (name !== 'execute') return null
  const inputs = hexList(args[1])
  return [...hexToBytes(requireHex(args[0]))].flatMap((command, index) => {
    const input = inputs[index] ?? '0x'
    const manager = managerAbis.get(command)
    if (manager !== undefined) return readFunction({ ...contract, abi: manager }, input, depth + 1)
    return command === v4SwapCommand
      ? readActions(input, contract)
      : [readPart(routerCommands.get(command), input, contract)]
  })
}

/** What the universal router calls position managers with. */
const managerAbis: ReadonlyMap<number, Abi> = new Map<number, Abi>([
  [0x11, positionPermitAbi],
  [0x91, positionPermitAbi],
  [0x12, v3PositionManagerAbi],
  [0x14, v4PositionManagerAbi],
])

const v4SwapCommand = 0x10

function readActions(unlockData: Hex, place: Place): readonly DescribedCall[] {
  const [actions, params] = decodeAbiParameters(v4Unlock, unlockData)
  const known = v4Actions(place.version)
  return [...hexToBytes(actions)].map((action, index) => readPart(known.get(action), params[index] ?? '0x', place))
}

function readPart(part: NamedPart | undefined, data: Hex, place: Place): DescribedCall {
  if (part === undefined) return unread(data)
  try {
    if (part.parameters === null) return { ...unread(data), function: part.name }
    const values = decodeAbiParameters(part.parameters, data)
    // Another layout than the contract's may decode as well, into other numbers: it would not come out the same again.
    if (encodeAbiParameters(part.parameters, values) !== data.toLowerCase()) throw new TypeError('not its layout')
    return callOf(part.name, readArguments(part.parameters, values), place)
  } catch {
    return { ...unread(data), function: part.name }
  }
}

function unread(data: Hex): DescribedCall {
  return { function: 'not decoded', arguments: { data: argumentText('', 'data', data) }, tokens: {} }
}

function callOf(name: string, args: ReadonlyMap<string, unknown>, place: Place): DescribedCall {
  const texts = [...args].map(([argument, value]) => [argument, argumentText(name, argument, value)])
  return { function: name, arguments: Object.fromEntries(texts), tokens: argumentTokens(name, args, place) }
}

/** Members of tuples stand beside the other arguments, by their own names. */
function readArguments(parameters: readonly AbiParameter[], values: readonly unknown[]): ReadonlyMap<string, unknown> {
  const entries = parameters.flatMap((parameter, index): (readonly [string, unknown])[] => {
    const { name = `${index}` } = parameter
    const value = values[index]
    if (parameter.type !== 'tuple' || !('components' in parameter) || typeof value !== 'object' || value === null) {
      return [[name, value]]
    }
    const members = new Map<string, unknown>(Object.entries(value))
    const inOrder = parameter.components.map((component) => members.get(component.name ?? ''))
    return [...readArguments(parameter.components, inOrder)]
  })
  return new Map(entries)
}

function hexList(value: unknown): readonly Hex[] {
  return Array.isArray(value) ? value.map(requireHex) : []
}

function requireHex(value: unknown): Hex {
  if (!isHex(value)) throw new TypeError('not bytes')
  return value
}

/** The contracts of a chain's row under the names we show people, by lower-case address. */
function contractsOf(chain: Chain): ReadonlyMap<string, NamedContract> {
  const { amm, permit2, tokens, wrappedNative } = chain
  const registry = registryOf(chain)
  const rows: readonly (readonly [Address | undefined, string, Abi])[] = [
    ...tokens.map(({ address, symbol }) => [address, `the token ${symbol}`, erc20Abi] as const),
    [wrappedNative.address, `the token ${wrappedNative.symbol}`, [...erc20Abi, ...wrappedNativeAbi]],
    [permit2, 'Permit2', [...permit2Abi, ...permit2NonceAbi]],
    [chain.crossChainSettler, 'the settler of cross-chain orders', settlerCallAbi],
    [amm.v2?.router, 'the v2 router', v2RouterAbi],
    [amm.v3?.positionManager, 'the v3 position manager', v3PositionManagerAbi],
    [amm.v3?.swapRouter02, 'the v3 swap router', v3SwapRouter02Abi],
    [amm.v4?.positionManager, 'the v4 position manager', v4PositionManagerAbi],
    [amm.universalRouter?.address, 'the universal router', universalRouterAbi],
    [chain.rewardDistributor, 'the distributor of rewards', rewardDistributorAbi],
    ...(registry === null
      ? []
      : [[registry.address, 'the identity registry', surfaceAbi(registrySurfaces[registry.form])] as const]),
  ]
  const held = new Set<Address>([...tokens.map(({ address }) => address), wrappedNative.address])
  return new Map(
    rows.flatMap(([address, name, abi]) =>
      address === undefined ? [] : [[address.toLowerCase(), { name, abi, isToken: held.has(address) }]],
    ),
  )
}

/** A token that the row does not hold; what it calls itself is no name. */
const strangeToken: NamedContract = {
  name: "a token outside the chain's list",
  abi: erc20Abi,
  isToken: true,
}

const namedContracts: Readonly<Record<NonNullable<DescribedTransaction['named']>, NamedContract>> = {
  twammHook: { name: 'a TWAMM hook of the policy', abi: twammOrderAbi, isToken: false },
  vault: { name: 'a vault of the policy', abi: vaultCallAbi, isToken: false },
}

type NamedContract = { readonly name: string; readonly abi: Abi; readonly isToken: boolean }
