import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as OrderSdk from '@uniswap/uniswapx-sdk'
import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  bytesToHex,
  encodeFunctionData,
  type Hash,
  type Hex,
  isAddressEqual,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { tokenAbi } from '../abis.ts'
import { devAccounts } from '../accounts.ts'
import { type ChainClient, connect, mineSettled } from '../chain/chain-client.ts'
import { sendNow } from '../start-devnet.ts'
import { quoteSwap } from './build-swap.ts'
import { type OrderBody, orderBody, orderQuoteBody, type OrderQuoteBody } from './requests.ts'
import { aside, type OrderTrick, orderSeconds, tricked, thief } from './trading-tricks.ts'

/**
 * The half of the trading API that takes orders (`POST /quote` for UniswapX, `POST /order`), with a cosigner and a filler behind it. What it
 * offers and how it knows what was signed is the vendor's SDK, in words of its own; what it fills goes to the real reactor, out of the
 * inventory of a trader of the local chain.
 */
export function createOrderDesk({ chain, rpcUrl, now = Date.now, fillsAtOnce = false }: OrderDeskOptions): OrderDesk {
  const cosigner = privateKeyToAccount(generatePrivateKey())
  const taken: (TakenOrder & { readonly order: OrderSdk.UnsignedV2DutchOrder })[] = []
  const filler = devAccounts().roles.traders[0] as Address
  const filled = new Set<Hash>()
  let last: Promise<unknown> = Promise.resolve()

  return {
    async answer(route, body, trick) {
      if (route === 'POST /v1/quote' && isOrderQuote(body)) return quote(body, trick)
      if (route !== 'POST /v1/order') return null
      const read = orderBody.safeParse(body)
      return read.success ? take(read.data) : { problem: read.error.issues[0]?.message ?? '' }
    },
    fillOrders,
    orders: () => taken.map(({ order: _order, ...one }) => one),
  }

  async function quote(body: unknown, trick: OrderTrick | null): Promise<Answer> {
    const read = orderQuoteBody.safeParse(body)
    if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
    const asked = read.data
    if (asked.tokenInChainId !== chain.id || asked.tokenOutChainId !== chain.id) return none
    const order = await offer(asked, trick)
    if (order === null) return none
    const honest = { encodedOrder: order.serialize(), orderId: order.hash(), orderInfo: infoOf(order) }
    const { domain, types, values } = order.permitData()
    return {
      status: 200,
      body: {
        routing: 'DUTCH_V2',
        quote: { ...honest, ...aside(trick, honest.orderInfo) },
        permitData: { domain, types, values },
      },
    }
  }

  async function offer(asked: OrderQuoteBody, trick: OrderTrick | null): Promise<OrderSdk.UnsignedV2DutchOrder | null> {
    const { UnsignedV2DutchOrder } = loadSdk()
    const swap = { ...asked, protocols: ['V2', 'V3', 'V4'] as ('V2' | 'V3' | 'V4')[] }
    const traded = await quoteSwap(
      chain,
      rpcUrl ?? null,
      { ...swap, chainId: chain.id, walletAddress: asked.swapper },
      false,
    )
    if (traded === null) return null
    const start = BigInt(traded.output.amount)
    const kept = 10_000n - BigInt(Math.round(asked.slippageTolerance * 100))
    const terms = tricked(trick, {
      reactor: reactorOf(chain),
      swapper: asked.swapper,
      tokenIn: asked.tokenIn,
      startIn: BigInt(asked.amount),
      endIn: BigInt(asked.amount),
      tokenOut: asked.tokenOut,
      start,
      end: (start * kept) / 10_000n,
      recipient: asked.swapper,
      deadline: (await timeOf()) + orderSeconds,
      cosigner: cosigner.address,
    })
    return new UnsignedV2DutchOrder(orderInfo(trick, terms), chain.id, chain.permit2)
  }

  /** The later of the clock and the newest block's time, in Unix seconds. */
  async function timeOf(): Promise<number> {
    const { timestamp } = await client().getBlock()
    return Math.max(Math.floor(now() / 1_000), Number(timestamp))
  }

  /** Only what its swapper signed is taken, and the same order once more is the same. */
  async function take({ quote: { encodedOrder }, signature }: OrderBody): Promise<Answer> {
    const { UnsignedV2DutchOrder } = loadSdk()
    const order = UnsignedV2DutchOrder.parse(encodedOrder, chain.id, chain.permit2)
    if (!isAddressEqual(order.getSigner(signature) as Address, order.info.swapper as Address)) {
      return { problem: "The signature is not the swapper's." }
    }
    const orderId = order.hash() as Hash
    if (taken.every((one) => one.orderId !== orderId)) {
      taken.push({ orderId, swapper: order.info.swapper as Address, signature: signature as Hex, order })
      if (fillsAtOnce)
        void fillOrders()
          .then(() => mineSettled(client()))
          .catch(() => undefined)
    }
    return { status: 201, body: { orderId, orderStatus: 'open' } }
  }

  /** One after the other, and no order twice at a time. */
  function fillOrders(): Promise<readonly (Hash | null)[]> {
    const filling = last.then(async () => {
      const hashes: (Hash | null)[] = []
      for (const one of taken.filter(({ orderId }) => !filled.has(orderId))) hashes.push(await fill(one))
      return hashes
    })
    last = filling.catch(() => undefined)
    return filling
  }

  async function fill({ order, orderId, signature }: (typeof taken)[number]): Promise<Hash | null> {
    const { CosignedV2DutchOrder } = loadSdk()
    const cosignerData = cosignedFrom(await timeOf(), order.info)
    const cosignature = await cosigner.sign({ hash: order.cosignatureHash(cosignerData) as Hash })
    const cosigned = CosignedV2DutchOrder.fromUnsignedOrder(order, cosignerData, cosignature)
    const reactor = reactorOf(chain)
    for (const { token } of order.info.outputs) {
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [reactor, maxUint256] })
      await sendNow(client(), { from: filler, to: token as Address, data, gas: 100_000n, what: 'approve the reactor' })
    }
    const signed = { order: cosigned.serialize() as Hex, sig: signature }
    const data = encodeFunctionData({ abi: reactorAbi, functionName: 'execute', args: [signed] })
    try {
      await sendNow(client(), { from: filler, to: reactor, data, gas: 1_000_000n, what: 'fill an order' })
    } catch {
      return null
    }
    const logs = await client().getLogs({ address: reactor, event: fillEvent, args: { orderHash: orderId } })
    filled.add(orderId)
    return logs[0]?.transactionHash ?? null
  }

  function client(): ChainClient {
    if (rpcUrl === undefined) throw new TypeError('a chain is needed that can be read')
    return connect(rpcUrl)
  }
}

export type OrderDeskOptions = {
  readonly chain: Chain
  readonly rpcUrl?: string
  readonly now?: () => number
  readonly fillsAtOnce?: boolean
}

/** `null` for what is no question about orders. */
export type OrderDesk = {
  answer(route: string, body: unknown, trick: OrderTrick | null): Promise<Answer | null>
  fillOrders(): Promise<readonly (Hash | null)[]>
  orders(): readonly TakenOrder[]
}

type Answer = { readonly problem: string } | { readonly status: number; readonly body: object }

export type TakenOrder = { readonly orderId: Hash; readonly swapper: Address; readonly signature: Hex }

/** The builder of the SDK would not make what the tricks are. */
function orderInfo(trick: OrderTrick | null, terms: ReturnType<typeof tricked>): OrderSdk.UnsignedV2DutchOrder['info'] {
  const big = numberOf
  const output = {
    token: terms.tokenOut,
    startAmount: big(terms.start),
    endAmount: big(terms.end),
    recipient: terms.recipient,
  }
  const second = { ...output, startAmount: big(1n), endAmount: big(1n), recipient: thief }
  const asks = trick === 'validation-contract'
  return {
    reactor: terms.reactor,
    swapper: terms.swapper,
    nonce: big(trick === 'same-nonce' ? sameNonce : BigInt(bytesToHex(randomBytes(32)))),
    deadline: terms.deadline,
    additionalValidationContract: asks ? thief : zeroAddress,
    additionalValidationData: asks ? '0x01' : '0x',
    cosigner: terms.cosigner,
    input: { token: terms.tokenIn, startAmount: big(terms.startIn), endAmount: big(terms.endIn) },
    outputs: trick === 'second-output' ? [output, second] : [output],
  }
}

/** All overrides left out. */
function cosignedFrom(at: number, { deadline, outputs }: OrderSdk.UnsignedV2DutchOrder['info']) {
  return {
    decayStartTime: Math.min(at, deadline),
    decayEndTime: deadline,
    exclusiveFiller: zeroAddress,
    exclusivityOverrideBps: numberOf(0n),
    inputOverride: numberOf(0n),
    outputOverrides: outputs.map(() => numberOf(0n)),
  }
}

/** As the API words it: numbers as decimal text. */
function infoOf({ info, chainId }: OrderSdk.UnsignedV2DutchOrder) {
  const { reactor, swapper, nonce, deadline, cosigner, input, outputs } = info
  const amounts = ({ token, startAmount, endAmount }: typeof input, recipient?: string) => ({
    token,
    startAmount: startAmount.toString(),
    endAmount: endAmount.toString(),
    ...(recipient !== undefined && { recipient }),
  })
  return {
    chainId,
    nonce: nonce.toString(),
    reactor,
    swapper,
    deadline,
    additionalValidationContract: info.additionalValidationContract,
    additionalValidationData: info.additionalValidationData,
    cosigner,
    input: amounts(input),
    outputs: outputs.map((output) => amounts(output, output.recipient)),
  }
}

function isOrderQuote(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('protocols' in body)) return false
  return Array.isArray(body.protocols) && body.protocols.includes('UNISWAPX_V2')
}

function reactorOf({ orderReactor }: Chain): Address {
  if (orderReactor === undefined) throw new TypeError('the chain has no reactor')
  return orderReactor
}

const sameNonce = 7n

const none: Answer = { status: 404, body: { errorCode: 'ResourceNotFound', detail: 'No quotes available' } }

const reactorAbi = parseAbi([
  'struct SignedOrder { bytes order; bytes sig; }',
  'function execute(SignedOrder order) payable',
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
])

const [, fillEvent] = reactorAbi

/** Loaded with the first order: that takes half a second. Node keeps what it has loaded. */
function loadSdk(): typeof OrderSdk {
  return createRequire(import.meta.url)('@uniswap/uniswapx-sdk') as typeof OrderSdk
}

function numberOf(amount: bigint) {
  const { BigNumber } = createRequire(createRequire(import.meta.url).resolve('@uniswap/uniswapx-sdk'))('ethers') as {
    readonly BigNumber: { from(amount: string): OrderSdk.UnsignedV2DutchOrder['info']['nonce'] }
  }
  return BigNumber.from(`${amount}`)
}
