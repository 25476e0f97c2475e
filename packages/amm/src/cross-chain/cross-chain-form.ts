import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getAddress,
  type Hash,
  type Hex,
  isAddressEqual,
  keccak256,
  pad,
  parseAbiParameters,
  parseEventLogs,
  slice,
  stringToHex,
  type Log,
  zeroAddress,
  zeroHash,
} from 'viem'
import { settlerAbi, settlerCallAbi } from '../abis/cross-chain.ts'
import type { IntentCrossChain } from '../intent-cross-chain.ts'

/**
 * The calldata that opens an order at its settler (ERC-7683, `open`), with order data in the form of Across. It says all that the order is:
 * two orders that differ in anything differ in it.
 */
export function openCalldata(order: OpenedTerms): Hex {
  return encodeFunctionData({ abi: settlerAbi, functionName: 'open', args: [onchainOrder(order)] })
}

/**
 * What a call to a settler opens, by its calldata alone. Throws for whatever is not the one encoding of an order that is made here: order data
 * of another type, for one relayer alone, with a message that is carried out at the other end, or without a nonce of its own.
 */
export function readOpenCalldata(call: Hex): OpenedTerms {
  const { args } = decodeFunctionData({ abi: settlerCallAbi, data: call })
  const [{ fillDeadline, orderDataType: type, orderData }] = args
  const [data] = decodeAbiParameters(orderDataForm, orderData)
  const { inputToken, inputAmount, outputToken, outputAmount, destinationChainId, recipient, depositNonce } = data
  const terms = {
    fillDeadline,
    nonce: depositNonce,
    inputToken,
    inputAmount,
    outputToken,
    outputAmount,
    destinationChainId: Number(destinationChainId),
    recipient: getAddress(slice(recipient, 12)),
  }
  const isOurs = type === orderDataType && depositNonce > 0n && Number.isSafeInteger(terms.destinationChainId)
  if (!isOurs || openCalldata(terms).toLowerCase() !== call.toLowerCase()) throw new RangeError('not an order of ours')
  return terms
}

/** What stands in the calldata: neither settler, nor the hash that follows from it. */
export type OpenedTerms = Omit<IntentCrossChain, 'settler' | 'destinationSettler' | 'orderId'>

/** The same to ask what a settler makes of it, without opening anything. */
export function onchainOrder(order: OpenedTerms): OnchainOrder {
  const { inputToken, inputAmount, outputToken, outputAmount, destinationChainId, recipient, nonce } = order
  const data = {
    inputToken,
    inputAmount,
    outputToken,
    outputAmount,
    destinationChainId: BigInt(destinationChainId),
    recipient: pad(recipient),
    exclusiveRelayer: zeroAddress,
    depositNonce: nonce,
    exclusivityPeriod: 0,
    message: '0x',
  } as const
  return {
    fillDeadline: order.fillDeadline,
    orderDataType,
    orderData: encodeAbiParameters(orderDataForm, [data]),
  }
}

type OnchainOrder = { readonly fillDeadline: number; readonly orderDataType: Hex; readonly orderData: Hex }

/**
 * The hash by which both settlers know an order. Its nonce is the depositor's own, so it is known before anything is signed, and whoever
 * announces another speaks of another order.
 */
export function crossChainOrderIdOf(order: CrossChainTerms, place: OrderPlace): Hash {
  return keccak256(encodeAbiParameters(hashedForm, [relayOf(order, place), BigInt(order.destinationChainId)]))
}

/** What a settler must resolve an order to, member by member. */
export function resolvedOrder(order: CrossChainTerms, place: OrderPlace): ResolvedOrder {
  const { inputToken, inputAmount, outputToken, outputAmount, destinationChainId, recipient, fillDeadline } = order
  const chainId = BigInt(destinationChainId)
  return {
    user: place.wallet,
    originChainId: BigInt(place.chainId),
    fillDeadline,
    orderId: crossChainOrderIdOf(order, place),
    maxSpent: [{ token: pad(outputToken), amount: outputAmount, recipient: pad(recipient), chainId }],
    minReceived: [{ token: pad(inputToken), amount: inputAmount, chainId: BigInt(place.chainId) }],
    fillInstructions: [
      {
        destinationChainId: chainId,
        destinationSettler: pad(order.destinationSettler),
        originData: encodeAbiParameters(relayForm, [relayOf(order, place)]),
      },
    ],
  }
}

/** The members in which what a settler says of an order differs from what it is; who receives the input is decided by whoever fills. */
export function resolvedDifferences(order: CrossChainTerms, place: OrderPlace, said: ResolvedOrder): readonly string[] {
  const own = resolvedOrder(order, place)
  const flat = (resolved: ResolvedOrder): ReadonlyMap<string, string> =>
    new Map([
      ['user', resolved.user],
      ['originChainId', `${resolved.originChainId}`],
      ['fillDeadline', `${resolved.fillDeadline}`],
      ['orderId', resolved.orderId],
      ...outputsOf('maxSpent', resolved.maxSpent, true),
      ...outputsOf('minReceived', resolved.minReceived, false),
      ['fillInstructions', `${resolved.fillInstructions.length}`],
      ...resolved.fillInstructions.flatMap((one, index): [string, string][] => [
        [`fillInstructions.${index}.destinationChainId`, `${one.destinationChainId}`],
        [`fillInstructions.${index}.destinationSettler`, one.destinationSettler],
        [`fillInstructions.${index}.originData`, one.originData],
      ]),
    ])
  const [expected, found] = [flat(own), flat(said)]
  const names = new Set([...expected.keys(), ...found.keys()])
  return [...names].filter((name) => expected.get(name)?.toLowerCase() !== found.get(name)?.toLowerCase())
}

/** Whether the logs of a receipt announce exactly this order at its settler, once and nothing else. */
export function announcesOrder(logs: readonly Log[], order: CrossChainTerms, place: OrderPlace): boolean {
  const own = logs.filter(({ address }) => isAddressEqual(address, order.settler))
  const opened = parseEventLogs({ abi: settlerAbi, eventName: 'Open', logs: own })
  const [only] = opened
  if (only === undefined || opened.length !== 1 || only.args.orderId !== crossChainOrderIdOf(order, place)) return false
  return resolvedDifferences(order, place, only.args.resolvedOrder).length === 0
}

export type CrossChainTerms = Omit<IntentCrossChain, 'orderId'>

/** Whose order it is, and where it is opened. */
export type OrderPlace = { readonly chainId: number; readonly wallet: Address }

type Output = { readonly token: Hex; readonly amount: bigint; readonly chainId: bigint; readonly recipient?: Hex }

/** `ResolvedCrossChainOrder`, without what no order of ours decides. */
type ResolvedOrder = {
  readonly user: Address
  readonly originChainId: bigint
  readonly fillDeadline: number
  readonly orderId: Hash
  readonly maxSpent: readonly Output[]
  readonly minReceived: readonly Output[]
  readonly fillInstructions: readonly {
    readonly destinationChainId: bigint
    readonly destinationSettler: Hex
    readonly originData: Hex
  }[]
}

function outputsOf(name: string, outputs: readonly Output[], hasRecipient: boolean): [string, string][] {
  return [
    [name, `${outputs.length}`],
    ...outputs.flatMap(({ token, amount, recipient, chainId }, index): [string, string][] => [
      [`${name}.${index}.token`, token],
      [`${name}.${index}.amount`, `${amount}`],
      [`${name}.${index}.chainId`, `${chainId}`],
      ...(hasRecipient ? ([[`${name}.${index}.recipient`, `${recipient}`]] as [string, string][]) : []),
    ]),
  ]
}

function relayOf(order: CrossChainTerms, { chainId, wallet }: OrderPlace) {
  const { settler, nonce, inputToken, inputAmount, outputToken, outputAmount, recipient, fillDeadline } = order
  const depositor = pad(wallet)
  return {
    depositor,
    recipient: pad(recipient),
    exclusiveRelayer: zeroHash,
    inputToken: pad(inputToken),
    outputToken: pad(outputToken),
    inputAmount,
    outputAmount,
    originChainId: BigInt(chainId),
    depositId: BigInt(keccak256(encodePacked(['address', 'bytes32', 'uint256'], [settler, depositor, nonce]))),
    fillDeadline,
    exclusivityDeadline: 0,
    message: '0x',
  } as const
}

const orderDataForm = parseAbiParameters([
  'OrderData data',
  'struct OrderData { address inputToken; uint256 inputAmount; address outputToken; uint256 outputAmount; uint256 destinationChainId; bytes32 recipient; address exclusiveRelayer; uint256 depositNonce; uint32 exclusivityPeriod; bytes message; }',
])

const relayText =
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }'
const relayForm = parseAbiParameters(['RelayData relay', relayText])
const hashedForm = parseAbiParameters(['RelayData relay, uint256 destinationChainId', relayText])

/** The type of the order data, as Across hashes it. */
export const orderDataType: Hash = keccak256(
  stringToHex(
    'AcrossOrderData(address inputToken,uint256 inputAmount,address outputToken,uint256 outputAmount,uint256 destinationChainId,bytes32 recipient,address exclusiveRelayer,uint256 depositNonce,uint32 exclusivityPeriod,bytes message)',
  ),
)
